"""What waits for people, a bounded part of it at a time, so that each team has its turn whatever waits in others.

Where a team's turn ended is remembered in the cache: the next one goes on there. Without the cache it begins at the
oldest again, which is late for what is behind it, and never wrong.
"""

import uuid
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from typing import Any, Final

from django.core.cache import cache
from redis.exceptions import RedisError

from sessions_app.models import PermissionRequest, Question

OF_TEAM: Final = 100  # items of one kind of one team in one round
OF_ALL: Final = 2000  # of one kind of all teams
REMEMBERED: Final = 24 * 3600  # seconds

Item = PermissionRequest | Question


def waiting_items(before: datetime) -> Iterator[Item]:
    """Open since then or longer; of each team the oldest that this round has come to."""
    for model in (PermissionRequest, Question):
        yield from _round(model, before)


def _round(model: Any, before: datetime) -> Iterator[Item]:
    rows = model.objects.filter(state="open", created_at__lte=before).order_by("id")
    teams = sorted(rows.order_by().values_list("session__project__team", flat=True).distinct())
    place, left = f"waiting-mail:{model.__name__}", OF_ALL
    for team_id in _from(teams, _remembered(place)):
        if left <= 0:
            return
        items = _turn(rows.filter(session__project__team=team_id), f"{place}:{team_id}")
        left -= len(items)
        yield from items
        _remember(place, team_id)


def _turn(rows: Any, place: str) -> list[Item]:
    after = _remembered(place)
    more = rows if after is None else rows.filter(id__gt=after)
    items = list(more.select_related("session__project", "turn")[:OF_TEAM])
    _remember(place, items[-1].pk if len(items) == OF_TEAM else None)
    return items


def _from(teams: list[uuid.UUID], after: uuid.UUID | None) -> list[uuid.UUID]:
    """All of them, beginning behind the one that was last."""
    if after is None:
        return teams
    return [one for one in teams if one > after] + [one for one in teams if one <= after]


def _remembered(place: str) -> uuid.UUID | None:
    with suppress(OSError, RedisError):
        text = cache.get(place)
        return uuid.UUID(text) if text else None
    return None


def _remember(place: str, pk: uuid.UUID | None) -> None:
    with suppress(OSError, RedisError):
        if pk is None:
            cache.delete(place)
        else:
            cache.set(place, str(pk), REMEMBERED)
