"""Read waiting requests and questions in bounded batches, so that a busy team does not block other teams.

The position in each team's list is stored in the cache, and the next run continues there. Without the cache, the next
run starts at the oldest item again; later items are then delayed but never lost.
"""

import uuid
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from typing import Any, Final

from django.core.cache import cache
from redis.exceptions import RedisError

from sessions_app.models import PermissionRequest, Question

MAX_PER_TEAM: Final = 100  # items of each kind that one round reads for one team
MAX_PER_ROUND: Final = 2000  # items of each kind that one round reads for all teams
CURSOR_TTL_SECONDS: Final = 24 * 3600

Item = PermissionRequest | Question


def waiting_items(before: datetime) -> Iterator[Item]:
    """Yield open permission requests and questions created at or before `before`, in a bounded batch for each team.
    Each batch continues where the team's previous batch ended."""
    for model in (PermissionRequest, Question):
        yield from _round(model, before)


def _round(model: Any, before: datetime) -> Iterator[Item]:
    rows = model.objects.filter(state="open", created_at__lte=before).order_by("id")
    teams = sorted(rows.order_by().values_list("session__project__team", flat=True).distinct())
    cache_key, left = f"waiting-mail:{model.__name__}", MAX_PER_ROUND
    for team_id in _teams_after(teams, _read_position(cache_key)):
        if left <= 0:
            return
        items = _team_batch(rows.filter(session__project__team=team_id), f"{cache_key}:{team_id}")
        left -= len(items)
        yield from items
        _save_position(cache_key, team_id)


def _team_batch(rows: Any, cache_key: str) -> list[Item]:
    after = _read_position(cache_key)
    more = rows if after is None else rows.filter(id__gt=after)
    items = list(more.select_related("session__project", "turn")[:MAX_PER_TEAM])
    _save_position(cache_key, items[-1].pk if len(items) == MAX_PER_TEAM else None)
    return items


def _teams_after(teams: list[uuid.UUID], after: uuid.UUID | None) -> list[uuid.UUID]:
    """Return the ids `teams`, beginning with the first id after `after`, so that the next run starts where the last run
    stopped."""
    if after is None:
        return teams
    return [one for one in teams if one > after] + [one for one in teams if one <= after]


def _read_position(cache_key: str) -> uuid.UUID | None:
    with suppress(OSError, RedisError):
        text = cache.get(cache_key)
        return uuid.UUID(text) if text else None
    return None


def _save_position(cache_key: str, pk: uuid.UUID | None) -> None:
    with suppress(OSError, RedisError):
        if pk is None:
            cache.delete(cache_key)
        else:
            cache.set(cache_key, str(pk), CURSOR_TTL_SECONDS)
