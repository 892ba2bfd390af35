"""With twenty sub-agents, several workers, failures and killed workers, no hard budget is exceeded and no call is
lost."""

import random
import threading
import time
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.db import connections
from django.utils import timezone

from deploy.demo_model.scripts import Step
from sessions_app.llm.prices import ModelFacts, Prices
from sessions_app.models import Budget, ModelCall, Turn
from sessions_app.spending.admission import Bound
from sessions_app.spending.budgets import create_budget
from sessions_app.spending.ledger import sums_of
from sessions_app.spending.reservations import (
    RELEASED,
    BudgetExceeded,
    PlannedCall,
    Settlement,
    billing_of,
    reserve_call,
    settle_alone,
)
from sessions_app.workers.agent import model_calls
from tests.support.lanes import fewer
from tests.support.model_server import calls, text
from tests.support.session_site import SessionSite
from tests.support.sub_agents import ask, scripts_of
from tests.support.threads import race

DOLLAR = Decimal("0.000001")
PRICED = ModelFacts(max_output=1_000, tiers=(Prices(0, DOLLAR, 4 * DOLLAR, 4 * DOLLAR, Decimal(0), DOLLAR),))
USED = {"prompt_tokens": 4_000, "completion_tokens": 100}
COST = Decimal("0.0044")
WORKERS = 6


class Killed(BaseException):
    """Raised in a thread that simulates a worker, in place of its death."""


class Workers:
    """Threads that deliver tasks until no task is left and recovery creates no new one."""

    def __init__(self, site: SessionSite) -> None:
        self._site = site
        self._busy = 0
        self._lock = threading.Lock()
        self.problems: list[BaseException] = []

    def run(self, *, seconds: float = 60) -> None:
        until = time.monotonic() + seconds
        threads = [threading.Thread(target=self._work, args=(until,)) for _ in range(WORKERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not self.problems

    def _work(self, until: float) -> None:
        try:
            while time.monotonic() < until and not self._is_over():
                if not self._deliver():
                    time.sleep(0.01)
        except BaseException as error:  # noqa: BLE001 - the test reads it
            self.problems.append(error)
        finally:
            connections.close_all()

    def _deliver(self) -> bool:
        with self._lock:
            if not self._site.pump.waiting:
                return False
            self._busy += 1
        try:
            self._site.pump.step()
        except Killed:
            pass
        except IndexError:
            return False
        finally:
            with self._lock:
                self._busy -= 1
        return True

    def _is_over(self) -> bool:
        """Return whether no thread works and recovery finds nothing that can continue."""
        with self._lock:
            if self._busy or self._site.pump.waiting:
                return False
            self._site.abandon()
            self._site.skip_waits()
            self._site.recover(later=60)
            return not self._site.pump.waiting


@pytest.fixture(autouse=True)
def prices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_calls, "facts_of", lambda _place: PRICED)


def deadly(function: Callable[..., Any], chance: random.Random) -> Callable[..., Any]:
    """Wrap a function so that one call in six, at random, kills the worker before the function has any effect."""

    def maybe(*args: Any, **more: Any) -> Any:
        if chance.random() < 1 / 6:
            raise Killed
        return function(*args, **more)

    return maybe


def hard_budget(site: SessionSite, limit: str) -> Budget:
    return create_budget(
        actor=site.user, team=site.team, scope="team", period="total", limit=Decimal(limit), unknown_prices="refuse"
    )


def assert_true(row: Budget) -> None:
    row.refresh_from_db()
    sums = sums_of(row)
    assert (row.spent, row.reserved) == (sums.spent, sums.reserved)


def test_twenty_sub_agents_never_pass_a_hard_budget(site: SessionSite, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(7)
    row = hard_budget(site, "0.25")
    faults = [Step(fault="status", status=500), Step(text="Half of it", chunk_size=2, fault="cut", fault_after=2)]
    child = [
        chance.choice(faults) if chance.random() < 0.2 else text("Done.", usage=USED, chunk_delay=chance.random() / 50)
        for _ in range(200)
    ]
    asks = calls(*(ask("general", f"Part {number}") for number in range(10)), usage=USED)
    parent, of_child = scripts_of(site, parent=[asks, asks, *[text("All done.", usage=USED)] * 50], child=child)
    turns = [site.prompt(site.open_session(), parent.marker) for _ in range(2)]
    monkeypatch.setattr("sessions_app.workers.agent.step.finish_step", deadly(paying_finish(), chance))
    monkeypatch.setattr(model_calls, "settle_alone", deadly(settle_alone, chance))
    Workers(site).run()
    assert Turn.objects.filter(root__in=turns).count() == 20
    assert not ModelCall.objects.filter(state="reserved").exists()
    assert_true(row)
    assert Decimal("0.1") < row.spent <= row.limit
    answered = sum(1 for one in of_child.requests() if one["state"] == "done")
    assert answered * COST <= row.limit
    waiting = Turn.objects.filter(state="waiting").exclude(waits_for="")
    assert {(turn.error or {})["code"] for turn in waiting} == {"budget_exhausted"}
    assert waiting.count() > 0


def paying_finish() -> Callable[..., Any]:
    from sessions_app.actions.turns import finish_step

    return finish_step


@pytest.mark.parametrize("budgets", [1, 3])
def test_reservations_at_the_same_moment_hold_no_more_than_there_is(site: SessionSite, budgets: int) -> None:
    session = site.open_session()
    made = [
        create_budget(
            actor=site.user, team=site.team, scope=scope, target=target, period="day", limit=Decimal("0.01"),
            unknown_prices="refuse",
        )
        for scope, target in [("team", ""), ("project", site.project.public_id), ("person", site.user.public_id)]
    ][:budgets]  # fmt: skip
    payer = billing_of(session, user_id=site.user.pk)
    asked = PlannedCall("step", "site", "m", Bound(1_000, 500), PRICED)

    def work() -> int:
        done = 0
        for number in range(6):
            try:
                held = reserve_call(payer, asked)
            except BudgetExceeded:
                continue
            assert all(one.spent + one.reserved <= one.limit for one in Budget.objects.all())
            outcome = RELEASED if number % 2 else Settlement({"input": 900, "output": 10}, Decimal("0.00094"))
            done += settle_alone(held.call, session.pk, outcome)
        return done

    outcomes = race(*[work] * 8)
    assert all(isinstance(one, int) for one in outcomes), outcomes
    assert sum(outcomes) == ModelCall.objects.exclude(state="reserved").count()
    for row in made:
        assert_true(row)
        assert row.reserved == Decimal(0)
        assert row.spent <= row.limit


def test_a_budget_that_is_made_while_calls_are_made_has_every_call(site: SessionSite) -> None:
    session = site.open_session()
    payer = billing_of(session, user_id=site.user.pk)
    asked = PlannedCall("step", "site", "m", Bound(1_000, 500), PRICED)

    def work() -> None:
        for _ in range(10):
            held = reserve_call(payer, asked)
            settle_alone(held.call, session.pk, Settlement({"input": 1}, Decimal("0.0001")))

    outcomes = race(work, work, work, lambda: hard_budget(site, "100"))
    assert not [one for one in outcomes if isinstance(one, Exception)], outcomes
    row = Budget.objects.get()
    assert_true(row)
    assert row.spent == Decimal("0.003")


def test_a_reservation_costs_the_same_after_many_calls(site: SessionSite) -> None:
    session = site.open_session()
    hard_budget(site, "1000")
    payer = billing_of(session, user_id=site.user.pk)
    asked = PlannedCall("step", "site", "m", Bound(1_000, 500), PRICED)

    def once() -> float:
        start = time.perf_counter()
        held = reserve_call(payer, asked)
        settle_alone(held.call, None, Settlement({"input": 1}, Decimal("0.0001")))
        return time.perf_counter() - start

    def fastest() -> float:
        return min(once() for _ in range(41))

    few = fastest()
    common = {"team": site.team, "session": session, "session_public_id": "x", "user": site.user, "purpose": "step"}
    rows = [
        ModelCall(**common, model="m", state="settled", cost=0, at=timezone.now())
        for _ in range(fewer(20_000, default=5_000))
    ]
    ModelCall.objects.bulk_create(rows, batch_size=500)
    many = fastest()
    assert many < 3 * few + 0.002
