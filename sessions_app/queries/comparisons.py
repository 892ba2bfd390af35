"""Read the attempts of a comparison: their last turns, and the outcome of the test command."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from agentsite.tenancy.models import User
from sessions_app.models import Comparison, Session, ToolCall, Turn

TestOutcome = Literal["", "not_run", "running", "passed", "failed"]


@dataclass(frozen=True, slots=True)
class Attempt:
    """A session of a comparison with its newest turn. `outcome` is the result of the test command ("" if there is
    none), and `exit_code` its exit status."""

    session: Session
    turn: Turn | None
    outcome: TestOutcome
    exit_code: int | None


def attempts_of(comparison: Comparison, user: User) -> list[Attempt]:
    """Return the attempts of a comparison that the user can see, in the order in which they were started."""
    rows = Session.objects.visible_to(user).filter(comparison=comparison).select_related("created_by", "workspace")
    sessions = list(rows.order_by("id"))
    turns = _newest(Turn.objects.filter(session__in=sessions, hidden_with=None).order_by("id"))
    command = comparison.test_command.strip()
    tests = _newest(
        call
        for call in ToolCall.objects.filter(session__in=sessions, tool="bash", turn__hidden_with=None)
        .defer("judgement", "output", "live_output")
        .order_by("id")
        if command and str(call.arguments.get("command", "")).strip() == command
    )
    return [
        Attempt(row, turns.get(row.pk), *(_outcome(tests.get(row.pk)) if command else ("", None)))  # type: ignore[arg-type]
        for row in sessions
    ]


def _newest(rows: Iterable[Turn | ToolCall]) -> Mapping[object, object]:
    return {row.session_id: row for row in rows}


def _outcome(call: ToolCall | None) -> tuple[TestOutcome, int | None]:
    if call is None:
        return "not_run", None
    if call.state in ToolCall.OPEN:
        return "running", None
    code = call.metadata.get("exit_code")
    passed = call.state == ToolCall.State.COMPLETED and code == 0
    return ("passed" if passed else "failed"), code if isinstance(code, int) else None
