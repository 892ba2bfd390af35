"""Ids decide which messages a model has seen, so they must stay in order even if the clocks of machines differ."""

from datetime import timedelta

import time_machine
from django.utils import timezone

from sessions_app.actions.turns import begin_step
from sessions_app.models import Message, Turn
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite


def test_a_prompt_from_a_machine_whose_clock_is_behind_comes_after_the_answer_being_made(site: SessionSite) -> None:
    session = site.open_session()
    turn = site.prompt(session, "Begin.")
    step = begin_step(turn.id, token="a", model="demo")
    assert step is not None
    with time_machine.travel(timezone.now() - timedelta(hours=1)):
        site.prompt(session, "And this.")
    newest = Message.objects.filter(session=session).latest("id")
    assert newest.parts.get().text == "And this."
    assert newest.id > step.message_id


def test_a_prompt_from_a_machine_whose_clock_is_ahead_is_answered_and_answered_once(site: SessionSite) -> None:
    script = site.script(calls(tool_call("todoread")), text("Both."))
    session = site.open_session()
    with time_machine.travel(timezone.now() + timedelta(hours=1)):
        turn = site.prompt(session, "From the future.")
    site.pump.run()
    turn.refresh_from_db()
    assert turn.state == Turn.State.COMPLETED
    assert len(script.requests(at_least=2)) == 2
    assert script.requests()[0]["body"]["messages"][-1]["content"] == "From the future."
