"""Tool calls that a person requested in the prompt: typed commands, mentioned agents and mentioned resources. Such
calls need no further permission."""

from agentsite.base.ids import from_public
from agentsite.tenancy.access import can
from agentsite.tenancy.models import User
from agentsite.tenancy.roles import Act
from sessions_app.actions.decisions import is_of_limit
from sessions_app.models import Message, Part, ToolCall
from tools_app.gate import Verdict
from tools_app.policies.current import Policies
from tools_app.spec import PermissionNeed

RESOURCE = "mcp_read_resource"
SINGLE_APPROVER_RULES = ("member", "starter")


def needs_of_people(call: ToolCall, verdict: Verdict, policies: Policies) -> list[PermissionNeed]:
    """Return the permissions of a call that need no request because a person has already asked for the call: all
    permissions if the person typed the call and could have approved it, or the permissions to start agents that a
    prompt mentions.

    A limit that demands a permission request still applies. `call.session.project` must be loaded.
    """
    if typed_by := call.metadata.get("person"):
        person = User.objects.filter(pk=from_public(User.PREFIX, typed_by)).first()
        may = person is not None and can(person, Act.ANSWER, team_id=call.session.project.team_id)
        return list(verdict.asked) if may and _one_approval_suffices(verdict, policies) else []
    return _needs_of_mentioned_agents(call, verdict, policies)


def _needs_of_mentioned_agents(call: ToolCall, verdict: Verdict, policies: Policies) -> list[PermissionNeed]:
    """Return the permissions needed to start the agents that prompts of the turn mention. Mentions by an author who
    could not have approved the call are left out."""
    if not any(need.permission == "task" for need in verdict.asked) or not _one_approval_suffices(verdict, policies):
        return []
    parts = Part.objects.filter(message__turn_id=call.turn_id, type=Part.Type.AGENT).select_related("message__author")
    team_id = call.session.project.team_id
    named = [part for part in parts if part.message.author and can(part.message.author, Act.ANSWER, team_id=team_id)]
    return [PermissionNeed("task", (part.data["agent"],)) for part in named]


def needs_of_mentioned_resources(call: ToolCall, verdict: Verdict, policies: Policies) -> list[PermissionNeed]:
    """Return the permissions to read resources of MCP servers that need no request, because a prompt of the turn
    mentions them as `@server:address` and its author could have approved the call. `call.session.project` must be
    loaded."""
    asked = [pattern for need in verdict.asked if need.permission == RESOURCE for pattern in need.patterns]
    if not asked or not _one_approval_suffices(verdict, policies):
        return []
    rows = Part.objects.filter(message__turn_id=call.turn_id, message__role=Message.Role.USER, type=Part.Type.TEXT)
    team_id = call.session.project.team_id
    written = [
        part.text
        for part in rows.select_related("message__author")
        if part.message.author and can(part.message.author, Act.ANSWER, team_id=team_id)
    ]
    words = {word for text in written for word in text.split()}
    return [PermissionNeed(RESOURCE, (each,)) for each in asked if f"@{each.replace(' ', ':', 1)}" in words]


def _one_approval_suffices(verdict: Verdict, policies: Policies) -> bool:
    limited = any(is_of_limit(each.decision) for each in verdict.decisions if each.decision.action == "ask")
    return policies.approvers in SINGLE_APPROVER_RULES and not limited
