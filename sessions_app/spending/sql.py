"""Prepared SQL for the few statements of each model call's budgets: building them with the ORM costs several times
their execution. Works on both databases."""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from django.db import connection

from agentsite.base.errors import Missing
from agentsite.base.prepared import adapted
from sessions_app.models import Budget

BINDING: Final = (
    "SELECT * FROM sessions_app_budget WHERE team_id = %s"
    " AND (scope = 'team' OR project_id = %s OR person_id = %s OR session_id = %s) ORDER BY id"
)
ADD: Final = (
    "UPDATE sessions_app_budget SET spent = ROUND(spent + %s, 6), reserved = ROUND(reserved + %s, 6),"
    " unpriced_calls = unpriced_calls + %s WHERE id IN ({ids})"
)
TEAM: Final = "SELECT 1 FROM tenancy_team WHERE id = %s FOR KEY SHARE"
SESSIONS: Final = "SELECT id FROM sessions_app_session WHERE id IN ({ids}) ORDER BY id"


@dataclass(frozen=True, slots=True)
class SumsChange:
    """The changes of a budget's sums."""

    spent: Decimal = Decimal(0)
    reserved: Decimal = Decimal(0)
    unpriced_calls: int = 0


def share_lock_team(team_id: uuid.UUID) -> None:
    """Lock the team against changes of its budgets until this transaction ends. No-op on SQLite, which has only one
    writer."""
    if _locks_rows():
        _execute(TEAM, [team_id])


def lock_sessions(*ids: uuid.UUID) -> None:
    """Lock the sessions against deletion until this transaction ends. Inserting a row that refers to a session locks it
    at the commit, so call this before the budgets are locked. Raises Missing."""
    wanted = sorted(set(ids))
    statement = SESSIONS.format(ids=_placeholders(wanted)) + (" FOR KEY SHARE" if _locks_rows() else "")
    with connection.cursor() as cursor:
        cursor.execute(statement, list(map(adapted, wanted)))
        if len(cursor.fetchall()) != len(wanted):
            raise Missing("This session no longer exists.")


def lock_binding(
    team_id: uuid.UUID, project_id: uuid.UUID | None, user_id: uuid.UUID | None, root_id: uuid.UUID | None
) -> list[Budget]:
    """Return the rows of `budgets_of`, locked in the order of their ids."""
    statement = BINDING + (" FOR UPDATE" if _locks_rows() else "")
    return list(Budget.objects.raw(statement, list(map(adapted, (team_id, project_id, user_id, root_id)))))


def add_to_sums(moves: Mapping[Any, SumsChange]) -> None:
    """Apply the changes by budget id; equal changes share one statement. The rows must be locked."""
    alike: dict[SumsChange, list[uuid.UUID]] = {}
    for budget_id, moved in moves.items():
        alike.setdefault(moved, []).append(budget_id)
    for moved, ids in alike.items():
        values = [moved.spent, moved.reserved, moved.unpriced_calls, *map(adapted, ids)]
        _execute(ADD.format(ids=_placeholders(ids)), values)


def _execute(statement: str, values: list[Any]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)


def _placeholders(values: Iterable[object]) -> str:
    return ", ".join("%s" for _ in values)


def _locks_rows() -> bool:
    return connection.vendor == "postgresql"
