"""Calls to agents that a person mentioned in the prompt need no further permission."""

from agentsite.tenancy.access import can
from agentsite.tenancy.roles import Act
from sessions_app.actions.decisions import is_of_limit
from sessions_app.models import Part, ToolCall
from tools_app.gate import Verdict
from tools_app.policies.current import Policies
from tools_app.spec import PermissionNeed

SINGLE_APPROVER_RULES = ("member", "starter")


def needs_of_mentioned_agents(call: ToolCall, verdict: Verdict, policies: Policies) -> list[PermissionNeed]:
    """Return the needs for agents that a prompt of the turn mentions, if its author could have approved the request.

    A limit that requires a request still applies. `call.session.project` must be loaded.
    """
    if not any(need.permission == "task" for need in verdict.asked) or not _one_approval_suffices(verdict, policies):
        return []
    parts = Part.objects.filter(message__turn_id=call.turn_id, type=Part.Type.AGENT).select_related("message__author")
    team_id = call.session.project.team_id
    named = [part for part in parts if part.message.author and can(part.message.author, Act.ANSWER, team_id=team_id)]
    return [PermissionNeed("task", (part.data["agent"],)) for part in named]


def _one_approval_suffices(verdict: Verdict, policies: Policies) -> bool:
    limited = any(is_of_limit(each.decision) for each in verdict.decisions if each.decision.action == "ask")
    return policies.approvers in SINGLE_APPROVER_RULES and not limited
