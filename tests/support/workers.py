"""Actions of workers in single steps, so that tests can let a worker die between them."""

import uuid

from django.utils import timezone

from sessions_app.actions.calls import AdmittedCall, CallResult, HeldCall, acquire_calls, complete_calls, find_call
from sessions_app.actions.decisions import CallDecision
from sessions_app.models import Session, ToolCall, Turn
from tests.support.model_server import tool_call
from tests.support.session_site import SessionSite

COUNT = tool_call("bash", command="echo ran >> counter.txt")


def token() -> str:
    return uuid.uuid4().hex


def found(call: ToolCall) -> HeldCall:
    held = find_call(call.id, token=token(), now=timezone.now())
    assert held is not None
    return held


def acquire(held: HeldCall, decision: CallDecision | None = None) -> bool:
    return bool(acquire_calls([AdmittedCall(held, decision, "")]))


def complete(held: HeldCall, output: str) -> bool:
    return bool(complete_calls([(held, CallResult("Done", output, {}))]))


def taken(call: ToolCall) -> HeldCall:
    held = found(call)
    assert acquire(held)
    return held


def runs(site: SessionSite) -> int:
    counter = site.files / "counter.txt"
    return len(counter.read_text().splitlines()) if counter.exists() else 0


def until_called(site: SessionSite, session: Session) -> ToolCall:
    """Run a turn until its first step has requested one call, which has not begun; return the call."""
    turn = site.prompt(session)
    site.pump.run(until=ToolCall.objects.exists)
    site.pump.lose()
    (call,) = site.calls(turn)
    return call


def finish(site: SessionSite, turn_id: uuid.UUID) -> Turn:
    site.pump.run()
    return Turn.objects.get(pk=turn_id)
