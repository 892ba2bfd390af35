"""Budgets over REST: reading, refusals, and the visibility of other people's budgets."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from agentsite.tenancy.models import Team, User
from agentsite.tenancy.roles import Role
from sessions_app.models import Budget, Session, Turn, Workspace
from tests.support.builders import browser_of, make_member, make_project, make_team

pytestmark = pytest.mark.django_db

NEW = {"scope": "team", "period": "month", "limit": "25.5"}


@pytest.fixture
def team() -> Team:
    return make_team()


@pytest.fixture
def owner(team: Team) -> User:
    return make_member(team, Role.OWNER)


@pytest.fixture
def browser(owner: User) -> Client:
    return browser_of(owner)


def post(browser: Client, team: Team, **fields: Any) -> Any:
    return browser.post(f"/api/v1/teams/{team.public_id}/budgets", {**NEW, **fields}, content_type="application/json")


def patch(browser: Client, budget: dict[str, Any], **fields: Any) -> Any:
    headers = fields.pop("headers", {})
    return browser.patch(f"/api/v1/budgets/{budget['id']}", fields, content_type="application/json", headers=headers)


def test_a_budget_is_made_read_changed_and_removed(browser: Client, team: Team) -> None:
    made = post(browser, team).json()
    assert (made["limit"], made["spent"], made["left"]) == ("25.500000", "0.000000", "25.500000")
    assert (made["unknown_prices"], made["currency"], made["target_name"]) == ("refuse", "USD", team.name)
    path = f"/api/v1/budgets/{made['id']}"
    assert browser.get(path).json() == made
    changed = patch(browser, made, limit="30", base_version=1).json()
    assert (changed["limit"], changed["version"]) == ("30.000000", 2)
    assert browser.get(f"/api/v1/teams/{team.public_id}/budgets").json()["items"] == [changed]
    assert browser.get("/api/v1/me/budgets").json()["items"] == [changed]
    assert browser.delete(path).status_code == 204
    assert browser.get(path).status_code == 404


def test_who_looked_at_an_older_version_changes_nothing(browser: Client, team: Team) -> None:
    made = post(browser, team).json()
    tag = browser.get(f"/api/v1/budgets/{made['id']}").headers["ETag"]
    assert patch(browser, made, limit="30", headers={"If-Match": tag}).status_code == 200
    assert patch(browser, made, limit="40", headers={"If-Match": tag}).status_code == 412
    assert patch(browser, made, limit="40", base_version=1).json()["error"]["code"] == "stale_budget"
    assert Budget.objects.get().limit == Decimal(30)


@pytest.mark.parametrize(
    "fields",
    [
        {"limit": "-1"}, {"limit": "NaN"}, {"limit": "1e30"}, {"limit": "0.0000001"}, {"limit": "a\0b"},
        {"limit": None},
        {"limit": True}, {"limit": []}, {"scope": "site"}, {"period": "year"}, {"unknown_prices": "assume"},
        {"max_output": 0}, {"max_output": 10**30}, {"assumed_input": "Infinity"}, {"target": "x" * 65},
    ],
)  # fmt: skip
def test_what_is_no_budget_is_refused(browser: Client, team: Team, fields: dict[str, Any]) -> None:
    answer = post(browser, team, **fields)
    assert answer.status_code == 400, answer.content
    assert not Budget.objects.exists()


@pytest.mark.parametrize("fields", [{"limit": None}, {"hard": None}, {"base_version": 2**80}, {"limit": "\ud800"}])
def test_what_is_no_change_is_refused(browser: Client, team: Team, fields: dict[str, Any]) -> None:
    made = post(browser, team).json()
    assert patch(browser, made, **fields).status_code == 400


@pytest.mark.parametrize("scope", ["project", "person", "session"])
@pytest.mark.parametrize("target", ["", "x", "prj_" + "0" * 32, "a\0b", "\ud800"])
def test_a_target_that_is_not_there_is_missing(browser: Client, team: Team, scope: str, target: str) -> None:
    assert post(browser, team, scope=scope, target=target).status_code in (400, 404)


def test_a_target_of_another_team_is_missing(browser: Client, team: Team) -> None:
    other = make_team()
    stranger, project = make_member(other), make_project(other)
    assert post(browser, team, scope="project", target=project.public_id).status_code == 404
    assert post(browser, team, scope="person", target=stranger.public_id).status_code == 404


def test_there_is_one_budget_for_a_target_and_a_period(browser: Client, team: Team) -> None:
    first = post(browser, team).json()
    assert post(browser, team).json()["error"]["code"] == "budget_exists"
    day = post(browser, team, period="day").json()
    assert patch(browser, day, period="month").json()["error"]["code"] == "budget_exists"
    assert first["id"] != day["id"]


def test_a_members_budget_is_seen_by_the_member_and_those_who_see_what_is_used(browser: Client, team: Team) -> None:
    member, other = make_member(team), make_member(team)
    made = post(browser, team, scope="person", target=member.public_id).json()
    path = f"/api/v1/budgets/{made['id']}"
    assert browser.get(path).status_code == 200
    assert browser_of(member).get(path).json()["can_edit"] is False
    assert browser_of(other).get(path).status_code == 404
    assert browser.get("/api/v1/me/budgets").json()["items"] == []
    assert len(browser_of(member).get("/api/v1/me/budgets").json()["items"]) == 1


def test_a_member_reads_and_does_not_change(browser: Client, team: Team) -> None:
    made = post(browser, team).json()
    member = browser_of(make_member(team))
    assert member.get(f"/api/v1/budgets/{made['id']}").status_code == 200
    assert post(member, team, period="day").status_code == 403
    assert patch(member, made, limit="1000").status_code == 403
    assert member.delete(f"/api/v1/budgets/{made['id']}").status_code == 403


def test_a_session_shows_the_budgets_that_bind_it(browser: Client, team: Team, owner: User) -> None:
    project = make_project(team)
    workspace = Workspace.objects.create(project=project, name="main")
    session = Session.objects.create(project=project, workspace=workspace, created_by=owner)
    post(browser, team)
    post(browser, team, scope="session", target=session.public_id)
    post(browser, team, scope="person", target=make_member(team).public_id)
    shown = browser.get(f"/api/v1/sessions/{session.public_id}/budgets").json()["items"]
    assert {item["scope"] for item in shown} == {"team", "session"}


def test_a_session_that_waits_for_no_budget_cannot_continue(browser: Client, team: Team, owner: User) -> None:
    project = make_project(team)
    workspace = Workspace.objects.create(project=project, name="main")
    session = Session.objects.create(project=project, workspace=workspace, created_by=owner)
    Turn.objects.create(session=session, started_by=owner, state="waiting")
    answer = browser.post(f"/api/v1/sessions/{session.public_id}/continue")
    assert answer.json()["error"]["code"] == "not_stopped"


def test_a_period_that_is_over_shows_nothing_used(browser: Client, team: Team) -> None:
    made = post(browser, team).json()
    Budget.objects.update(window_start=datetime(2020, 1, 1, tzinfo=UTC), spent=9)
    shown = browser.get(f"/api/v1/budgets/{made['id']}").json()
    assert (shown["spent"], shown["window_start"]) == ("0.000000", made["window_start"])
