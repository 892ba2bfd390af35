"""The permission engine's decision on a tool call, as stored on the call's row and in the audit log."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from agentsite.base.ids import to_public
from sessions_app.events.log import SessionWrite
from sessions_app.models import ToolCall
from sessions_app.policy import judgement_of
from tools_app.gate import Verdict
from tools_app.spec import PermissionNeed

MAX_AUDITED_CHARACTERS: Final = 400  # of one text; the tool call keeps the whole text


@dataclass(frozen=True, slots=True)
class CallDecision:
    """A decision of the permission engine. `answered` are the requests with which people allowed this call; `reason`
    says why a call that needs permission was refused without a request."""

    verdict: Verdict
    needs: Sequence[PermissionNeed]
    versions: tuple[int, int, int]
    answered: tuple[str, ...] = ()
    reason: str = ""

    @property
    def columns(self) -> dict[str, Any]:
        """Columns for the update that starts, parks or refuses the call."""
        deciding = self.verdict.deciding
        return {
            "decision": deciding.as_dict() if deciding else None,
            "judgement": judgement_of(self.verdict, self.needs, self.versions),
        }

    def record(self, write: SessionWrite, call: ToolCall) -> None:
        """Record the decision in the team's audit log. Reads `call.session.project`."""
        write.audit(
            "call.decided", team_id=call.session.project.team_id, subject=call.public_id, data=self._for_audit(call)
        )

    def _for_audit(self, call: ToolCall) -> dict[str, Any]:
        deciding = self.verdict.deciding
        data: dict[str, Any] = {
            "session": to_public("ses", call.session_id),
            "tool": call.tool[:MAX_AUDITED_CHARACTERS],
            "action": self.verdict.action,
            "policies": list(self.versions),
        }
        if deciding is not None:
            shown = deciding.as_dict()
            data |= {name: bounded(shown[name]) for name in ("permission", "pattern", "rule", "layer")}
        if self.answered:
            data["answered"] = list(self.answered)
        if self.reason:
            data["reason"] = self.reason
        return data


def bounded(value: Any) -> Any:
    """Truncate all texts to the length that the audit log keeps."""
    if isinstance(value, str):
        return value[:MAX_AUDITED_CHARACTERS]
    if isinstance(value, dict):
        return {name: bounded(item) for name, item in value.items()}
    return value
