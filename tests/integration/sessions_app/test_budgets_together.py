"""Budgets with several people and agents: the person billed, the visible amounts, and the messages to callers."""

import json
from decimal import Decimal
from typing import Any

import pytest

from agentsite.tenancy.models import OutgoingMail, User
from sessions_app.actions.budget_stops import continue_turn
from sessions_app.actions.prompts import submit_prompt
from sessions_app.actions.sessions import ask_for_summary
from sessions_app.llm.prices import ModelFacts, Prices
from sessions_app.models import Budget, ModelCall, Session, SessionEvent, Turn
from sessions_app.spending.budgets import change_budget, create_budget
from sessions_app.webhooks.actions import create_webhook
from sessions_app.webhooks.models import Delivery
from sessions_app.workers.agent import model_calls
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite, snapshot_of
from tests.support.sub_agents import ask, call_of, child_of, scripts_of

DOLLAR = Decimal("0.000001")
PRICED = ModelFacts(max_output=1_000, tiers=(Prices(0, DOLLAR, 4 * DOLLAR, 4 * DOLLAR, Decimal(0), DOLLAR),))
USED = {"prompt_tokens": 100_000, "completion_tokens": 100}
COST = Decimal("0.1004")


@pytest.fixture(autouse=True)
def prices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_calls, "facts_of", lambda _place: PRICED)


def budget(site: SessionSite, limit: str, *, person: User | None = None, hard: bool = True) -> Budget:
    scope, target = ("person", person.public_id) if person else ("team", "")
    return create_budget(
        actor=site.user, team=site.team, scope=scope, target=target, limit=Decimal(limit), period="month", hard=hard,
        unknown_prices="refuse",
    )  # fmt: skip


def fresh(turn: Turn) -> Turn:
    found: Turn = Turn.objects.select_related("session__project").get(pk=turn.pk)
    return found


def open_turn(site: SessionSite) -> Turn:
    """Start a turn of the site's first person, and run its first step."""
    site.script(calls(tool_call("todoread"), usage=USED), text("Done.", usage=USED))
    turn = site.prompt(site.open_session(allow=("todoread",)))
    site.pump.deliver("sessions.advance_turn")
    return fresh(turn)


def test_who_sends_a_prompt_into_a_colleagues_turn_pays_for_the_steps_after_it(site: SessionSite) -> None:
    turn, other = open_turn(site), site.member()
    submit_prompt(actor=other, session=turn.session, text="And this.")
    site.pump.run()
    paid = ModelCall.objects.filter(turn=turn, purpose="step").order_by("id").values_list("user_id", flat=True)
    assert list(paid) == [site.user.pk, other.pk]


def test_who_asks_for_a_summary_pays_for_it(site: SessionSite) -> None:
    turn, other = open_turn(site), site.member()
    site.pump.run()
    ask_for_summary(actor=other, session=turn.session)
    site.pump.run()
    assert ModelCall.objects.get(purpose="summary").user == other


def test_a_used_up_budget_stops_a_prompt_into_a_colleagues_turn(site: SessionSite) -> None:
    turn, other = open_turn(site), site.member()
    row = budget(site, "0", person=other)
    submit_prompt(actor=other, session=turn.session, text="And this.")
    site.pump.run()
    turn = fresh(turn)
    assert (turn.state, turn.waits_for, turn.blocked_by) == ("waiting", "budget", row)
    assert continue_turn(actor=site.user, session=turn.session).state == "running"
    site.pump.run()
    assert fresh(turn).state == "completed"
    row.refresh_from_db()
    assert row.spent == 0


def test_how_much_of_a_persons_budget_is_used_is_told_to_that_person_and_admins_alone(site: SessionSite) -> None:
    other = site.member()
    row = budget(site, "0.0777", person=other)
    session = site.open_session()
    site.script(text("Never.", usage=USED))
    turn, _ = submit_prompt(actor=other, session=session, text="Do it.")
    Budget.objects.filter(pk=row.pk).update(spent=Decimal("0.0771"))
    site.pump.run()
    turn = fresh(turn)
    assert turn.waits_for == "budget"
    assert other.email in (turn.error or {})["message"]
    events = list(SessionEvent.objects.filter(session=session).values_list("data", flat=True))
    shown = json.dumps([events, snapshot_of(session.pk)])
    assert not [amount for amount in ("0.0777", "0.0771", "$0") if amount in shown]
    assert set(OutgoingMail.objects.values_list("to", flat=True)) == {site.user.email, other.email}
    assert OutgoingMail.objects.filter(text__contains="$0.0777").count() == 2


def stopped_child(site: SessionSite) -> tuple[Turn, Budget]:
    row = budget(site, "0.105")
    asks, done = calls(ask("general", "Look"), usage=USED), text("All done.", usage=USED)
    parent, _ = scripts_of(site, parent=[asks, done], child=[text("I looked.", usage=USED)])
    turn = site.prompt(site.open_session(), parent.marker)
    site.pump.run()
    return fresh(turn), row


def test_the_call_of_a_sub_agent_that_a_budget_stopped_says_so(site: SessionSite) -> None:
    turn, _ = stopped_child(site)
    assert (turn.state, turn.waits_for) == ("waiting", "")
    said: dict[str, Any] = call_of(turn).metadata["stopped"]
    assert (said["code"], said["session_id"]) == ("budget_exhausted", child_of(turn).public_id)
    assert "$0.1004 of $0.105 a month" in said["message"]


def test_a_raised_budget_lets_a_sub_agent_and_its_caller_go_on(site: SessionSite) -> None:
    turn, row = stopped_child(site)
    change_budget(actor=site.user, budget=row, changes={"limit": Decimal(5)})
    site.pump.run()
    assert fresh(turn).state == "completed"
    call = call_of(turn)
    assert (call.state, call.metadata["stopped"]) == ("completed", None)
    assert "I looked." in call.output


def test_webhooks_are_told_of_80_and_100_per_cent_and_of_a_raised_limit_without_amounts(site: SessionSite) -> None:
    kinds = ("budget.nearly_used", "budget.used_up", "budget.raised")
    create_webhook(actor=site.user, team=site.team, name="CI", url="https://hooks.example.org/", events=kinds)
    row = budget(site, "0.24", hard=False)
    site.script(*[text("Hello", usage=USED)] * 3)
    for _ in range(3):
        site.run_prompt()
    change_budget(actor=site.user, budget=row, changes={"limit": Decimal(9)})
    told = [json.loads(body) for body in Delivery.objects.order_by("id").values_list("body", flat=True)]
    assert [(one["type"], one["data"]["share"]) for one in told] == list(zip(kinds, (80, 100, 0), strict=True))
    facts = {"scope": "team", "target": site.team.public_id, "period": "month", "hard": False}
    assert told[0]["data"] == {"budget_id": row.public_id, **facts, "share": 80}


def test_webhooks_are_told_nothing_of_a_private_sessions_budget(site: SessionSite) -> None:
    create_webhook(
        actor=site.user, team=site.team, name="CI", url="https://hooks.example.org/", events=("budget.raised",)
    )
    session = site.open_session()
    row = create_budget(
        actor=site.user, team=site.team, scope="session", target=session.public_id, limit=Decimal(1), period="total",
        unknown_prices="allow",
    )  # fmt: skip
    Session.objects.filter(pk=session.pk).update(shared_with="private")
    change_budget(actor=site.user, budget=row, changes={"limit": Decimal(2)})
    assert not Delivery.objects.exists()
