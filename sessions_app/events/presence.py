"""Presence: which people have a session open now.

Each open socket reports every two seconds, and a report expires after `WINDOW_TTL`. So people disappear within seconds
if a web server is killed, and reappear as quickly if Valkey is emptied. Several windows of one person count as one.
"""

import uuid
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import redis
from django.conf import settings

from agentsite.tenancy.models import Membership
from agentsite.tenancy.roles import Act
from sessions_app.events import views
from sessions_app.events.schema import PersonView, View
from sessions_app.models import Message, Session, Turn

WINDOW_TTL: Final = 6.0  # seconds without a report after which a window counts as closed
_REDIS_TIMEOUT: Final = 1.0
_TOUCH: Final = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local lifetime = tonumber(ARGV[2])
if lifetime > 0 then
  redis.call('ZADD', KEYS[1], now + lifetime, ARGV[1])
  redis.call('PEXPIRE', KEYS[1], lifetime)
elseif ARGV[1] ~= '' then
  redis.call('ZREM', KEYS[1], ARGV[1])
end
return redis.call('ZRANGE', KEYS[1], 0, -1)
"""
"""Uses the Valkey server's clock, so the clocks of several web servers need not agree."""

Windows = Mapping[uuid.UUID, int]


@dataclass(frozen=True, slots=True)
class BrowserWindow:
    """One open browser window of a person on a session."""

    session_id: uuid.UUID
    user_id: uuid.UUID
    window: str


class WatcherView(View):
    """A person who has the session open. `acts`: may send prompts; `drives`: started or last prompted the open turn."""

    person: PersonView
    windows: int
    acts: bool
    drives: bool


def report_window(window: BrowserWindow) -> Windows:
    """Report that the window is open. Returns how many windows each person has open. Raises RedisError."""
    return _ask(window.session_id, f"{window.user_id.hex}:{window.window}", WINDOW_TTL)


def close_window(window: BrowserWindow) -> None:
    _ask(window.session_id, f"{window.user_id.hex}:{window.window}", 0)


def watching(session_id: uuid.UUID) -> Windows:
    return _ask(session_id, "", 0)


def driver_of(session_id: uuid.UUID) -> uuid.UUID | None:
    """Return who sent the last prompt of the open turn. For a sub-agent, return who prompted its root turn."""
    turn = Turn.objects.filter(session_id=session_id, state__in=Turn.OPEN).only("id", "started_by_id").first()
    if turn is None:
        return None
    authors = Message.objects.filter(turn=turn, role=Message.Role.USER, author__isnull=False).order_by("-id")
    author = authors.values_list("author_id", flat=True).first()
    return author or turn.started_by_id


def watchers(session: Session, windows: Windows, driver: uuid.UUID | None) -> list[WatcherView]:
    """Return the team members among the people with open windows, by name. Reads `session.project`."""
    rows = Membership.objects.filter(team_id=session.project.team_id, user__in=windows.keys())
    found = [
        WatcherView(person=person, windows=windows[row.user_id], acts=row.may(Act.PROMPT), drives=row.user_id == driver)
        for row in rows.select_related("user")
        if (person := views.person(row.user))
    ]
    return sorted(found, key=lambda each: (each.person.name or each.person.email).casefold())


def _ask(session_id: uuid.UUID, member: str, lifetime: float) -> Windows:
    found: Any = _script()(keys=[f"agentsite:presence:{session_id.hex}"], args=[member, int(lifetime * 1000)])
    return Counter(uuid.UUID(hex=each.decode().partition(":")[0]) for each in found)


@cache
def _script() -> Any:
    client = redis.Redis.from_url(
        settings.REDIS_URL, socket_timeout=_REDIS_TIMEOUT, socket_connect_timeout=_REDIS_TIMEOUT
    )
    return client.register_script(_TOUCH)
