"""Create, change and remove budgets. A new budget starts with the sums of all calls of its current period."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from functools import partial
from typing import Any, Final

from django.db import IntegrityError, transaction
from django.utils import timezone

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import BadInput, Missing, Stale
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy import audit
from agentsite.tenancy.access import require
from agentsite.tenancy.models import Membership, Project, Team, User
from agentsite.tenancy.roles import Act
from sessions_app.models import Budget, Session
from sessions_app.queueing import enqueue_resume_stopped
from sessions_app.spending.admission import NOTICES, window_start
from sessions_app.spending.ledger import lock_team, recalculate_sums, roll_over
from sessions_app.spending.notices import publish_budget_change, publish_raised_limit

MAX_BUDGETS_PER_TEAM: Final = 1_000
CHANGEABLE_FIELDS: Final = (
    "period",
    "limit",
    "hard",
    "unknown_prices",
    "assumed_input",
    "assumed_output",
    "max_output",
)


def create_budget(*, actor: User, team: Team, scope: str, target: str = "", **options: Any) -> Budget:
    """Create a budget. `target` is the public id of the project, person or session. Previous usage in the current
    period is included. Raises Stale if the target already has a budget for this period."""
    require(actor, Act.MANAGE_BUDGETS, team_id=team.pk)
    now = timezone.now()
    row = Budget(team=team, scope=scope, changed_by=actor, changed_at=now, **options)
    _set_target(row, actor, target)
    _check(row)
    row.window_start = window_start(row.period, now)
    try:
        with sqlite_write_lock(), transaction.atomic():
            lock_team(team.pk)
            if Budget.objects.filter(team=team).count() >= MAX_BUDGETS_PER_TEAM:
                raise BadInput(
                    f"A team can have at most {MAX_BUDGETS_PER_TEAM:,} budgets.", hint="Remove a budget first."
                )
            _start_sums(row)
            row.save(force_insert=True)
            publish_budget_change(team.pk, row.public_id)
            _audit(actor, row, "budget.created")
    except IntegrityError:
        raise Stale(
            "There is already a budget for this target and period.",
            code=ErrorCode.BUDGET_EXISTS,
            hint="Change the existing budget.",
        ) from None
    return row


def change_budget(
    *,
    actor: User,
    budget: Budget,
    changes: Mapping[str, Any],
    base_version: int | None = None,
    check_version: Callable[[Budget], None] = lambda _row: None,
) -> Budget:
    """Apply `changes` to a budget, and recheck the turns that the team's budgets block. The keys of `changes` are in
    `CHANGEABLE_FIELDS`. `base_version` is the version that the actor has read; raises Stale if that is not the current
    version."""
    require(actor, Act.MANAGE_BUDGETS, team_id=budget.team_id)
    try:
        with _already_exists(budget) as row:
            check_version(row)
            _require_version(row, base_version)
            before = {name: getattr(row, name) for name in changes}
            for name, value in changes.items():
                setattr(row, name, value)
            _check(row)
            row.window_start = window_start(row.period, timezone.now())
            _start_sums(row)
            row.version, row.changed_by, row.changed_at = row.version + 1, actor, timezone.now()
            row.save()
            if row.limit > before.get("limit", row.limit):
                publish_raised_limit(row)
            _publish_change(row)
            _audit(actor, row, "budget.changed", before=before)
    except IntegrityError:
        raise Stale(
            "There is already a budget for this target and period.",
            code=ErrorCode.BUDGET_EXISTS,
            hint="Change the existing budget.",
        ) from None
    return row


def remove_budget(*, actor: User, budget: Budget) -> None:
    """Delete the budget and resume the turns that it blocks."""
    require(actor, Act.MANAGE_BUDGETS, team_id=budget.team_id)
    with _already_exists(budget) as row:
        public_id = row.public_id
        Budget.objects.filter(pk=row.pk).delete()
        row.pk = budget.pk
        _publish_change(row)
        audit.record(team_id=row.team_id, actor=actor, action="budget.removed", subject=public_id, data=_facts(row))


@contextmanager
def _already_exists(budget: Budget) -> Iterator[Budget]:
    with sqlite_write_lock(), transaction.atomic():
        lock_team(budget.team_id)
        row = Budget.objects.select_for_update(of=("self",)).filter(pk=budget.pk).first()
        if row is None:
            raise Missing("This budget no longer exists.")
        yield row


def _set_target(row: Budget, actor: User, target: str) -> None:
    """Set the budget's target, which must belong to the team and be visible to the actor."""
    match row.scope:
        case Budget.Scope.TEAM:
            row.target = row.team.public_id
        case Budget.Scope.PROJECT:
            row.project = Project.objects.visible_to(actor).filter(team=row.team).by_public_id(target)
            row.target = row.project.public_id
        case Budget.Scope.PERSON:
            row.person = _member(row.team, target)
            row.target = row.person.public_id
        case _:
            row.session = Session.objects.visible_to(actor).filter(project__team=row.team).by_public_id(target)
            if row.session.parent_id is not None:
                raise BadInput(
                    "The session of a sub-agent cannot have a budget: its cost counts for the session that started it.",
                    fields={"target": "a sub-agent's session"},
                )
            row.target = row.session.public_id


def _member(team: Team, target: str) -> User:
    rows = Membership.objects.filter(team=team).select_related("user")
    found = next((row.user for row in rows if row.user.public_id == target), None)
    if found is None:
        raise Missing(f"This team has no '{target[:60]}'.")
    return found


def _check(row: Budget) -> None:
    assumes = row.unknown_prices == Budget.UnknownPrices.ASSUME
    if assumes and (row.assumed_input is None or row.assumed_output is None):
        wanted = "US dollars per million tokens"
        raise BadInput(
            "To count models without a price, set the assumed prices of input and output.",
            fields={"assumed_input": wanted, "assumed_output": wanted},
        )


def _start_sums(row: Budget) -> None:
    """Recalculate the sums of the budget's current period from the calls. Thresholds that are already reached are
    marked as noticed, so that no notice about them is sent."""
    roll_over(row, timezone.now())
    recalculate_sums(row)
    reached = next((share for share in NOTICES if row.spent * 100 >= row.limit * share), 0)
    row.noticed = reached


def _require_version(row: Budget, base_version: int | None) -> None:
    if base_version is not None and base_version != row.version:
        raise Stale(
            f"Somebody else changed this budget: its version is now {row.version}.",
            code=ErrorCode.STALE_BUDGET,
            hint="Load the new version, then apply your changes to it.",
        )


def _publish_change(row: Budget) -> None:
    publish_budget_change(row.team_id, row.public_id)
    transaction.on_commit(partial(enqueue_resume_stopped, row.team_id))


def _facts(row: Budget) -> dict[str, Any]:
    return {
        "scope": row.scope,
        "target": row.target,
        **{name: _plain(getattr(row, name)) for name in CHANGEABLE_FIELDS},
    }


def _plain(value: Any) -> Any:
    return f"{value:f}" if isinstance(value, Decimal) else value


def _audit(actor: User, row: Budget, action: str, *, before: Mapping[str, Any] | None = None) -> None:
    data = _facts(row)
    if before is not None:
        data["before"] = {name: _plain(value) for name, value in before.items()}
    audit.record(team_id=row.team_id, actor=actor, action=action, subject=row.public_id, data=data)
