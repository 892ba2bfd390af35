"""Fallback models: the failures that move a turn to the next model, their display, and the limits that still apply."""

from decimal import Decimal
from urllib.parse import urlsplit

import pytest

from agentsite.base.errors import BadInput
from agentsite.tenancy.actions.model_choices import Choice, choose_models
from agentsite.tenancy.actions.providers import create_provider
from agentsite.tenancy.models import Provider
from agentsite.tenancy.provider_document import ModelPrices, ProviderDocument, ProviderModel
from deploy.demo_model.scripts import Step
from sessions_app.models import Budget, Message, ModelCall, Part, Session, Turn
from tests.support.model_server import PostedScript, text
from tests.support.rest_api import RestApi
from tests.support.session_site import SessionSite, snapshot_of, verify_events

pytestmark = pytest.mark.one_database

REFUSED = Step(fault="status", status=401, body='{"error": "no"}')
BROKEN = Step(fault="status", status=500)
CUT = Step(text="Half of a sent", chunk_size=4, fault="cut", fault_after=2)


def provider(site: SessionSite, slug: str, *scripts: PostedScript, retries: int = 0, priced: bool = True) -> Provider:
    """Create a provider of the team whose models are scripts of the scripted server."""
    site.settings.PROVIDER_ALLOW = [urlsplit(site.model_server.base_url).netloc]
    prices = ModelPrices(input=Decimal(1), output=Decimal(2)) if priced else None
    document = ProviderDocument(
        name=slug.title(), kind="openai_compatible", base_url=site.model_server.base_url, retries=retries,
        models=[ProviderModel(name=script.model, prices=prices, context=50_000) for script in scripts],
    )  # fmt: skip
    return create_provider(actor=site.user, team=site.team, slug=slug, key="sk-test-0123456789", document=document)


def use(site: SessionSite, model: str, *fallbacks: str) -> Session:
    choose_models(actor=site.user, team=site.team, choice=Choice(fallbacks=fallbacks))
    session = site.open_session()
    Session.objects.filter(pk=session.pk).update(model=model)
    session.refresh_from_db()
    return session


def notes(turn: Turn) -> list[dict[str, str]]:
    rows = Part.objects.filter(message__turn=turn, type=Part.Type.RETRY).order_by("id")
    return [row.data for row in rows]


@pytest.mark.parametrize("failure", [REFUSED, BROKEN, CUT])
def test_a_turn_whose_model_failed_for_good_continues_with_the_next(site: SessionSite, failure: Step) -> None:
    first, second = site.model_server.script(failure), site.model_server.script(text("Here I am."))
    provider(site, "one", first)
    provider(site, "two", second)
    session = use(site, f"one/{first.model}", f"two/{second.model}")
    before = snapshot_of(session.pk)
    turn = site.run_prompt(session=session)
    assert turn.state == Turn.State.COMPLETED
    failed, answer = site.answers(turn)
    assert (failed.state, answer.state) == (Message.State.INTERRUPTED, Message.State.COMPLETE)
    assert (failed.model, answer.model) == (f"one/{first.model}", f"two/{second.model}")
    (note,) = notes(turn)
    assert (note["model"], note["next"]) == (failed.model, answer.model)
    assert note["message"].endswith(".")
    verify_events(session.pk, before)


def test_what_the_failed_model_had_begun_is_not_sent_to_the_next(site: SessionSite) -> None:
    first, second = site.model_server.script(CUT), site.model_server.script(text("Whole."))
    provider(site, "one", first)
    provider(site, "two", second)
    turn = site.run_prompt(session=use(site, f"one/{first.model}", f"two/{second.model}"))
    assert "Half" not in str(second.requests(at_least=1)[0]["body"]["messages"])
    complete = [answer for answer in site.answers(turn) if answer.state == Message.State.COMPLETE]
    assert [[part.text for part in answer.parts.all()] for answer in complete] == [["Whole."]]


def test_the_next_turn_asks_the_sessions_own_model_again(site: SessionSite) -> None:
    first, second = site.model_server.script(REFUSED, text("Back.")), site.model_server.script(text("Here I am."))
    provider(site, "one", first)
    provider(site, "two", second)
    session = use(site, f"one/{first.model}", f"two/{second.model}")
    site.run_prompt(session=session)
    again = site.run_prompt("Once more.", session=session)
    assert [answer.model for answer in site.answers(again)] == [f"one/{first.model}"]


def test_models_that_may_not_be_used_are_passed_over_and_the_last_failure_is_the_turns(site: SessionSite) -> None:
    first, off, last = (site.model_server.script(REFUSED) for _ in range(3))
    provider(site, "one", first)
    switched_off = provider(site, "off", off)
    provider(site, "last", last)
    session = use(site, f"one/{first.model}", f"off/{off.model}", f"last/{last.model}")
    Provider.objects.filter(pk=switched_off.pk).update(enabled=False)
    turn = site.run_prompt(session=session)
    assert turn.state == Turn.State.FAILED
    assert turn.error is not None
    assert turn.error["code"] == "model_refused"
    assert [answer.model for answer in site.answers(turn)] == [f"one/{first.model}"]
    assert [note["next"] for note in notes(turn)] == [f"last/{last.model}"]
    assert not off.requests()


def test_a_request_that_is_not_valid_goes_to_no_other_model(site: SessionSite) -> None:
    first = site.model_server.script(Step(fault="status", status=400, body='{"error": "bad schema"}'))
    second = site.model_server.script(text("Never said."))
    provider(site, "one", first)
    provider(site, "two", second)
    turn = site.run_prompt(session=use(site, f"one/{first.model}", f"two/{second.model}"))
    assert turn.state == Turn.State.FAILED
    assert not second.requests()


def test_a_hard_budget_holds_for_the_next_model_too(site: SessionSite) -> None:
    first, second = site.model_server.script(REFUSED), site.model_server.script(text("Never said."))
    provider(site, "one", first)
    provider(site, "two", second, priced=False)
    session = use(site, f"one/{first.model}", f"two/{second.model}")
    body = {"scope": "team", "period": "month", "limit": "100", "hard": True}
    RestApi(site.user)("post", f"/teams/{site.team.public_id}/budgets", body, expect=201)
    turn = site.run_prompt(session=session)
    assert (turn.state, turn.waits_for) == (Turn.State.WAITING, "price")
    assert not second.requests()
    assert Budget.objects.count() == 1


def test_a_providers_retries_come_before_the_next_model(site: SessionSite) -> None:
    first, second = site.model_server.script(BROKEN, BROKEN), site.model_server.script(text("Here I am."))
    provider(site, "one", first, retries=1)
    provider(site, "two", second)
    turn = site.run_prompt(session=use(site, f"one/{first.model}", f"two/{second.model}"))
    assert turn.state == Turn.State.RUNNING
    site.skip_waits()
    site.recover()
    site.pump.run()
    turn.refresh_from_db()
    assert turn.state == Turn.State.COMPLETED
    assert ["next" in note for note in notes(turn)] == [False, True]
    assert ModelCall.objects.filter(turn=turn).count() == 3


def test_a_project_has_fallback_models_of_its_own(site: SessionSite) -> None:
    first, second = site.model_server.script(REFUSED), site.model_server.script(text("Here I am."))
    provider(site, "one", first)
    provider(site, "two", second)
    session = use(site, f"one/{first.model}")
    choose_models(
        actor=site.user, team=site.team, project=site.project, choice=Choice(fallbacks=[f"two/{second.model}"])
    )
    assert site.run_prompt(session=session).state == Turn.State.COMPLETED


@pytest.mark.parametrize("names", [["nobody/model"], [f"nobody/{number}" for number in range(6)]])
def test_only_a_few_models_that_are_offered_can_be_listed(site: SessionSite, names: list[str]) -> None:
    with pytest.raises(BadInput) as caught:
        choose_models(actor=site.user, team=site.team, choice=Choice(fallbacks=names))
    assert "fallbacks" in (caught.value.fields or {})
