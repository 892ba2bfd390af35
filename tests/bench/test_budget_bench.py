"""Measure the CPU time to reserve and settle a model call in its budgets, compared with inserting and updating one
plain row. Results are printed, not asserted: `pytest -m bench -s tests/bench/test_budget_bench.py`, and the same with
AGENTSITE_TEST_DB=postgres."""

import statistics
import time
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

import pytest
from django.db import connection, transaction
from django.utils import timezone

from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy.roles import Role
from sessions_app.llm.prices import ModelFacts, Prices
from sessions_app.models import ModelCall, Session, Workspace
from sessions_app.spending.admission import Bound
from sessions_app.spending.budgets import create_budget
from sessions_app.spending.reservations import PlannedCall, Settlement, billing_of, reserve_call, settle_alone
from tests.support.builders import make_member, make_project, make_team

ROUNDS: Final = 15
BATCH: Final = 20  # of each kind in turn, so that a busy machine slows all of them alike
CENT: Final = Decimal("0.01")
PRICED: Final = ModelFacts(max_output=1_000, tiers=(Prices(0, *[CENT / 10_000] * 5),))
ASKED: Final = PlannedCall("step", "site", "m", Bound(1_000, 500), PRICED)
ENDED: Final = Settlement({"input": 900, "output": 10}, Decimal("0.00091"))

pytestmark = [pytest.mark.bench, pytest.mark.django_db(transaction=True)]


def test_a_call_in_its_budgets_against_a_plain_row() -> None:
    bare, one = _session_with(()), _session_with(("team",))
    four = _session_with(("team", "project", "person", "session"))
    kinds = {
        "a plain row": _plain(bare),
        "no budget": _call(bare),
        "one budget": _call(one),
        "four budgets": _call(four),
    }
    times: dict[str, list[float]] = {name: [] for name in kinds}
    for number in range(ROUNDS + 1):
        for name, work in kinds.items():
            spent = [_cpu(work) for _ in range(BATCH)]
            times[name] += spent if number else []  # the first round warms up
    plain = statistics.median(times["a plain row"])
    print()
    for name, spent in times.items():
        middle = statistics.median(spent)
        print(f"{connection.vendor:10} {name:14} {middle:6.2f} ms of CPU, {middle / plain:4.1f} x")


def _cpu(work: Callable[[], object]) -> float:
    """Call `work`, and return the CPU milliseconds that it used in this thread. They include the work of SQLite, but
    not the work of a database server."""
    start = time.thread_time()
    work()
    return (time.thread_time() - start) * 1000


def _session_with(scopes: tuple[str, ...]) -> Session:
    team = make_team()
    user, project = make_member(team, Role.ADMIN), make_project(team)
    workspace = Workspace.objects.create(project=project, name="main")
    session = Session.objects.create(project=project, workspace=workspace, created_by=user)
    targets = {"project": project.public_id, "person": user.public_id, "session": session.public_id}
    for scope in scopes:
        create_budget(
            actor=user, team=team, scope=scope, target=targets.get(scope, ""), period="month", limit=Decimal(1_000)
        )
    return session


def _call(session: Session) -> Callable[[], object]:
    payer = billing_of(session, user_id=session.created_by_id)
    return lambda: settle_alone(reserve_call(payer, ASKED).call, None, ENDED)


def _plain(session: Session) -> Callable[[], object]:
    facts: dict[str, Any] = {
        "team_id": session.project.team_id,
        "project_id": session.project_id,
        "session_id": session.pk,
        "root_session_id": session.pk,
        "session_public_id": session.public_id,
        "user_id": session.created_by_id,
        "purpose": "step",
        "model": "m",
    }

    def work() -> None:
        with sqlite_write_lock(), transaction.atomic():
            row = ModelCall.objects.create(**facts, at=timezone.now())
        with sqlite_write_lock(), transaction.atomic():
            ModelCall.objects.filter(pk=row.pk).update(state="settled", cost=CENT, settled_at=timezone.now())

    return work
