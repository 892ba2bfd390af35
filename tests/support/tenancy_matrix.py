"""Who may reach what, as one table: a row for each operation of the API. The frames of the sockets are in
`tenancy_frames.py`.

A route, a frame, a filter or a field that is not in here fails `test_tenancy_matrix.py`. To add one:

- a route: a line in `ROUTES`, with the act that it takes (`roles.Act`) and a body that would be accepted;
- an id in its path that is new: a line in `KINDS`, which makes such a row of a team;
- an id in its query or body: `refers`, where "{session_id}" stands for a row of whoever is tried;
- a text in its query or body that is no id: its name in `PLAIN`;
- a model: a row of it in `KINDS`, or its name with the reason in `WITHOUT_ROW`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final

from agentsite.tenancy.roles import Act


class Open(Enum):
    """Routes whose right does not come from a role in a team."""

    PUBLIC = "public"  # nobody needs to sign in
    ANYBODY = "anybody"  # everybody who is signed in, with nothing of any team but their own
    OWN = "own"  # rows of one person, which even the team's owner does not find
    OPERATOR = "operator"  # staff of the site


@dataclass(frozen=True)
class Route:
    """`body` would be accepted, so that only whose row it is can be the reason to refuse. `refers` are fields with ids
    besides those of the path, each tried alone: {"session_id": "{session_id}"}; they go where the route reads them.
    `asks`: a worker or a storage answers, which are not here. `stricter`: roles that may do the act are refused for
    another reason, which the words say."""

    needs: Act | Open
    body: Any = None
    query: Mapping[str, str] = field(default_factory=dict)
    refers: Mapping[str, Any] = field(default_factory=dict)
    file: bool = False
    asks: bool = False
    stricter: str = ""


VIEW, PROMPT, ANSWER = Act.VIEW, Act.PROMPT, Act.ANSWER

OWN_USAGE: Final = "who may not see the team's usage sees their own"

ROUTES: Final[Mapping[str, Route]] = {
    # the site
    "get_live": Route(Open.PUBLIC),
    "get_ready": Route(Open.PUBLIC),
    "get_site": Route(Open.PUBLIC),
    "get_metrics": Route(Open.PUBLIC),  # it has a token of its own
    "list_schemas": Route(Open.PUBLIC),
    "get_schema": Route(Open.PUBLIC),
    "get_me": Route(Open.ANYBODY),
    "update_me": Route(Open.ANYBODY, {"name": "x"}),
    "export_me": Route(Open.ANYBODY, asks=True),  # packed, with the time
    "delete_me": Route(Open.ANYBODY, {"password": "not the password"}),
    "list_presets": Route(Open.ANYBODY),
    "list_tools": Route(Open.ANYBODY, refers={"project_id": "{project_id}"}),
    "get_tool": Route(Open.ANYBODY, refers={"project_id": "{project_id}"}),
    "explain": Route(
        Open.ANYBODY,
        {"tool": "bash", "arguments": {"command": "ls"}},
        refers={"session_id": "{session_id}", "project_id": "{project_id}"},
    ),
    "list_agents": Route(Open.ANYBODY),
    "list_site_agents": Route(Open.ANYBODY),
    "create_site_agent": Route(Open.OPERATOR, {"name": "helper", "document": {}}),
    # tokens and tickets
    "list_tokens": Route(Open.OWN),
    "create_token": Route(Open.OWN, {"name": "x"}, refers={"team_id": "{team_id}", "project_id": "{project_id}"}),
    "get_current_token": Route(Open.ANYBODY),
    "delete_token": Route(Open.OWN),
    "get_notifications": Route(Open.OWN),
    "set_notifications": Route(Open.OWN, {"mail": "all", "delay_minutes": 5}),
    "create_socket_ticket": Route(Open.OWN, {}),
    "list_service_accounts": Route(Act.MANAGE_TOKENS),
    "create_service_account": Route(Act.MANAGE_TOKENS, {"name": "x"}),
    "get_service_account": Route(Act.MANAGE_TOKENS),
    "update_service_account": Route(Act.MANAGE_TOKENS, {"name": "x"}),
    "delete_service_account": Route(Act.MANAGE_TOKENS),
    "list_service_tokens": Route(Act.MANAGE_TOKENS),
    "create_service_token": Route(Act.MANAGE_TOKENS, {"name": "x"}, refers={"project_id": "{project_id}"}),
    # operators who read a session
    "open_operator_access": Route(Open.OPERATOR, {"session_id": f"ses_{'0' * 32}", "reason": "x" * 20}),
    "list_own_operator_accesses": Route(Open.OPERATOR),
    "read_session_as_operator": Route(Open.OWN),
    "end_operator_access": Route(Act.MANAGE_TEAM),
    "list_operator_accesses_of_session": Route(VIEW),
    "list_operator_accesses_of_team": Route(Act.READ_AUDIT),
    # teams
    "list_teams": Route(VIEW),
    "create_team": Route(Open.ANYBODY, {"name": "x"}),
    "get_team": Route(VIEW),
    "update_team": Route(Act.MANAGE_TEAM, {"name": "x"}),
    "get_team_deletion": Route(Act.DELETE_TEAM),
    "delete_team": Route(Act.DELETE_TEAM, {"name": "x"}),
    "keep_team": Route(Act.DELETE_TEAM),
    "list_members": Route(VIEW),
    "update_member": Route(Act.MANAGE_TEAM, {"role": "viewer"}),
    "remove_member": Route(Act.MANAGE_TEAM),
    "transfer_ownership": Route(
        Act.MANAGE_OWNERS, {"member_id": "x"}, refers={"member_id": "{member_id}"}, stricter="to a member"
    ),
    "list_invitations": Route(Act.MANAGE_TEAM),
    "create_invitation": Route(Act.MANAGE_TEAM, {"email": "new@example.org"}),
    "resend_invitation": Route(Act.MANAGE_TEAM, {}),
    "revoke_invitation": Route(Act.MANAGE_TEAM),
    "open_invitation": Route(Open.PUBLIC, {"secret": "x"}),
    "accept_invitation": Route(Open.ANYBODY, {"secret": "x"}),
    "list_audit": Route(
        Act.READ_AUDIT, refers={"actor": "{user_id}", "subject": "{session_id}", "project": "{project_id}"}
    ),
    "export_audit": Route(
        Act.READ_AUDIT, refers={"actor": "{user_id}", "subject": "{session_id}", "project": "{project_id}"}
    ),
    "get_audit_retention": Route(Act.READ_AUDIT),
    "set_audit_retention": Route(Act.MANAGE_OWNERS, {"days": 90}),
    "verify_audit": Route(Act.READ_AUDIT, {}),
    # providers and models
    "list_provider_kinds": Route(Open.ANYBODY),
    "list_providers": Route(Act.MANAGE_PROVIDERS),
    "create_provider": Route(Act.MANAGE_PROVIDERS, {"slug": "house", "name": "House", "kind": "anthropic"}),
    "get_provider": Route(Act.MANAGE_PROVIDERS),
    "update_provider": Route(Act.MANAGE_PROVIDERS, {"name": "House", "kind": "anthropic"}),
    "delete_provider": Route(Act.MANAGE_PROVIDERS),
    "replace_provider_key": Route(Act.MANAGE_PROVIDERS, {"key": "sk-0123456789ab"}),
    "delete_provider_key": Route(Act.MANAGE_PROVIDERS),
    "test_provider": Route(Act.MANAGE_PROVIDERS, {}, asks=True),
    "list_team_models": Route(VIEW),
    "choose_team_models": Route(Act.MANAGE_PROVIDERS, {}),
    "list_project_models": Route(VIEW),
    "choose_project_models": Route(Act.MANAGE_PROJECT, {}),
    # usage
    "get_team_usage": Route(VIEW, refers={"person_id": "{user_id}", "project_id": "{project_id}"}, stricter=OWN_USAGE),
    "get_project_usage": Route(
        VIEW, refers={"person_id": "{user_id}", "project_id": "{project_id}"}, stricter=OWN_USAGE
    ),
    "get_session_usage": Route(VIEW, stricter=OWN_USAGE),
    "get_my_usage": Route(Open.ANYBODY, refers={"person_id": "{user_id}", "project_id": "{project_id}"}),
    "export_team_usage": Route(VIEW, asks=True, refers={"person_id": "{user_id}", "project_id": "{project_id}"}),
    # webhooks
    "list_webhook_events": Route(Open.ANYBODY),
    "list_webhooks": Route(Act.MANAGE_WEBHOOKS),
    "create_webhook": Route(
        Act.MANAGE_WEBHOOKS,
        {"name": "x", "url": "https://hooks.example.org/", "events": ["turn.ended"]},
        refers={"project_id": "{project_id}"},
    ),
    "get_webhook": Route(Act.MANAGE_WEBHOOKS),
    "update_webhook": Route(Act.MANAGE_WEBHOOKS, {"name": "x"}),
    "delete_webhook": Route(Act.MANAGE_WEBHOOKS),
    "rotate_webhook_secret": Route(Act.MANAGE_WEBHOOKS, {}),
    "ping_webhook": Route(Act.MANAGE_WEBHOOKS, {}),
    "list_deliveries": Route(Act.MANAGE_WEBHOOKS),
    "get_delivery": Route(Act.MANAGE_WEBHOOKS),
    "redeliver": Route(Act.MANAGE_WEBHOOKS, {}),
    # MCP servers
    "list_site_mcp_servers": Route(Open.ANYBODY),
    "create_site_mcp_server": Route(Open.OPERATOR, {"name": "new", "kind": "local", "command": ["true"]}),
    "list_mcp_gallery": Route(Open.ANYBODY),
    "list_team_mcp_servers": Route(VIEW),
    "create_team_mcp_server": Route(Act.MANAGE_POLICY, {"name": "new", "kind": "local", "command": ["true"]}),
    "list_project_mcp_servers": Route(VIEW),
    "create_project_mcp_server": Route(Act.MANAGE_POLICY, {"name": "new", "kind": "local", "command": ["true"]}),
    "list_my_mcp_servers": Route(Open.ANYBODY),
    "create_my_mcp_server": Route(
        Open.ANYBODY, {"name": "new", "kind": "remote", "url": "https://mcp.example.org/mcp"}
    ),
    "list_declared_mcp_servers": Route(VIEW),
    "list_mcp_prompts": Route(VIEW),
    "list_mcp_resources": Route(VIEW),
    "get_mcp_prompt": Route(
        Act.PROMPT, {"server_id": "x", "name": "greet"}, refers={"server_id": "{mcp_server_id}"}, asks=True
    ),
    "get_mcp_server": Route(VIEW),
    "update_mcp_server": Route(Act.MANAGE_POLICY, {"enabled": False}),
    "delete_mcp_server": Route(Act.MANAGE_POLICY),
    "accept_mcp_server_tools": Route(Act.MANAGE_POLICY, {"tools": {}}),
    "check_mcp_server": Route(Act.MANAGE_POLICY, {}, refers={"workspace_id": "{workspace_id}"}, asks=True),
    "sign_in_to_mcp_server": Route(Act.PROMPT),
    "sign_out_of_mcp_server": Route(Act.PROMPT),
    "get_mcp_server_log": Route(VIEW, asks=True),
    "get_mcp_tool_rules": Route(VIEW),
    "list_mcp_calls": Route(VIEW, asks=True),  # the calls of the team are of other tools
    "try_mcp_tool": Route(PROMPT, {"tool": "none", "confirmed": True}, asks=True),
    # variables
    "list_team_variables": Route(VIEW),
    "create_team_variable": Route(Act.MANAGE_VARIABLES, {"name": "NEW", "value": "x"}),
    "list_project_variables": Route(VIEW),
    "create_project_variable": Route(Act.MANAGE_VARIABLES, {"name": "NEW", "value": "x"}),
    "list_my_variables": Route(Open.ANYBODY),
    "create_my_variable": Route(Open.ANYBODY, {"name": "NEW", "value": "x"}),
    "get_variable": Route(VIEW),
    "update_variable": Route(Act.MANAGE_VARIABLES, {"value": "x"}),
    "delete_variable": Route(Act.MANAGE_VARIABLES),
    # connections and repositories
    "list_connections": Route(VIEW),
    "create_connection": Route(Act.MANAGE_CONNECTIONS, {"kind": "github", "token": "ghp_0123456789"}),
    "get_connection": Route(VIEW),
    "update_connection": Route(Act.MANAGE_CONNECTIONS, {"name": "x"}),
    "replace_connection_credential": Route(Act.MANAGE_CONNECTIONS, {"token": "ghp_0123456789"}),
    "test_connection": Route(Act.MANAGE_CONNECTIONS, {}, asks=True),
    "revoke_connection": Route(Act.MANAGE_CONNECTIONS, {}),
    "delete_connection": Route(Act.MANAGE_CONNECTIONS, stricter="not while projects use it"),
    "list_connection_repositories": Route(Act.MANAGE_PROJECT, asks=True),
    "list_connection_branches": Route(Act.MANAGE_PROJECT, query={"repository": "tea/shop"}, asks=True),
    "list_public_branches": Route(Act.MANAGE_PROJECT, query={"url": "https://git.example.org/a.git"}, asks=True),
    "get_team_commits": Route(VIEW),
    "put_team_commits": Route(Act.MANAGE_CONNECTIONS, {"committer_name": "Bot"}),
    "replace_signing_key": Route(Act.MANAGE_CONNECTIONS, {}),
    "get_project_repository": Route(VIEW),
    "put_project_repository": Route(
        Act.MANAGE_PROJECT, {"url": "https://git.example.org/a.git"}, refers={"connection": "{connection_id}"}
    ),
    "delete_project_repository": Route(Act.MANAGE_PROJECT),
    "list_project_branches": Route(PROMPT, asks=True),
    # projects
    "list_projects": Route(VIEW),
    "create_project": Route(
        Act.MANAGE_PROJECT,
        {"name": "x"},
        refers={"repository": {"connection": "{connection_id}", "name": "tea/shop"}},
    ),
    "get_project": Route(VIEW),
    "get_project_deletion": Route(Act.MANAGE_PROJECT),
    "delete_project": Route(Act.MANAGE_PROJECT, {"name": "x"}),
    "keep_project": Route(Act.MANAGE_PROJECT),
    "update_project": Route(Act.MANAGE_PROJECT, {"description": "x"}),
    # uploads
    "list_uploads": Route(Act.MANAGE_PROJECT),
    "create_upload": Route(Act.MANAGE_PROJECT, {"name": "x.zip", "size": 4}),
    "get_upload": Route(Act.MANAGE_PROJECT),
    "send_upload_part": Route(Act.MANAGE_PROJECT, query={"offset": "0"}, asks=True),
    "delete_upload": Route(Act.MANAGE_PROJECT),
    "create_project_of_upload": Route(Act.MANAGE_PROJECT, {"name": "x"}),
    "get_project_files": Route(VIEW),
    "set_project_files": Route(Act.MANAGE_PROJECT, {"upload_id": None}, refers={"upload_id": "{upload_id}"}),
    # workspaces
    "list_workspaces": Route(VIEW),
    "create_workspace": Route(PROMPT, {"name": "x"}),
    "list_all_workspaces": Route(VIEW, refers={"project": "{project_id}"}),
    "get_workspace": Route(VIEW),
    "remove_workspace": Route(Act.MANAGE_PROJECT),
    "get_workspace_usage": Route(VIEW, asks=True),
    "start_workspace": Route(PROMPT, {}),
    "stop_workspace": Route(PROMPT, {}),
    "restart_workspace": Route(PROMPT, {}),
    "rebuild_workspace": Route(PROMPT, {}),
    "check_workspace": Route(PROMPT, {}),
    "list_background_calls": Route(VIEW, asks=True),
    "stop_background_call": Route(PROMPT, {}, asks=True),
    "keep_workspace": Route(Act.MANAGE_PROJECT, {}),
    "export_workspace": Route(PROMPT, {}),
    "download_workspace": Route(ANSWER),
    # sessions
    "list_sessions": Route(VIEW, refers={"project": "{project_id}", "created_by": "{user_id}"}),
    "export_session": Route(VIEW),
    "fork_session": Route(PROMPT, {}, refers={"message_id": "{message_id}"}),
    "list_project_sessions": Route(VIEW, refers={"created_by": "{user_id}"}),
    "create_session": Route(PROMPT, {"title": "x"}, refers={"workspace_id": "{workspace_id}"}),
    "get_session": Route(VIEW),
    "update_session": Route(PROMPT, {"title": "x"}, stricter="only one's own, unless one manages sessions"),
    "delete_session": Route(PROMPT, stricter="only one's own, unless one manages sessions"),
    "list_child_sessions": Route(VIEW),
    "get_session_audience": Route(VIEW),
    "set_session_audience": Route(
        PROMPT, {"shared_with": "private"}, refers={"people": ["{user_id}"]}, stricter="only who started it"
    ),
    "list_private_sessions": Route(Act.MANAGE_SESSIONS),
    "abort_private_session": Route(Act.MANAGE_SESSIONS, {}),
    "delete_private_session": Route(Act.MANAGE_SESSIONS),
    "get_snapshot": Route(VIEW),
    "abort_session": Route(PROMPT, {}),
    "summarize_session": Route(PROMPT, {}),
    "list_session_commits": Route(VIEW, asks=True),
    "get_session_diff": Route(VIEW, refers={"turn": "{turn_id}"}, asks=True),
    "get_changed_image": Route(VIEW, query={"path": "a.png", "side": "new"}, refers={"turn": "{turn_id}"}, asks=True),
    "get_changed_lines": Route(
        VIEW, query={"path": "a.py", "first": "1", "last": "2"}, refers={"turn": "{turn_id}"}, asks=True
    ),
    "list_review_comments": Route(VIEW),
    "create_review_comment": Route(PROMPT, {"path": "a.py", "text": "hello"}),
    "update_review_comment": Route(PROMPT, {"state": "resolved"}),
    "delete_review_comment": Route(PROMPT, stricter="only one's own, unless one manages sessions"),
    "send_review": Route(PROMPT, {}, refers={"comments": ["{review_comment_id}"]}),
    "list_file_approvals": Route(VIEW),
    "approve_file": Route(PROMPT, {"path": "a.py", "version": "0"}),
    "withdraw_file_approval": Route(PROMPT, query={"path": "a.py"}, stricter="only one's own"),
    "download_patch": Route(ANSWER, refers={"turn": "{turn_id}"}, asks=True),
    "download_bundle": Route(ANSWER, asks=True),
    "download_session_archive": Route(ANSWER, asks=True),
    "list_file_changes": Route(VIEW, refers={"turn_id": "{turn_id}", "message_id": "{message_id}"}),
    "preview_revert": Route(PROMPT, {}, refers={"message_id": "{message_id}", "turn_id": "{turn_id}"}, asks=True),
    "revert_session": Route(PROMPT, {}, refers={"message_id": "{message_id}", "turn_id": "{turn_id}"}, asks=True),
    "preview_unrevert": Route(PROMPT, {"revert_id": "x"}, refers={"revert_id": "{revert_id}"}, asks=True),
    "unrevert_session": Route(PROMPT, {"revert_id": "x"}, refers={"revert_id": "{revert_id}"}, asks=True),
    "get_revert": Route(VIEW),
    "list_files": Route(VIEW, asks=True),
    "open_file": Route(VIEW, query={"path": "a.txt"}, asks=True),
    "read_file": Route(VIEW, query={"path": "a.txt"}, asks=True),
    "find_files": Route(VIEW, query={"name": "a"}, asks=True),
    "download_file": Route(ANSWER, query={"path": "a.txt"}, asks=True),
    "write_file": Route(PROMPT, {"path": "a.txt", "text": "x", "seen_sha256": None}, asks=True),
    "upload_file": Route(PROMPT, query={"path": "a.txt"}, file=True, asks=True),
    "move_file": Route(PROMPT, {"path": "a.txt", "target": "b.txt"}, asks=True),
    "remove_file": Route(PROMPT, query={"path": "a.txt"}, asks=True),
    "make_folder": Route(PROMPT, {"path": "a"}, asks=True),
    "get_git_state": Route(VIEW, asks=True),
    "commit_changes": Route(PROMPT, {"message": "x"}, asks=True),
    "push_branch": Route(PROMPT, {"commit": "0" * 40}, asks=True),
    "update_branch": Route(PROMPT, {"how": "fetch"}, asks=True),
    "resolve_conflicts": Route(PROMPT, {}, asks=True),
    "start_branch_session": Route(PROMPT, {}, asks=True),
    "draft_text": Route(PROMPT, {"what": "commit"}, asks=True),
    "get_pull_request": Route(VIEW),
    "open_pull_request": Route(PROMPT, {"title": "x"}, asks=True),
    "fix_pull_request": Route(PROMPT, {"check": "1"}),
    "refresh_pull_request": Route(PROMPT, {}, asks=True),
    "submit_prompt": Route(PROMPT, {"text": "hello"}, refers={"attachments": ["{attachment_id}"]}),
    "run_session_command": Route(PROMPT, {"command": "init"}, refers={"attachments": ["{attachment_id}"]}),
    "run_session_shell": Route(PROMPT, {"command": "ls"}),
    "compact_session": Route(PROMPT, {}),
    "start_comparison": Route(
        PROMPT, {"text": "hello", "models": ["", ""]}, refers={"attachments": ["{attachment_id}"]}
    ),
    "list_comparisons": Route(VIEW),
    "get_comparison": Route(VIEW),
    "keep_attempt": Route(
        PROMPT, {"session_id": "{attempt_id}"}, refers={"session_id": "{attempt_id}"}, stricter="who started them"
    ),
    "retry_turn": Route(PROMPT, {}),
    "choose_turn": Route(PROMPT, {}),
    "edit_prompt": Route(PROMPT, {"text": "hello"}),
    "send_and_wait": Route(PROMPT, {"text": "hello"}, query={"wait": "0"}, refers={"attachments": ["{attachment_id}"]}),
    "get_turn": Route(VIEW),
    "wait_for_turn": Route(VIEW, {}, query={"wait": "0"}),
    "list_messages": Route(VIEW),
    "get_context": Route(VIEW),
    "get_session_config": Route(VIEW),
    "list_session_commands": Route(VIEW),
    "export_session_config": Route(VIEW),
    "get_system_prompt": Route(VIEW),
    "get_conversation": Route(VIEW, refers={"before": "{message_id}"}),
    "stream_events": Route(VIEW),
    "stream_all_events": Route(Open.ANYBODY, refers={"project": "{project_id}"}),
    "list_session_tools": Route(VIEW),
    "get_session_rules": Route(VIEW),
    "get_call_why": Route(VIEW),
    "list_session_share_links": Route(VIEW),
    "create_share_link": Route(Act.SHARE, {"reach": "team"}),
    "list_team_share_links": Route(Act.MANAGE_SESSIONS),
    "revoke_share_link": Route(Act.SHARE, stricter="one's own, unless one manages sessions"),
    "get_shared_session": Route(Open.PUBLIC),
    "download_shared_file": Route(Open.PUBLIC),
    "stream_shared_session": Route(Open.PUBLIC),
    "search": Route(VIEW, query={"q": "session"}, refers={"project_id": "{project_id}", "person_id": "{user_id}"}),
    # attachments
    "upload_attachment": Route(PROMPT, file=True),
    "download_attachment": Route(VIEW, asks=True),
    "delete_attachment": Route(PROMPT, stricter="only what one has uploaded"),
    # agents
    "list_team_agents": Route(VIEW),
    "create_team_agent": Route(Act.MANAGE_POLICY, {"name": "helper", "document": {}}),
    "list_project_agents": Route(VIEW),
    "create_project_agent": Route(Act.MANAGE_POLICY, {"name": "helper", "document": {}}),
    "get_agent": Route(VIEW),
    "update_agent": Route(Act.MANAGE_POLICY, {"document": {}}),
    "delete_agent": Route(Act.MANAGE_POLICY),
    "list_session_agents": Route(VIEW),
    "explain_agent": Route(VIEW, query={"name": "build"}),
    # what waits for people
    "list_permission_requests": Route(VIEW, refers={"session_id": "{session_id}", "project": "{project_id}"}),
    "get_permission_request": Route(VIEW),
    "reply_permission_request": Route(ANSWER, {"reply": "once"}),
    "list_questions": Route(VIEW, refers={"session_id": "{session_id}", "project": "{project_id}"}),
    "get_question": Route(VIEW),
    "answer_question": Route(PROMPT, {"answers": [["yes"]]}),
    "dismiss_question": Route(PROMPT, {}),
    "list_grants": Route(VIEW),
    "list_project_grants": Route(VIEW),
    "list_team_grants": Route(VIEW),
    "get_project_network": Route(VIEW),
    "list_images": Route(Open.ANYBODY),
    "get_project_image": Route(VIEW),
    "choose_project_image": Route(Act.MANAGE_PROJECT, {"image": "default"}),
    "get_project_setup": Route(VIEW),
    "put_project_setup": Route(Act.MANAGE_PROJECT, {"script": "make deps"}),
    "list_setup_runs": Route(VIEW),
    "get_setup_run": Route(VIEW),
    "run_setup": Route(PROMPT, {}),
    "get_grant": Route(VIEW),
    "revoke_grant": Route(PROMPT, stricter="whoever may give such a grant may take it back"),
    # budgets
    "list_team_budgets": Route(VIEW),
    "create_budget": Route(
        Act.MANAGE_BUDGETS,
        {"scope": "team", "period": "month", "limit": "1"},
        refers={"target": "{project_id}"},
    ),
    "list_my_budgets": Route(VIEW),
    "list_session_budgets": Route(VIEW),
    "get_budget": Route(VIEW),
    "update_budget": Route(Act.MANAGE_BUDGETS, {"limit": "2"}),
    "delete_budget": Route(Act.MANAGE_BUDGETS),
    "continue_session": Route(PROMPT, {}),
    # policies
    "get_policy": Route(VIEW),
    "put_policy": Route(Act.MANAGE_POLICY, {"document": {}, "base_version": 0}),
    "list_policy_versions": Route(VIEW),
    "get_policy_version": Route(VIEW),
    "rollback_policy": Route(Act.MANAGE_POLICY, {"version": 0, "base_version": 0}),
    "check_policy": Route(Act.MANAGE_POLICY, {"document": {}}),
    "simulate_policy": Route(Act.MANAGE_POLICY, {"document": {}}, refers={"project_id": "{project_id}"}),
}
