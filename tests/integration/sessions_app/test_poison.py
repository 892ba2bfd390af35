"""A step or tool call that kills its worker process at every attempt is ended, and the reason is reported."""

import uuid

from sessions_app.actions.calls import INTERRUPTED, find_call
from sessions_app.actions.turns import MAX_FAILED_ATTEMPTS, begin_step
from sessions_app.models import ToolCall, Turn
from sessions_app.queueing import enqueue_call
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite, snapshot_of, verify_events
from tests.support.workers import acquire, until_called


def test_a_step_that_kills_its_worker_each_time_ends_the_turn_with_the_reason(site: SessionSite) -> None:
    session = site.open_session()
    turn = site.prompt(session)
    before = snapshot_of(session.id)
    tries = 0
    while begin_step(turn.id, token=uuid.uuid4().hex, model="demo") is not None:
        site.abandon()
        tries += 1
        assert tries <= MAX_FAILED_ATTEMPTS + 1
    turn.refresh_from_db()
    assert turn.state == Turn.State.FAILED
    assert turn.error is not None
    assert turn.error["code"] == "step_kills_worker"
    verify_events(session.id, before)


def test_a_call_that_kills_its_worker_each_time_is_answered_to_the_model(site: SessionSite) -> None:
    script = site.script(calls(tool_call("read", filePath="a.txt")), text("So be it."))
    call = until_called(site, site.open_session())
    for _ in range(4):
        held = find_call(call.id, token=uuid.uuid4().hex, now=call.created_at)
        assert held is not None
        assert acquire(held)
        ToolCall.objects.filter(pk=call.pk).update(lease_until=call.created_at.replace(year=2000))
    enqueue_call(call.id, node=site.workspace.node)
    site.pump.run()
    call.refresh_from_db()
    assert (call.state, call.output) == (ToolCall.State.ERROR, INTERRUPTED)
    assert INTERRUPTED in script.requests(at_least=2)[1]["body"]["messages"][-1]["content"]
