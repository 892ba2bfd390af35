"""Reuse approvals when the model repeats a shell command because the door refused a connection or a push of the first
run, and a person has allowed it since."""

from typing import Any, Final

from sessions_app.actions.decisions import is_of_limit
from sessions_app.models import PermissionRequest, ToolCall
from tools_app.gate import Verdict, need_from_dict
from tools_app.network.judging import PERMISSION as EGRESS
from tools_app.permission.pushes import PERMISSION as GIT_PUSH
from tools_app.spec import PermissionNeed

TOOL: Final = "bash"
ASKED_AFTERWARDS: Final = {EGRESS, GIT_PUSH}
"""Permissions that the door judges while a command runs."""
SAID_ELSEWHERE: Final = ("description", "timeout")
"""Arguments of the tool that do not change the effect of the command."""


def needs_of_run_before(call: ToolCall, verdict: Verdict) -> list[PermissionNeed]:
    """Return the permissions that people approved for the turn's previous call, if this call repeats that call's shell
    command because the door had refused a connection or a push that a person has approved since.

    Returns nothing if another call ran in between, because it may have changed the effect of the command, or if a limit
    demands a permission request.
    """
    if call.tool != TOOL or any(is_of_limit(each.decision) for each in verdict.decisions):
        return []
    others = ToolCall.objects.filter(session=call.session_id, turn=call.turn_id).exclude(pk=call.pk)
    last = others.order_by("-id").only("id", "tool", "arguments").first()
    if last is None or last.pk > call.pk or last.tool != TOOL or _run(last.arguments) != _run(call.arguments):
        return []
    yes = (PermissionRequest.State.ONCE, PermissionRequest.State.ALWAYS)
    answered = PermissionRequest.objects.filter(call=last.pk, state__in=yes).values_list("needs", flat=True)
    approved = [need_from_dict(need) for needs in answered for need in needs]
    return approved if any(_was_asked_afterwards(need) for need in approved) else []


def _run(arguments: Any) -> Any:
    return {name: value for name, value in dict(arguments).items() if name not in SAID_ELSEWHERE and value is not None}


def _was_asked_afterwards(need: PermissionNeed) -> bool:
    return need.permission in ASKED_AFTERWARDS and not need.metadata.get("along")
