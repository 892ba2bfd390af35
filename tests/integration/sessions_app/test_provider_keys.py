"""Each attempt at a model call is recorded once with its cost, even if a process dies."""

import uuid
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from deploy.demo_model.scripts import Step
from sessions_app.actions.turns import begin_step
from sessions_app.llm.port import ModelEndpoint
from sessions_app.llm.prices import ModelFacts, Prices
from sessions_app.models import ModelCall, Session
from sessions_app.spending.reservations import RELEASED, Settlement, settle_abandoned, settle_alone
from sessions_app.workers.agent import model_calls
from tests.support.model_server import calls, text, tool_call
from tests.support.rest_api import RestApi
from tests.support.session_site import SessionSite
from tests.support.sub_agents import ask, child_of, scripts_of
from tests.support.threads import race

PRICED = ModelFacts(
    context=100_000,
    max_output=1_000,
    tiers=(
        Prices(0, *(Decimal("0.000001"), Decimal("0.000004"), Decimal("0.000004")), Decimal(0), Decimal("0.000001")),
    ),
)
USED = {"prompt_tokens": 1000, "completion_tokens": 100}


@pytest.fixture
def priced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the prices: one dollar for a million input tokens, four for a million output tokens; the small model stays
    free."""

    def facts_of(place: ModelEndpoint) -> ModelFacts:
        return PRICED if place.model != "demo-small" else replace(PRICED, tiers=(Prices(0, *[Decimal(0)] * 5),))

    monkeypatch.setattr(model_calls, "facts_of", facts_of)


def recorded(**which: Any) -> list[ModelCall]:
    return list(ModelCall.objects.filter(**which).order_by("id"))


def test_a_step_is_recorded_with_what_it_cost_and_for_whom(site: SessionSite, priced: None) -> None:
    site.script(text("Hello", usage=USED))
    turn = site.run_prompt()
    (call,) = recorded(purpose="step")
    assert (call.state, call.cost, call.input_tokens, call.output_tokens) == ("settled", Decimal("0.0014"), 1000, 100)
    assert (call.team, call.project, call.turn, call.user) == (site.team, site.project, turn, site.user)
    assert (call.session_id, call.root_session_id) == (turn.session_id, turn.session_id)
    assert call.message_id == site.answers(turn)[0].pk
    assert call.reserved > Decimal("0.0014")
    assert Session.objects.get(pk=turn.session_id).cost == call.cost
    assert site.answers(turn)[0].cost == call.cost


def test_calls_of_unknown_price_are_counted_by_answer_and_session_and_never_free(site: SessionSite) -> None:
    site.script(text("Hello", usage=USED), text("Hello again", usage=USED))
    turn = site.run_prompt()
    site.run_prompt("And now?", session=turn.session)
    api = RestApi(site.user)
    seen = api("get", f"/sessions/{turn.session.public_id}/snapshot")
    answers = [message for message in seen["messages"] if message["role"] == "assistant"]
    assert [(message["cost"], message["unpriced_calls"]) for message in answers] == [(0, 1), (0, 1)]
    assert (seen["session"]["cost"], seen["session"]["unpriced_calls"]) == (0, 2)


def test_calls_of_known_price_are_not_counted_as_unknown(site: SessionSite, priced: None) -> None:
    site.script(text("Hello", usage=USED))
    turn = site.run_prompt()
    assert site.answers(turn)[0].unpriced_calls == 0
    assert Session.objects.get(pk=turn.session_id).unpriced_calls == 0


def test_a_title_and_a_summary_are_recorded_for_who_prompted(site: SessionSite, priced: None) -> None:
    site.script(text("Hello", usage=USED))
    session = site.open_session(title="")
    site.run_prompt(session=session)
    site.pump.collect("sessions.write_summary", str(session.pk), queue="agent")
    site.pump.run()
    found = recorded(purpose__in=("title", "summary"))
    assert [(call.purpose, call.state, call.user) for call in found] == [
        ("title", "settled", site.user),
        ("summary", "settled", site.user),
    ]


def test_each_try_of_a_call_that_failed_is_a_call_of_its_own(site: SessionSite, priced: None) -> None:
    site.script(Step(fault="status", status=500), text("Now.", usage=USED))
    site.run_prompt()
    site.skip_waits()
    site.recover()
    site.pump.run()
    failed, done = recorded(purpose="step")
    assert (failed.state, failed.cost, failed.input_tokens) == ("released", Decimal(0), 0)
    assert (done.state, done.cost) == ("settled", Decimal("0.0014"))


def test_an_answer_that_broke_off_is_paid_for_as_far_as_it_came(site: SessionSite, priced: None) -> None:
    site.script(Step(text="Half of a sent", chunk_size=4, fault="cut", fault_after=2), text("Whole."))
    turn = site.run_prompt()
    (call,) = recorded(purpose="step")
    assert (call.state, call.is_estimated, call.output_tokens) == ("settled", True, 8)
    assert call.cost is not None
    assert 0 < call.cost < call.reserved
    assert Session.objects.get(pk=turn.session_id).cost == call.cost


def test_a_call_whose_worker_was_killed_is_settled_once_at_its_most(
    site: SessionSite, priced: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.script(text("Never kept.", usage=USED), text("Kept.", usage=USED))

    def die(*_args: Any, **_more: Any) -> None:
        raise SystemExit

    with monkeypatch.context() as patch:
        patch.setattr(model_calls, "settle_alone", die)
        patch.setattr("sessions_app.workers.agent.step.finish_step", die)
        with pytest.raises(SystemExit):
            site.run_prompt()
    (lost,) = recorded()
    later = timezone.now() + timedelta(seconds=60)
    assert lost.state == "reserved"
    assert sorted(race(*[lambda: settle_abandoned(later)] * 4)) == [0, 0, 0, 1]
    lost.refresh_from_db()
    assert (lost.state, lost.cost, lost.is_estimated) == ("settled", lost.reserved, True)
    site.abandon()
    site.recover()
    site.pump.run()
    paid = recorded()
    assert [call.state for call in paid] == ["settled", "settled"]
    assert lost.session is not None
    assert Session.objects.get(pk=lost.session.pk).cost == sum(call.cost or 0 for call in paid)


def test_a_call_that_is_being_made_is_left_alone(site: SessionSite) -> None:
    turn = site.prompt(site.open_session())
    step = begin_step(turn.pk, token="a", model="demo")
    assert step is not None
    call = ModelCall.objects.create(
        team=site.team, session=step.session, turn=turn, token="a", purpose="step", model="demo", at=timezone.now()
    )
    assert settle_abandoned(timezone.now() + timedelta(seconds=10)) == 0
    ModelCall.objects.filter(pk=call.pk).update(at=timezone.now() - timedelta(minutes=30))
    assert settle_abandoned(timezone.now()) == 0


def test_a_sub_agents_calls_count_for_the_session_at_the_top(site: SessionSite, priced: None) -> None:
    parent, _ = scripts_of(
        site,
        parent=[calls(ask("general", "Look"), usage=USED), text("Done.", usage=USED)],
        child=[text("I looked.", usage=USED)],
    )
    turn = site.run_prompt(parent.marker)
    found = recorded(purpose="step")
    assert len(found) == 3
    assert {(call.root_session_id, call.user) for call in found} == {(turn.session_id, site.user)}
    assert child_of(turn).pk in {call.session_id for call in found}


def test_the_record_outlives_its_session(site: SessionSite, priced: None) -> None:
    site.script(text("Hello", usage=USED))
    turn = site.run_prompt()
    public_id = turn.session.public_id
    turn.session.delete()
    (call,) = recorded(purpose="step")
    assert (call.session, call.turn, call.session_public_id) == (None, None, public_id)
    assert (call.cost, call.team) == (Decimal("0.0014"), site.team)


def test_a_model_without_a_price_has_cost_nothing_that_anybody_knows(site: SessionSite, monkeypatch: Any) -> None:
    monkeypatch.setattr(model_calls, "facts_of", lambda _place: ModelFacts())
    site.script(text("Hello", usage=USED))
    site.run_prompt()
    (call,) = recorded(purpose="step")
    assert (call.is_priced, call.cost, call.input_tokens) == (False, None, 1000)


@pytest.mark.parametrize("usage", [{"prompt_tokens": 10**30, "completion_tokens": -5}, {"prompt_tokens": 1.5}])
def test_counts_that_no_database_holds_do_no_harm(site: SessionSite, priced: None, usage: dict[str, Any]) -> None:
    site.script(text("Hello", usage=usage))
    turn = site.run_prompt()
    assert turn.state == "completed"
    (call,) = recorded(purpose="step")
    assert call.state == "settled"


def test_what_was_read_with_a_tool_in_between_is_bounded_by_what_was_counted(site: SessionSite, priced: None) -> None:
    step = calls(tool_call("todoread"), usage={"prompt_tokens": 900, "completion_tokens": 100})
    site.script(step, text("Done.", usage=USED))
    site.run_prompt(session=site.open_session(allow=("todoread",)))
    first, second = recorded(purpose="step")
    assert first.bound_input > 5_000
    assert 1_000 < second.bound_input < 2_000


@pytest.mark.parametrize("outcome", [RELEASED, Settlement({"input": 1}, Decimal(1))])
def test_a_settled_call_is_not_settled_again(site: SessionSite, outcome: Settlement) -> None:
    session = site.open_session()
    call = ModelCall.objects.create(
        team=site.team, session=session, purpose="title", model="demo", at=timezone.now(), reserved=Decimal(2)
    )
    assert settle_alone(call, session.pk, outcome)
    assert not settle_alone(call, session.pk, Settlement({"input": 7}, Decimal(5)))
    call.refresh_from_db()
    session.refresh_from_db()
    assert call.cost == session.cost == outcome.cost
    assert not settle_alone(ModelCall(id=uuid.uuid4()), session.pk, RELEASED)
