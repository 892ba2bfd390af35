"""Aggregate model calls: usage and cost by day, person, project, session, model and so on.

Only settled calls are included. The tokens of a call without a known price are counted, and the call is counted in
`unknown`, never as free.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, Literal

from django.db.models import Count, F, Max, Q, QuerySet, Sum
from django.db.models.functions import TruncDate

from agentsite.base.ids import from_public, to_public
from agentsite.tenancy.models import Project, Provider, Team, User
from sessions_app.models import Message, ModelCall, Session

GroupBy = Literal["day", "model", "provider", "person", "project", "session", "team", "purpose", "message"]
MAX_GROUPS: Final = 1_000
HIDDEN: Final = "Private sessions"
TOKENS: Final = ("input", "output", "reasoning", "cache_read", "cache_write")
_COLUMN: Final[Mapping[GroupBy, tuple[str, ...]]] = {
    "day": ("day",),
    "model": ("provider", "model"),
    "provider": ("provider",),
    "person": ("user_id",),
    "project": ("project_id",),
    "session": ("session_public_id",),
    "team": ("team_id",),
    "purpose": ("purpose",),
    "message": ("message_id",),
}
_SUMS: Final = {
    "calls": Count("id"),
    "money": Sum("cost"),
    "unknown": Count("id", filter=Q(cost=None)),
    "estimated": Count("id", filter=Q(is_estimated=True)),
    **{name: Sum(f"{name}_tokens") for name in TOKENS},
}


@dataclass(frozen=True, slots=True)
class UsageSums:
    """Sums over model calls. `unknown` is the number of calls without a known price. `estimated` is the number of calls
    whose usage was not reported, which are included with the maximum that they may have used."""

    calls: int = 0
    cost: Decimal = Decimal(0)
    unknown: int = 0
    estimated: int = 0
    tokens: Mapping[str, int] = field(default_factory=lambda: dict.fromkeys(TOKENS, 0))


@dataclass(frozen=True, slots=True)
class UsageGroup:
    """Sums of one group. `key` is a day, a public id or a name; empty for a group without one, such as the sum of all
    sessions that the reader cannot see."""

    key: str
    label: str
    sums: UsageSums


@dataclass(frozen=True, slots=True)
class UsageReport:
    total: UsageSums
    groups: Sequence[UsageGroup]
    more: bool


def settled_calls(rows: QuerySet[ModelCall, Any], *, since: datetime, until: datetime) -> QuerySet[ModelCall, Any]:
    return rows.filter(state=ModelCall.State.SETTLED, at__gte=since, at__lt=until)


def aggregate_usage(rows: QuerySet[ModelCall, Any], group_by: GroupBy, *, reader: User) -> UsageReport:
    """Return the usage of model calls, summed by group, with three queries for any number of calls. Days are sorted by
    date, other groups by cost. Private sessions that `reader` cannot see form one group, without their titles."""
    total = rows.order_by().aggregate(**_SUMS)
    columns = _COLUMN[group_by]
    if group_by == "day":
        rows = rows.annotate(day=TruncDate("at"))
    order = ["day"] if group_by == "day" else [F("money").desc(nulls_last=True), "-calls", *columns]
    latest = {"latest": Max("id")} if group_by == "message" else {}
    found = list(rows.order_by().values(*columns).annotate(**_SUMS, **latest).order_by(*order)[: MAX_GROUPS + 1])
    keys = [tuple(row[column] for column in columns) for row in found[:MAX_GROUPS]]
    labels = _labels(group_by, keys, reader)
    groups = [UsageGroup(*labels[key], _sums(row)) for key, row in zip(keys, found[:MAX_GROUPS], strict=True)]
    return UsageReport(_sums(total), _merged(groups), more=len(found) > MAX_GROUPS)


def _sums(row: Mapping[str, Any]) -> UsageSums:
    tokens = {name: int(row[name] or 0) for name in TOKENS}
    return UsageSums(row["calls"], row["money"] or Decimal(0), row["unknown"], row["estimated"], tokens)


def _merged(groups: Sequence[UsageGroup]) -> list[UsageGroup]:
    """Merge the groups of private sessions that the reader cannot see into one group, so that the report does not show
    these sessions separately."""
    shown = [group for group in groups if group.label != HIDDEN]
    hidden = [group.sums for group in groups if group.label == HIDDEN]
    return [*shown, UsageGroup("", HIDDEN, _total_of(hidden))] if hidden else shown


def _total_of(sums: Iterable[UsageSums]) -> UsageSums:
    total = UsageSums()
    for one in sums:
        total = UsageSums(
            total.calls + one.calls,
            total.cost + one.cost,
            total.unknown + one.unknown,
            total.estimated + one.estimated,
            {name: total.tokens[name] + one.tokens[name] for name in TOKENS},
        )
    return total


def _labels(group_by: GroupBy, keys: Sequence[tuple[Any, ...]], reader: User) -> dict[tuple[Any, ...], tuple[str, str]]:
    """Map each tuple of values that the usage query groups by to the key and the label of its group."""
    match group_by:
        case "day" | "purpose":
            return {key: (str(key[0]), str(key[0])) for key in keys}
        case "model":
            names = _names(Provider, {provider for provider, _ in keys})
            return {key: (key[1], f"{key[1]} ({names.get(key[0], _provider_words(key[0]))})") for key in keys}
        case "provider":
            names = _names(Provider, {key[0] for key in keys})
            return {key: (key[0], names.get(key[0], _provider_words(key[0]))) for key in keys}
        case "session":
            return _session_labels(keys, reader)
        case "message":
            return {key: (to_public(Message.PREFIX, key[0]) if key[0] else "", "") for key in keys}
    kinds: Mapping[str, tuple[Any, str]] = {
        "person": (User, "Nobody, or a former member"),
        "project": (Project, "A deleted project"),
        "team": (Team, "A deleted team"),
    }
    model, gone = kinds[group_by]
    rows = {row.pk: row for row in model.objects.filter(pk__in={key[0] for key in keys if key[0]})}
    return {key: _label_of_row(rows.get(key[0]), gone) for key in keys}


def _label_of_row(row: Any, gone: str) -> tuple[str, str]:
    return ("", gone) if row is None else (row.public_id, row.name or row.email)


def _names(model: type[Provider], public_ids: set[str]) -> dict[str, str]:
    ids = [from_public(Provider.PREFIX, one) for one in public_ids if one.startswith(Provider.PREFIX)]
    return {row.public_id: row.name for row in model.objects.filter(pk__in=ids)}


def _provider_words(provider: str) -> str:
    return "this site" if provider == "site" else "a deleted provider"


def _session_labels(keys: Sequence[tuple[Any, ...]], reader: User) -> dict[tuple[Any, ...], tuple[str, str]]:
    ids = {key: from_public(Session.PREFIX, key[0]) for key in keys}
    seen = dict(Session.objects.visible_to(reader).filter(pk__in=ids.values()).values_list("pk", "title"))
    there = set(Session.objects.filter(pk__in=ids.values()).values_list("pk", flat=True))
    return {
        key: (key[0], seen[row_id] or "Untitled session")
        if row_id in seen
        else ("", HIDDEN)
        if row_id in there
        else ("", "Deleted sessions")
        for key, row_id in ids.items()
    }
