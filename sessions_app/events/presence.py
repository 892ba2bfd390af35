"""Presence: the people who have a session open now.

Each web server reports its open windows every two seconds, and a report expires after `WINDOW_TTL`. So people disappear
within seconds if a web server is killed, and reappear as quickly if Valkey is emptied. Several windows of one person
count as one.
"""

import uuid
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import redis
from django.conf import settings

from agentsite.tenancy.models import Membership
from agentsite.tenancy.roles import Act
from sessions_app.events import views
from sessions_app.events.schema import PersonView, View
from sessions_app.models import Message, Turn

WINDOW_TTL: Final = 6.0  # seconds without a report after which a window counts as closed
_REDIS_TIMEOUT: Final = 1.0
_REPORT: Final = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local lifetime, opened = tonumber(ARGV[1]), tonumber(ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
for number = 3, #ARGV do
  if number - 2 <= opened then
    redis.call('ZADD', KEYS[1], now + lifetime, ARGV[number])
  else
    redis.call('ZREM', KEYS[1], ARGV[number])
  end
end
if opened > 0 then redis.call('PEXPIRE', KEYS[1], lifetime) end
return redis.call('ZRANGE', KEYS[1], 0, -1)
"""
"""The script that stores reports of windows. It uses the Valkey server's clock, because web servers may differ."""

Windows = Mapping[uuid.UUID, int]


class WatcherView(View):
    """A person who has the session open. `acts`: they may send prompts; `drives`: they started the open turn or sent
    its last prompt."""

    person: PersonView
    windows: int
    acts: bool
    drives: bool


@dataclass(frozen=True, slots=True)
class Member:
    """A member of the team, for presence. `acts`: the member may send prompts."""

    person: PersonView
    acts: bool


def new_window(user_id: uuid.UUID) -> str:
    """Return a name for a browser window that this person opens on a session."""
    return f"{user_id.hex}:{uuid.uuid4().hex}"


def report_windows(session_id: uuid.UUID, *, opened: Collection[str] = (), closed: Collection[str] = ()) -> Windows:
    """Report which windows of the session are open, and which were closed. Returns the number of open windows of each
    person. Raises RedisError."""
    arguments = [int(WINDOW_TTL * 1000), len(opened), *opened, *closed]
    found: Any = _script()(keys=[f"agentsite:presence:{session_id.hex}"], args=arguments)
    return Counter(uuid.UUID(hex=each.decode().partition(":")[0]) for each in found)


def watching(session_id: uuid.UUID) -> Windows:
    """Return the number of windows of the session that each person has open. Raises RedisError."""
    return report_windows(session_id)


def driver_of(session_id: uuid.UUID) -> uuid.UUID | None:
    """Return the id of the person who sent the last prompt of the session's open turn. For a sub-agent's session, it is
    the person who prompted the root turn."""
    turn = Turn.objects.filter(session_id=session_id, state__in=Turn.OPEN).only("id", "started_by_id").first()
    if turn is None:
        return None
    authors = Message.objects.filter(turn=turn, role=Message.Role.USER, author__isnull=False).order_by("-id")
    author = authors.values_list("author_id", flat=True).first()
    return author or turn.started_by_id


def find_members(team_id: uuid.UUID, user_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, Member]:
    """Return the members of the team among these users, by user id."""
    rows = Membership.objects.filter(team_id=team_id, user__in=user_ids).select_related("user")
    return {row.user_id: Member(person, row.may(Act.PROMPT)) for row in rows if (person := views.person(row.user))}


def list_watchers(
    windows: Windows, members: Mapping[uuid.UUID, Member | None], driver: uuid.UUID | None
) -> list[WatcherView]:
    """Return a view of each member who has windows of the session open, sorted by name. `driver` is the result of
    `driver_of`."""
    found = [
        WatcherView(person=member.person, windows=count, acts=member.acts, drives=user_id == driver)
        for user_id, count in windows.items()
        if (member := members.get(user_id))
    ]
    return sorted(found, key=lambda each: (each.person.name or each.person.email).casefold())


@cache
def _script() -> Any:
    client = redis.Redis.from_url(
        settings.REDIS_URL, socket_timeout=_REDIS_TIMEOUT, socket_connect_timeout=_REDIS_TIMEOUT
    )
    return client.register_script(_REPORT)
