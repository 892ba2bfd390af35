"""Rate limits, their refusals, and requests that cannot be counted."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings
from time_machine import travel

from agentsite.http import rate_limits
from agentsite.tenancy.models import Team, User
from tests.support.builders import bearer, browser_of, make_member, make_project, make_team

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture
def team() -> Team:
    return make_team()


@pytest.fixture
def user(team: Team) -> User:
    return make_member(team)


@pytest.fixture(autouse=True)
def _limits(settings: Settings) -> None:
    settings.RATE_LIMITS = {"token": "3/minute", "person": "5/minute", "team": "100/minute"}


def ask(user: User, count: int, *, headers: dict[str, str] | None = None, path: str = "/me") -> list[Any]:
    client = Client() if headers else browser_of(user)
    return [client.get(f"/api/v1{path}", headers=headers or {}) for _ in range(count)]


def test_each_answer_says_how_many_are_left(user: User) -> None:
    answers = ask(user, 2)
    assert [answer.headers["RateLimit-Remaining"] for answer in answers] == ["4", "3"]
    assert answers[0].headers["RateLimit-Limit"] == "5"
    assert 0 < int(answers[0].headers["RateLimit-Reset"]) <= 60


def test_one_too_many_is_told_when_to_come_again(user: User) -> None:
    refused = ask(user, 6)[-1]
    assert refused.status_code == 429
    assert refused.json()["error"]["code"] == "rate_limited"
    assert refused.headers["RateLimit-Remaining"] == "0"
    assert 0 < int(refused.headers["Retry-After"]) <= 60


def test_each_token_has_a_limit_of_its_own(user: User) -> None:
    one, other = bearer(user), bearer(user)
    assert [answer.status_code for answer in ask(user, 4, headers=one)] == [200, 200, 200, 429]
    assert ask(user, 1, headers=other)[0].status_code == 200
    assert ask(user, 1)[0].status_code == 200


def test_a_token_is_the_same_however_its_header_is_written(user: User) -> None:
    said = bearer(user)["Authorization"].removeprefix("Bearer ")
    ways = [f"Bearer {said}", f"bearer {said}", f"BEARER {said}", f"BeaReR {said}"]
    answers = [ask(user, 1, headers={"Authorization": way})[0].status_code for way in ways]
    assert answers == [200, 200, 200, 429]


def test_what_all_ask_about_one_team_is_counted_together(team: Team, user: User, settings: Settings) -> None:
    settings.RATE_LIMITS |= {"team": "3/minute"}
    path = f"/projects/{make_project(team).public_id}"
    assert [answer.status_code for answer in ask(user, 2, path=path)] == [200, 200]
    colleague = make_member(team)
    assert [answer.status_code for answer in ask(colleague, 2, path=path)] == [200, 429]


def test_a_stranger_does_not_use_up_what_is_the_teams(team: Team, user: User, settings: Settings) -> None:
    settings.RATE_LIMITS |= {"team": "1/minute"}
    path = f"/projects/{make_project(team).public_id}"
    assert {answer.status_code for answer in ask(make_member(make_team()), 3, path=path)} == {404}
    assert ask(user, 1, path=path)[0].status_code == 200


def test_who_is_not_signed_in_is_counted_nowhere() -> None:
    answer = Client().get("/api/v1/me")
    assert answer.status_code == 401
    assert "RateLimit-Limit" not in answer.headers


def test_no_limit_no_headers(user: User, settings: Settings) -> None:
    settings.RATE_LIMITS = {"token": "", "person": "", "team": ""}
    assert "RateLimit-Limit" not in ask(user, 1)[0].headers


def test_while_valkey_is_away_each_server_counts_for_itself(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    away = rate_limits.Counters("redis+unix:///nowhere/valkey.sock")
    monkeypatch.setattr(rate_limits, "counters", lambda: away)
    with travel(timezone.now().replace(second=20)):  # a window ends with the minute, and its counts fade afterwards
        answers = ask(user, 6)
    assert [answer.status_code for answer in answers] == [200] * 5 + [429]
