"""How long a search takes among 100,000 messages. Printed, not judged: `pytest -m bench -s tests/bench`."""

import random
import statistics
import time
from typing import Final

import pytest
from django.db import connection

from agentsite.tenancy.roles import Role
from sessions_app.models import SearchText, Session, Workspace
from sessions_app.search.finding import Filters, search
from sessions_app.search.words import words_of
from tests.support.builders import make_member, make_project, make_team

MESSAGES: Final = 100_000
WORDS: Final = 40  # of one message
QUESTIONS: Final = ("word7", "word1", '"word12 word3"', "word20 word30", "word5 -word1", "wor", "nowhere", "word4999")

pytestmark = [pytest.mark.bench, pytest.mark.django_db]


def test_search_among_many_messages() -> None:
    team = make_team()
    user, project = make_member(team, Role.MEMBER), make_project(team)
    workspace = Workspace.objects.create(project=project, name="main")
    sessions = [Session.objects.create(project=project, workspace=workspace, created_by=user) for _ in range(200)]
    _fill(sessions)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # as PostgreSQL does by itself
    print()
    for question in QUESTIONS:
        times = []
        for _ in range(7):
            began = time.perf_counter()
            found = search(user=user, text=question, filters=Filters(), cursor=None, limit=20)
            times.append((time.perf_counter() - began) * 1000)
        print(f"{connection.vendor:10} {question:20} {len(found.rows):3} found {statistics.median(times):7.1f} ms")


def _fill(sessions: list[Session]) -> None:
    """Words as often as in a language: the first of them in almost every message, the last in hardly any."""
    chance = random.Random(7)
    vocabulary = [f"word{number}" for number in range(1, 5001)]
    weights = [1 / number for number in range(1, 5001)]
    for start in range(0, MESSAGES, 5000):
        rows = []
        for number in range(start, start + 5000):
            text = " ".join(chance.choices(vocabulary, weights, k=WORDS))
            session = sessions[number % len(sessions)]
            rows.append(
                SearchText(session=session, kind="answer", ref=f"prt_{number}", text=text, words=words_of(text))
            )
        SearchText.objects.bulk_create(rows)
