"""Let a person try a tool of an MCP server on the server's page, under the same rules as agents."""

import json
import time
import uuid
from collections.abc import Mapping
from typing import Any, Final

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import BadInput, Missing, NotAllowed, Stale
from agentsite.tenancy import audit
from agentsite.tenancy.access import require
from agentsite.tenancy.models import Membership, Project, User
from agentsite.tenancy.roles import Act
from sessions_app.actions.approvers import WHO_MAY_ANSWER, answerer, unmet_rule
from sessions_app.models import McpServer, Session, Workspace
from sessions_app.policy import judge_needs, session_policies
from sessions_app.queries.explanation import needs_without_workspace, unsaved_session
from sessions_app.queries.questions import McpTryQuestion
from sessions_app.revisions import TurnPerson
from sessions_app.server_tools import ServerScope, nearest_servers, session_servers, tools_of_servers
from sessions_app.toolset import session_catalogue
from tools_app.gate import Verdict, denial_reasons
from tools_app.mcp.tool import McpTool
from tools_app.permission.model import Action
from tools_app.policies.current import Policies

TAKEN_WITHIN_SECONDS: Final = 20.0  # for a sandbox worker to take the call; it does not take an older one


def find_server(session: Session, person: User, server_id: str) -> McpServer:
    """Return the MCP server with this id, if the person's turns in the session use it. Raises Missing."""
    rows = nearest_servers(ServerScope.of(session.workspace, person.pk))
    found = next((row for row in rows if row.public_id == server_id), None)
    if found is None:
        raise Missing("There is no such MCP server here, or another server with the same name is used instead.")
    return found


def tools_of(session: Session, person: User, row: McpServer) -> list[McpTool]:
    """Return the tools of an MCP server that can be used in the person's turns; an empty list if the server is not
    enabled."""
    tools = [sourced.tool for sourced in tools_of_servers(session_servers(session, TurnPerson(person.pk)))]
    return [tool for tool in tools if isinstance(tool, McpTool) and tool.server.id == row.public_id]


def session_for_tries(project: Project, workspace: Workspace) -> Session:
    """Return an unsaved session for trying MCP tools. It is equal to a session that a person would start in the
    workspace now."""
    session = unsaved_session(project, "")
    session.workspace = workspace
    return session


def admit_try(
    *, actor: User, workspace: Workspace, server_id: str, tool_id: str, arguments: Mapping[str, Any], confirmed: bool
) -> tuple[McpServer, McpTryQuestion]:
    """Decide by the project's rules whether a person may call a tool of an MCP server, record the decision in the audit
    log, and return the server and the request for the workspace's sandbox worker.

    A call that the rules deny is refused. If the rules ask, `confirmed` says that the person confirmed the call, which
    suffices only if the policy lets this person approve it alone. Raises Missing, BadInput, NotAllowed, Stale.
    """
    project = workspace.project
    membership = require(actor, Act.PROMPT, team_id=project.team_id)
    session = session_for_tries(project, workspace)
    row = find_server(session, actor, server_id)
    if not row.enabled:
        raise Stale("This MCP server is disabled.", hint="Enable it first.")
    tool = next((each for each in tools_of(session, actor, row) if each.id == tool_id), None)
    if tool is None:
        raise BadInput(f"The server has no tool '{tool_id[:64]}'.", fields={"tool": "unknown"})
    tools = session_catalogue(session, TurnPerson(actor.pk))
    needs = needs_without_workspace(tool_id, arguments, tools, agent=session.agent)
    verdict = judge_needs(session, needs)
    _require_permission(membership, session, verdict, confirmed=confirmed)
    audit.record(
        team_id=project.team_id,
        actor=actor,
        action="mcp_server.tool_tried",
        subject=row.public_id,
        data={"name": row.name, "tool": tool.tool.name, "decision": verdict.action},
        project_id=project.pk,
    )
    return row, McpTryQuestion(
        id=uuid.uuid4().hex,
        until=time.time() + TAKEN_WITHIN_SECONDS,
        person=actor.pk,
        tool=tool_id,
        digest=tool.tool.digest,
        arguments=json.dumps(dict(arguments)),
    )


def try_refusal(membership: Membership | None, policies: Policies, action: Action) -> str:
    """Return the reason why a person may not make a call for which the rules decided `action`; "" if the person may
    make it."""
    if membership is None or not membership.may(Act.PROMPT):
        return "Your role may not call tools."
    if action == "allow":
        return ""
    if action == "deny":
        return "The rules deny this call."
    if policies.approvers == "two_people":
        return "Two people must approve such a call."
    if wanted := unmet_rule(answerer(membership, started=True), policies.approvers, policies.all_approvers):
        return f"Only {WHO_MAY_ANSWER[wanted].rstrip(',')} may approve such a call."
    return ""


def _require_permission(membership: Membership, session: Session, verdict: Verdict, *, confirmed: bool) -> None:
    if refusal := try_refusal(membership, session_policies(session), verdict.action):
        reasons = denial_reasons(verdict)
        raise NotAllowed(" ".join([refusal, *(f"{reason}." for reason in reasons)]))
    if verdict.action == "ask" and not confirmed:
        raise Stale("The rules ask before this call.", code=ErrorCode.CONFIRMATION_NEEDED)
