"""Measure a search among 100,000 messages. Results are printed, not asserted: `pytest -m bench -s tests/bench`."""

import itertools
import random
import statistics
import time
from collections.abc import Sequence
from typing import Final

import pytest
from django.db import connection

from agentsite.tenancy.models import Team, User
from agentsite.tenancy.roles import Role
from sessions_app.models import SearchText, Session, SessionGuest, Workspace
from sessions_app.search.find import Filters, search
from sessions_app.search.words import words_of
from tests.support.builders import make_member, make_project, make_team

MESSAGES: Final = 100_000
SESSIONS: Final = 200
WORDS: Final = 40  # of one message
TRIES: Final = 15
BOUND: Final = 100  # ms; people do not notice them
QUESTIONS: Final = {
    "rare": "word4999",
    "common": "word1",
    "one letter": "w",
    "beginning": "wor",
    "two words": "word20 word30",
    "phrase": '"word12 word3"',
    "either": "word4999 OR word1",
    "without": "word5 -word1",
    "nowhere": "nowhere",
}

pytestmark = [pytest.mark.bench, pytest.mark.django_db]


def test_search_among_many_messages() -> None:
    people = _people_of_sessions()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # as PostgreSQL does by itself
    print(f"\n{connection.vendor}, {MESSAGES} texts, {TRIES} tries: median and p95 in ms, p95 as part of {BOUND} ms")
    for who, user in people.items():
        for name, question in QUESTIONS.items():
            _measure(f"{who:13} {name:11} first", user, question, 0)
        _measure(f"{who:13} {'common':11} page 10", user, QUESTIONS["common"], 9)


def _measure(label: str, user: User, question: str, pages: int) -> None:
    cursor = None
    for _ in range(pages):
        cursor = search(user=user, text=question, filters=Filters(), cursor=cursor, limit=20).next_cursor
    times = []
    for _ in range(TRIES):
        began = time.perf_counter()
        found = search(user=user, text=question, filters=Filters(), cursor=cursor, limit=20)
        times.append((time.perf_counter() - began) * 1000)
    p95 = statistics.quantiles(times, n=20)[-1]
    print(f"{label:34} {len(found.rows):3} found {statistics.median(times):7.1f} {p95:7.1f} {p95 / BOUND:5.2f}")


def _people_of_sessions() -> dict[str, User]:
    """Create the sessions, and return people with different access to them.

    Half of the sessions are visible to the team, a quarter is private to one member, and nearly all others belong to
    another team. The last two are private sessions of a third team; a guest has access to one of them.
    """
    team, other = make_team(), make_team()
    member, starter = make_member(team, Role.MEMBER), make_member(team, Role.MEMBER)
    guest = make_member(other, Role.MEMBER)
    sessions = [
        *_sessions(team, member, SESSIONS // 2, "team"),
        *_sessions(team, starter, SESSIONS // 4, "private"),
        *_sessions(make_team(), make_member(make_team(), Role.MEMBER), SESSIONS // 4 - 2, "team"),
        *_sessions(other, make_member(other, Role.MEMBER), 2, "private"),
    ]
    SessionGuest.objects.create(session=sessions[-1], user=guest)
    random.Random(5).shuffle(sessions)
    _fill(sessions)
    return {"member": member, "private too": starter, "one session": guest}


def _sessions(team: Team, starter: User, count: int, shared_with: str) -> list[Session]:
    project = make_project(team)
    workspace = Workspace.objects.create(project=project, name="main")
    return [
        Session.objects.create(project=project, workspace=workspace, created_by=starter, shared_with=shared_with)
        for _ in range(count)
    ]


def _fill(sessions: Sequence[Session]) -> None:
    """Fill the sessions with words as frequent as in a language: the first word in almost every message, the last in
    few."""
    chance = random.Random(7)
    vocabulary = [f"word{number}" for number in range(1, 5001)]
    weights = list(itertools.accumulate(1 / number for number in range(1, 5001)))
    for start in range(0, MESSAGES, 5000):
        rows = []
        for number in range(start, start + 5000):
            text = " ".join(chance.choices(vocabulary, cum_weights=weights, k=WORDS))
            session = sessions[number % len(sessions)]
            rows.append(
                SearchText(session=session, kind="answer", ref=f"prt_{number}", text=text, words=words_of(text))
            )
        SearchText.objects.bulk_create(rows)
