"""Scopes of API tokens: tables that assign every REST operation and WebSocket frame to one scope.

Operations in NOT_WITH_TOKEN have no scope: only people who are signed in can call them. A scope never permits more than
the role of the user. An operation or frame that no table lists needs the scope `admin`, and a test reports it.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final


class Scope(StrEnum):
    # see projects, sessions, files, rules and usage, and follow events
    READ = "read"
    # create, stop and delete sessions and workspaces, send prompts and files, answer questions of agents
    WORK = "sessions:write"
    # decide permission requests and revoke grants
    ANSWER = "answer"
    # list, open, watch, type into and close terminals
    TERMINAL = "terminal"
    # change teams, projects, policies, agents, providers, budgets, webhooks and variables
    ADMIN = "admin"
    # create and revoke API tokens and service accounts, never with more rights than the token itself has
    TOKENS = "tokens"


DEFAULT_SCOPES: Final = (Scope.READ, Scope.WORK)

NOT_WITH_TOKEN: Final = frozenset(
    {
        "accept_invitation", "update_me", "delete_me", "export_me", "open_operator_access",
        "read_session_as_operator", "set_notifications", "get_push", "add_push_browser", "remove_push_browser",
        "test_push_browser"}
)  # fmt: skip
"""Operations on the caller's own account, which cannot be called with an API token."""

OPERATIONS: Final[Mapping[Scope, frozenset[str]]] = {
    Scope.READ: frozenset(
        {
            "get_me", "list_teams", "get_team", "list_members", "list_invitations", "list_projects",
            "get_project", "get_current_token", "create_socket_ticket", "list_audit",
            "export_audit", "get_audit_retention", "verify_audit",
            "list_workspaces", "list_all_workspaces", "get_workspace", "get_workspace_usage",
            "list_background_calls", "download_workspace", "list_project_sessions", "list_sessions", "get_session",
            "list_child_sessions", "get_snapshot", "get_conversation", "get_session_diff", "list_agents",
            "download_patch", "download_bundle", "download_session_archive",
            "list_site_agents", "list_team_agents", "list_project_agents", "get_agent", "list_session_agents",
            "explain_agent", "list_messages", "download_attachment", "list_permission_requests",
            "get_permission_request", "list_questions", "get_question", "list_grants", "get_grant",
            "list_project_grants", "list_team_grants", "get_project_network", "check_policy",
            "get_project_setup", "list_setup_runs", "get_setup_run",
            "simulate_policy", "explain", "list_session_tools", "get_call_why", "get_session_rules", "stream_events",
            "get_session_audience", "list_private_sessions", "get_policy", "list_policy_versions", "get_configuration",
            "list_uploads", "get_upload", "get_project_files",
            "get_team_deletion", "get_project_deletion", "list_own_operator_accesses",
            "list_operator_accesses_of_session", "list_operator_accesses_of_team",
            "get_policy_version", "list_presets", "list_tools", "get_tool",
            "get_turn", "wait_for_turn", "get_project_image", "list_images", "stream_all_events", "export_session",
            # budgets, models, sharing and webhooks
            "list_team_budgets", "list_my_budgets", "list_session_budgets", "get_budget", "get_team_usage",
            "get_project_usage", "get_session_usage", "get_my_usage", "export_team_usage", "list_provider_kinds",
            "list_known_models", "get_model_table", "search_model_table",
            "list_providers", "get_provider", "list_team_models", "list_project_models", "get_notifications", "search",
            "list_session_share_links", "list_team_share_links", "list_webhook_events", "list_webhooks", "get_webhook",
            "list_deliveries", "get_delivery",
            "list_team_variables", "list_project_variables", "list_my_variables", "get_variable",
            "list_memory_notes", "get_memory_note",
            "list_skill_packages", "get_skill_package", "download_skill_version", "list_session_skills",
            "list_connections", "get_connection", "list_connection_repositories", "list_connection_branches",
            "list_public_branches", "get_project_repository", "list_project_branches", "get_pull_request",
            "get_git_state", "get_changed_image", "get_changed_lines",
            "list_review_comments", "list_file_approvals", "get_context", "get_system_prompt",
            "get_session_config", "export_session_config", "list_session_commands",
            "list_file_changes", "get_revert", "list_session_commits",
            "list_comparisons", "get_comparison",
            "get_team_commits",
            "list_files", "open_file", "read_file", "find_files", "download_file",
            "download_folder",
            "get_mcp_tool_rules", "list_mcp_calls",
            "list_site_mcp_servers", "list_team_mcp_servers", "list_project_mcp_servers", "get_mcp_server",
            "get_mcp_server_log", "list_mcp_gallery", "list_my_mcp_servers", "list_declared_mcp_servers",
            "list_mcp_prompts", "list_mcp_resources", "list_session_marks", "list_ports",
        }
    ),
    Scope.WORK: frozenset(
        {
            "run_session_command", "run_session_shell",
            "create_memory_note", "update_memory_note", "delete_memory_note",
            "create_workspace", "remove_workspace", "start_workspace", "stop_workspace", "restart_workspace",
            "rebuild_workspace", "check_workspace", "stop_background_call", "keep_workspace", "export_workspace",
            "create_session", "fork_session", "update_session", "delete_session", "abort_session", "summarize_session",
            "set_session_mark",
            "submit_prompt", "get_mcp_prompt", "retry_turn", "choose_turn", "edit_prompt", "start_comparison",
            "change_queued_prompt", "withdraw_prompt", "switch_turn_model",
            "keep_attempt", "try_mcp_tool", "complete_mcp_prompt_argument",
            "open_pull_request", "refresh_pull_request", "send_and_wait", "compact_session",
            "commit_changes", "push_branch", "fix_pull_request", "draft_text",
            "create_review_comment", "update_review_comment", "delete_review_comment", "send_review",
            "approve_file", "withdraw_file_approval",
            "update_branch", "resolve_conflicts", "start_branch_session",
            "preview_revert", "revert_session", "preview_unrevert", "unrevert_session",
            "write_file", "upload_file", "move_file", "remove_file", "make_folder",
            "run_setup", "upload_attachment", "delete_attachment", "answer_question",
            "dismiss_question", "set_session_audience", "abort_private_session", "delete_private_session",
            "continue_session", "create_share_link", "revoke_share_link", "open_preview",
        }
    ),
    Scope.ANSWER: frozenset({"reply_permission_request", "revoke_grant"}),
    Scope.TERMINAL: frozenset({"list_terminals", "open_terminal", "close_terminal"}),
    Scope.ADMIN: frozenset(
        {
            "set_audit_retention",
            "create_site_agent", "create_team_agent", "create_project_agent", "update_agent", "delete_agent",
            "refresh_model_table", "reset_model_table",
            "put_configuration", "put_published_defaults", "read_published_defaults",
            "upload_skill_package", "update_skill_package", "delete_skill_package",
            "put_policy", "rollback_policy", "create_team", "update_team", "update_member", "remove_member",
            "transfer_ownership", "create_invitation", "resend_invitation", "revoke_invitation", "create_project",
            "update_project", "put_project_setup", "delete_team", "keep_team", "delete_project", "keep_project",
            "end_operator_access",
            # budgets, models and webhooks
            "create_budget", "update_budget", "delete_budget", "create_provider", "update_provider", "delete_provider",
            "replace_provider_key", "delete_provider_key", "test_provider", "find_provider_models",
            "begin_provider_sign_in",
            "check_provider_sign_in", "choose_team_models",
            "choose_project_models", "create_webhook", "update_webhook", "delete_webhook", "rotate_webhook_secret",
            "ping_webhook", "redeliver",
            "create_team_variable", "create_project_variable", "create_my_variable", "update_variable",
            "delete_variable", "choose_project_image",
            "create_connection", "update_connection", "replace_connection_credential", "test_connection",
            "revoke_connection", "delete_connection", "put_project_repository", "delete_project_repository",
            "put_team_commits", "replace_signing_key",
            "create_site_mcp_server", "create_team_mcp_server", "create_project_mcp_server", "update_mcp_server",
            "delete_mcp_server", "accept_mcp_server_tools", "check_mcp_server", "create_my_mcp_server",
            "sign_in_to_mcp_server", "sign_out_of_mcp_server",
            "create_upload", "send_upload_part", "delete_upload", "create_project_of_upload", "set_project_files",
        }
    ),
    Scope.TOKENS: frozenset(
        {
            "list_tokens", "create_token", "delete_token", "list_service_accounts", "create_service_account",
            "get_service_account", "update_service_account", "delete_service_account", "list_service_tokens",
            "create_service_token",
        }
    ),
}  # fmt: skip

FRAMES: Final[Mapping[Scope, frozenset[str]]] = {
    Scope.READ: frozenset({"hello", "ping", "part.get", "call.get"}),
    Scope.WORK: frozenset({"prompt", "prompt.change", "prompt.withdraw", "abort", "question.reply", "question.reject"}),
    Scope.ANSWER: frozenset({"permission.reply"}),
    Scope.TERMINAL: frozenset({"input", "resize", "taken"}),
}

_OF_OPERATION: Final = {name: scope for scope, names in OPERATIONS.items() for name in names}
_OF_FRAME: Final = {name: scope for scope, names in FRAMES.items() for name in names}


def scope_of_operation(name: str) -> Scope | None:
    """Return the scope that an API token must have for an operation; None if no API token may call it."""
    return None if name in NOT_WITH_TOKEN else _OF_OPERATION.get(name, Scope.ADMIN)


def scope_of_frame(name: str) -> Scope:
    return _OF_FRAME.get(name, Scope.ADMIN)


def in_order(scopes: Iterable[str]) -> list[str]:
    """Return the scopes without duplicates, in the order of `Scope`. Raises ValueError for an unknown scope."""
    wanted = {Scope(scope) for scope in scopes}
    return [scope.value for scope in Scope if scope in wanted]
