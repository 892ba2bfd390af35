"""Teams and projects are created, named and changed over the API."""

import re

import pytest
from pytest_django.fixtures import Settings

from agentsite.tenancy.models import AuditEntry, Membership, Project
from agentsite.tenancy.roles import Role
from tests.support.builders import make_member, make_project, make_team, make_user
from tests.support.rest_api import RestApi

pytestmark = pytest.mark.django_db


def test_who_makes_a_team_owns_it() -> None:
    user = make_user()
    team = RestApi(user)("post", "/teams", {"name": "  Tea   house "}, expect=201)
    assert (team["name"], team["role"]) == ("Tea house", "owner")
    assert re.fullmatch("tea-house-[0-9a-f]{6}", team["slug"])
    assert Membership.objects.get(user=user).role == "owner"
    assert RestApi(user)("get", "/teams")["items"] == [team]
    assert AuditEntry.objects.filter(action="team.created").count() == 1


def test_two_teams_of_one_name_have_two_slugs() -> None:
    api = RestApi(make_user())
    slugs = {api("post", "/teams", {"name": "Tea"}, expect=201)["slug"] for _ in range(3)}
    assert len(slugs) == 3


def test_a_name_without_letters_of_ours_is_a_name() -> None:
    assert RestApi(make_user())("post", "/teams", {"name": "お茶"}, expect=201)["slug"].startswith("unnamed")


@pytest.mark.parametrize("name", ["", "   ", "x" * 121, "a\0b", None, 7])
def test_a_bad_name_is_a_named_field(name: object) -> None:
    RestApi(make_user()).error("post", "/teams", {"name": name}, expect=400)


def test_where_operators_make_teams_nobody_else_does(settings: Settings) -> None:
    settings.TEAM_CREATION = "operators"
    user, operator = make_user(), make_user()
    operator.is_staff = True
    operator.save()
    RestApi(user).error("post", "/teams", {"name": "Tea"}, expect=403)
    assert RestApi(user)("get", "/me")["can_create_teams"] is False
    RestApi(operator)("post", "/teams", {"name": "Tea"}, expect=201)


def test_renaming_is_recorded_with_the_name_before() -> None:
    team = make_team("old")
    RestApi(make_member(team, Role.ADMIN))("patch", f"/teams/{team.public_id}", {"name": "New"})
    assert AuditEntry.objects.get(action="team.renamed").data == {"name": "New", "before": "Old"}


def test_a_project_is_made_and_changed_by_admins() -> None:
    team = make_team()
    api = RestApi(make_member(team, Role.ADMIN))
    project = api("post", f"/teams/{team.public_id}/projects", {"name": "Tea shop"}, expect=201)
    assert (project["slug"], project["default_agent"]) == ("tea-shop", "build")
    changed = api("patch", f"/projects/{project['id']}", {"description": "Sells tea", "default_agent": "plan"})
    assert (changed["name"], changed["description"], changed["default_agent"]) == ("Tea shop", "Sells tea", "plan")
    recorded = AuditEntry.objects.filter(chain__team=team).order_by("seq")
    assert list(recorded.values_list("action", flat=True)) == [
        "project.created",
        "project.changed",
    ]


def test_projects_of_two_teams_may_have_one_slug() -> None:
    first, second = make_team(), make_team()
    for team in (first, second):
        RestApi(make_member(team, Role.OWNER))("post", f"/teams/{team.public_id}/projects", {"name": "Tea"}, expect=201)
    assert Project.objects.filter(slug="tea").count() == 2


@pytest.mark.parametrize("change", [{"name": ""}, {"description": "x" * 10_001}, {"default_agent": ""}])
def test_a_bad_change_of_a_project_is_a_named_field(change: dict[str, str]) -> None:
    team = make_team()
    project = make_project(team)
    error = RestApi(make_member(team, Role.OWNER)).error("patch", f"/projects/{project.public_id}", change, expect=400)
    assert set(change) <= set(error["fields"])
