"""Budgets stop turns: a call that fits continues, others wait with a reason, and no hard limit is exceeded."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from agentsite.tenancy.models import AuditEntry, OutgoingMail, Provider
from agentsite.tenancy.roles import Role
from deploy.demo_model.scripts import Step
from sessions_app.actions.budget_stops import continue_turn, resume_team
from sessions_app.llm.port import ModelEndpoint
from sessions_app.llm.prices import ModelFacts, Prices
from sessions_app.models import Budget, ModelCall, Session, Turn
from sessions_app.spending.budgets import change_budget, create_budget, remove_budget
from sessions_app.spending.ledger import sums_of
from sessions_app.workers.agent import model_calls
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite, snapshot_of, verify_events

DOLLAR = Decimal("0.000001")
PRICED = ModelFacts(max_output=1_000, tiers=(Prices(0, DOLLAR, 4 * DOLLAR, 4 * DOLLAR, Decimal(0), DOLLAR),))
USED = {"prompt_tokens": 100_000, "completion_tokens": 100}
COST = Decimal("0.1004")


@pytest.fixture(autouse=True)
def prices(monkeypatch: pytest.MonkeyPatch) -> Callable[[ModelFacts], None]:
    """Set the prices of every model: one dollar for a million input tokens, four for a million output tokens. Return a
    function that changes the prices."""

    def set_prices(facts: ModelFacts) -> None:
        def facts_of(place: ModelEndpoint) -> ModelFacts:
            return facts

        monkeypatch.setattr(model_calls, "facts_of", facts_of)

    set_prices(PRICED)
    return set_prices


def budget(site: SessionSite, limit: str, *, scope: str = "team", target: str = "", **said: Any) -> Budget:
    said = {"period": "month", "unknown_prices": "refuse"} | said
    return create_budget(actor=site.user, team=site.team, scope=scope, target=target, limit=Decimal(limit), **said)


def is_true(row: Budget) -> bool:
    row.refresh_from_db()
    sums = sums_of(row)
    return (row.spent, row.reserved, row.unpriced_calls) == (sums.spent, sums.reserved, sums.unpriced_calls)


def test_what_a_step_cost_is_spent_of_every_budget_that_applies(site: SessionSite) -> None:
    session = site.open_session()
    rows = [
        budget(site, "10"),
        budget(site, "10", scope="project", target=site.project.public_id),
        budget(site, "10", scope="person", target=site.user.public_id),
        budget(site, "10", scope="session", target=session.public_id),
        other := budget(site, "10", scope="person", target=site.member().public_id),
    ]
    script = site.script(text("Hello", usage=USED))
    site.run_prompt(session=session)
    assert all(is_true(row) for row in rows)
    assert [row.spent for row in rows if row != other] == [COST] * 4
    assert (other.spent, rows[0].reserved) == (Decimal(0), Decimal(0))
    assert script.requests()[0]["body"]["max_tokens"] == 1_000


def test_an_answer_is_cut_to_what_is_left(site: SessionSite) -> None:
    row = budget(site, "0.1")
    session = site.open_session()
    script = site.script(text("Short.", usage={"prompt_tokens": 10, "completion_tokens": 10}))
    reserved = {}

    def most() -> None:
        call = ModelCall.objects.get(purpose="step")
        reserved["input"], reserved["output"] = call.bound_input, call.bound_output

    first = site.run_prompt(session=session)
    most()
    limit = DOLLAR * reserved["input"] + 4 * DOLLAR * 500
    change_budget(actor=site.user, budget=row, changes={"limit": limit + Decimal("0.00005")})
    ModelCall.objects.all().delete()
    change_budget(actor=site.user, budget=row, changes={"hard": True})
    site.script(text("Short.", usage={"prompt_tokens": 10, "completion_tokens": 10}))
    second = site.prompt(site.open_session())
    site.pump.run()
    second.refresh_from_db()
    assert (first.state, second.state) == ("completed", "completed")
    call = ModelCall.objects.get(purpose="step")
    assert 256 <= call.bound_output <= 520
    assert len(script.requests()) == 1


def test_a_turn_that_meets_a_hard_limit_waits_and_says_whose_and_who_can_raise_it(site: SessionSite) -> None:
    budget(site, "0.15")
    site.script(calls(tool_call("todoread"), usage=USED), text("Done.", usage=USED))
    session = site.open_session(allow=("todoread",))
    before = snapshot_of(session.pk)
    turn = site.run_prompt(session=session)
    assert (turn.state, turn.waits_for) == ("waiting", "budget")
    error = turn.error or {}
    assert error["code"] == "budget_exhausted"
    assert f"the team {site.team.name}" in error["message"]
    assert "$0.1004 of $0.15 a month" in error["message"]
    assert site.user.email in error["hint"]
    session.refresh_from_db()
    assert session.status == "waiting"
    assert [call.state for call in site.calls(turn)] == ["completed"]
    verify_events(session.pk, before)


def until_stopped(site: SessionSite) -> tuple[Turn, Budget]:
    row = budget(site, "0.15")
    site.script(calls(tool_call("todoread"), usage=USED), text("Done.", usage=USED))
    turn = site.run_prompt(session=site.open_session(allow=("todoread",)))
    assert turn.state == "waiting"
    return turn, row


def end_of(site: SessionSite, turn: Turn) -> str:
    site.pump.run()
    turn.refresh_from_db()
    return turn.state


def test_a_raised_budget_lets_the_turn_go_on(site: SessionSite) -> None:
    turn, row = until_stopped(site)
    change_budget(actor=site.user, budget=row, changes={"limit": Decimal(5)})
    assert end_of(site, turn) == "completed"
    assert (turn.error, turn.waits_for) == (None, "")
    assert is_true(row)
    assert row.spent == 2 * COST


def test_a_removed_budget_lets_the_turn_go_on(site: SessionSite) -> None:
    turn, row = until_stopped(site)
    remove_budget(actor=site.user, budget=row)
    assert end_of(site, turn) == "completed"


def test_the_next_period_lets_the_turn_go_on(site: SessionSite) -> None:
    turn, row = until_stopped(site)
    assert site.recover(later=10)["stopped"] == 0
    Budget.objects.update(window_start=row.window_start - timedelta(days=40))
    ModelCall.objects.update(at=row.window_start - timedelta(days=1))
    assert site.recover(later=10)["stopped"] == 1
    assert end_of(site, turn) == "completed"
    assert is_true(row)


def test_continue_asks_again_and_waits_again_where_there_is_no_room(site: SessionSite) -> None:
    turn, _ = until_stopped(site)
    session = Session.objects.select_related("project").get(pk=turn.session_id)
    assert continue_turn(actor=site.user, session=session).state == "running"
    assert end_of(site, turn) == "waiting"


def test_a_new_prompt_asks_again(site: SessionSite) -> None:
    turn, row = until_stopped(site)
    Budget.objects.update(hard=False)
    site.prompt(turn.session, "Go on.")
    assert end_of(site, turn) == "completed"
    assert is_true(row)


def test_a_stopped_turn_can_be_aborted(site: SessionSite) -> None:
    from sessions_app.actions.prompts import abort_turn

    turn, _ = until_stopped(site)
    session = Session.objects.select_related("project").get(pk=turn.session_id)
    assert abort_turn(actor=site.user, session=session)
    turn.refresh_from_db()
    assert (turn.state, turn.waits_for) == ("aborted", "")


def test_a_turn_that_nobody_attends_fails_when_its_patience_is_over(site: SessionSite) -> None:
    turn, _ = until_stopped(site)
    Turn.objects.filter(pk=turn.pk).update(patience=30)
    assert site.recover(later=20)["stopped"] == 0
    assert site.recover(later=40)["stopped"] == 1
    turn.refresh_from_db()
    assert (turn.state, (turn.error or {})["code"]) == ("failed", "budget_exhausted")


def test_what_other_calls_only_hold_is_waited_for_without_a_word(site: SessionSite) -> None:
    row = budget(site, "0.15")
    held = ModelCall.objects.create(
        team=site.team,
        session=site.open_session(),
        session_public_id="x",
        purpose="title",
        model="m",
        reserved=Decimal("0.15"),
        at=timezone.now(),
    )
    Budget.objects.update(reserved=Decimal("0.15"))
    site.script(text("Hello", usage=USED))
    turn = site.prompt(site.open_session())
    site.pump.deliver("sessions.advance_turn")
    turn.refresh_from_db()
    assert (turn.state, turn.step_count, turn.attempts) == ("running", 0, 0)
    from sessions_app.spending.reservations import RELEASED, settle_alone

    settle_alone(held, None, RELEASED)
    site.skip_waits()
    assert end_of(site, turn) == "completed"
    assert is_true(row)


def test_a_model_without_a_price_is_refused_and_the_words_say_where_to_enter_it(
    site: SessionSite, prices: Callable[[ModelFacts], None]
) -> None:
    prices(ModelFacts())
    row = budget(site, "10")
    site.script(text("Hello", usage=USED))
    turn = site.run_prompt()
    assert (turn.state, turn.waits_for) == ("waiting", "price")
    error = turn.error or {}
    assert (error["code"], "Providers" in error["hint"]) == ("price_unknown", True)
    change_budget(
        actor=site.user,
        budget=row,
        changes={"unknown_prices": "assume", "assumed_input": Decimal(2), "assumed_output": Decimal(10)},
    )
    assert end_of(site, turn) == "completed"
    assert is_true(row)
    assert (row.spent, row.unpriced_calls) == (Decimal("0.201"), 1)


def test_a_price_that_was_entered_lets_the_turn_go_on(site: SessionSite, prices: Callable[[ModelFacts], None]) -> None:
    prices(ModelFacts())
    budget(site, "10")
    site.script(text("Hello", usage=USED))
    turn = site.run_prompt()
    prices(PRICED)
    assert resume_team(site.team.pk) == 1
    assert end_of(site, turn) == "completed"


def test_a_change_of_the_teams_providers_has_a_missing_price_asked_for_again(
    site: SessionSite, prices: Callable[[ModelFacts], None]
) -> None:
    prices(ModelFacts())
    budget(site, "10")
    site.script(text("Hello", usage=USED))
    turn = site.run_prompt()
    assert site.recover()["stopped"] == 0
    Provider.objects.create(team=site.team, slug="acme", name="Acme", kind="openai")
    assert site.recover()["stopped"] == 1
    assert end_of(site, turn) == "waiting"
    assert site.recover()["stopped"] == 0


def test_models_without_a_price_may_be_allowed_and_are_counted(
    site: SessionSite, prices: Callable[[ModelFacts], None]
) -> None:
    prices(ModelFacts())
    row = budget(site, "0", unknown_prices="allow")
    site.script(text("Hello", usage=USED))
    assert site.run_prompt().state == "completed"
    assert is_true(row)
    assert (row.spent, row.unpriced_calls) == (Decimal(0), 1)


def test_a_free_model_is_never_stopped(site: SessionSite, prices: Callable[[ModelFacts], None]) -> None:
    prices(ModelFacts(tiers=(Prices(0, *[Decimal(0)] * 5),)))
    budget(site, "0")
    site.script(text("Hello", usage=USED))
    assert site.run_prompt().state == "completed"


def test_a_budget_that_is_not_hard_only_tells(site: SessionSite) -> None:
    row = budget(site, "0.1", hard=False)
    script = site.script(text("Hello", usage=USED))
    assert site.run_prompt().state == "completed"
    assert "max_tokens" not in script.requests()[0]["body"]
    row.refresh_from_db()
    assert row.noticed == 100


def test_people_are_told_once_at_80_and_once_at_100_per_cent(site: SessionSite) -> None:
    site.member()
    admin = site.member(Role.ADMIN)
    row = budget(site, "0.37", hard=False)
    site.script(*[text("Hello", usage=USED)] * 6)
    told = []
    for _ in range(6):
        site.run_prompt()
        told.append(OutgoingMail.objects.count())
    assert told == [0, 0, 2, 4, 4, 4]
    assert set(OutgoingMail.objects.values_list("to", flat=True)) == {site.user.email, admin.email}
    assert is_true(row)


def test_a_new_budget_begins_with_what_was_used_already(site: SessionSite) -> None:
    site.script(text("Hello", usage=USED))
    site.run_prompt()
    row = budget(site, "10")
    assert (row.spent, row.reserved) == (COST, Decimal(0))
    ModelCall.objects.update(at=timezone.now() - timedelta(days=40))
    row = change_budget(actor=site.user, budget=row, changes={"limit": Decimal(20)})
    assert row.spent == Decimal(0)
    row = change_budget(actor=site.user, budget=row, changes={"period": "total"})
    assert row.spent == COST


def test_a_change_of_a_budget_is_in_the_audit_log(site: SessionSite) -> None:
    row = budget(site, "10")
    change_budget(actor=site.user, budget=row, changes={"limit": Decimal(20)})
    remove_budget(actor=site.user, budget=row)
    entries = AuditEntry.objects.filter(action__startswith="budget.").order_by("seq")
    assert [entry.action for entry in entries] == ["budget.created", "budget.changed", "budget.removed"]
    assert entries[1].data["before"] == {"limit": "10.000000"}


def test_a_failed_call_gives_back_what_it_held(site: SessionSite) -> None:
    row = budget(site, "10")
    site.script(Step(fault="status", status=500), text("Now.", usage=USED))
    site.run_prompt()
    assert is_true(row)
    assert (row.spent, row.reserved) == (Decimal(0), Decimal(0))


def test_wrong_sums_are_found_and_repaired(site: SessionSite, capsys: pytest.CaptureFixture[str]) -> None:
    row = budget(site, "10")
    site.script(text("Hello", usage=USED))
    site.run_prompt()
    call_command("verify_budgets")
    Budget.objects.update(spent=7)
    with pytest.raises(CommandError, match=row.public_id):
        call_command("verify_budgets")
    call_command("verify_budgets", repair=True)
    assert is_true(row)
    assert "7.000000 spent" in capsys.readouterr().out
