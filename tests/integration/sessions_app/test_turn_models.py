"""A person can choose another model to continue a turn whose model does not answer."""

import pytest

from deploy.demo_model.scripts import Step
from sessions_app.actions.turns import LeaseLost, begin_step, open_message
from sessions_app.models import Message, Turn
from tests.integration.sessions_app.test_fallback_models import notes, provider, use
from tests.support.model_server import text
from tests.support.rest_api import RestApi
from tests.support.session_site import SessionSite, snapshot_of, verify_events

pytestmark = pytest.mark.one_database

BROKEN = Step(fault="status", status=500)


@pytest.fixture
def api(site: SessionSite) -> RestApi:
    return RestApi(site.user)


def test_the_chosen_model_continues_at_once(site: SessionSite, api: RestApi) -> None:
    first, second = site.model_server.script(BROKEN), site.model_server.script(text("Here I am."))
    provider(site, "one", first, retries=4)
    provider(site, "two", second)
    session = use(site, f"one/{first.model}")
    before = snapshot_of(session.pk)
    turn = site.run_prompt(session=session)
    assert turn.not_before is not None
    (note,) = notes(turn)
    assert {**note, "message": "", "next_at": ""} == {"attempt": 1, "of": 5, "message": "", "next_at": ""}
    api("post", f"/turns/{turn.public_id}/model", {"model": f"two/{second.model}"})
    site.pump.run()
    turn.refresh_from_db()
    assert turn.state == Turn.State.COMPLETED
    assert [answer.model for answer in site.answers(turn)] == [f"one/{first.model}", f"two/{second.model}"]
    chosen = notes(turn)[-1]
    assert (chosen["next"], chosen["by"]) == (f"two/{second.model}", site.user.public_id)
    session.refresh_from_db()
    assert session.model == f"one/{first.model}"
    verify_events(session.pk, before)


def test_what_a_silent_model_says_later_is_dropped(site: SessionSite, api: RestApi) -> None:
    second = site.model_server.script(text("Here I am."))
    provider(site, "two", second)
    session = site.open_session()
    before = snapshot_of(session.pk)
    turn = site.prompt(session)
    step = begin_step(turn.pk, token="a", model="demo")
    assert step is not None
    api("post", f"/turns/{turn.public_id}/model", {"model": f"two/{second.model}"})
    with pytest.raises(LeaseLost):
        open_message(step, [])
    site.pump.run()
    turn.refresh_from_db()
    assert turn.state == Turn.State.COMPLETED
    assert [answer.state for answer in site.answers(turn)] == [Message.State.INTERRUPTED, Message.State.COMPLETE]
    verify_events(session.pk, before)


def test_a_model_that_is_not_offered_and_a_turn_that_has_ended_are_refused(site: SessionSite, api: RestApi) -> None:
    session = site.open_session()
    turn = site.prompt(session)
    error = api.error("post", f"/turns/{turn.public_id}/model", {"model": "no/such"}, expect=400)
    assert error["fields"] == {"model": "not offered"}
    api("post", f"/sessions/{session.public_id}/abort", expect=202)
    model = site.settings.MODEL_NAME
    error = api.error("post", f"/turns/{turn.public_id}/model", {"model": model}, expect=409)
    assert error["message"] == "This turn has ended."
