import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from agentsite.base.ids import new_id, to_public
from agentsite.tenancy.roles import Role
from tests.support.builders import browser_of, join, make_member, make_project, make_team, make_user

pytestmark = pytest.mark.django_db


def test_me_names_the_teams_with_the_own_role() -> None:
    user, team = make_user(), make_team()
    join(team, user, Role.VIEWER)
    me = browser_of(user).get("/api/v1/me").json()
    seen = {"id": team.public_id, "slug": team.slug, "name": team.name, "role": "viewer"}
    assert me["teams"] == [{**seen, "may_approve": True, "remove_at": None}]
    assert me["site"] == {"demo_model": True, "model": "demo"}


def test_projects_come_newest_first_and_page_by_page() -> None:
    team = make_team()
    made = [make_project(team) for _ in range(5)]
    browser = browser_of(make_member(team))

    first = browser.get("/api/v1/projects?limit=3").json()
    second = browser.get(f"/api/v1/projects?limit=3&cursor={first['next_cursor']}").json()

    seen = [item["id"] for item in first["items"] + second["items"]]
    assert seen == [project.public_id for project in reversed(made)]
    assert second["next_cursor"] is None


def test_a_project_of_another_team_is_not_there() -> None:
    project = make_project(make_team())
    stranger = browser_of(make_member(make_team()))
    unknown = stranger.get(f"/api/v1/projects/{to_public('prj', new_id())}")
    foreign = stranger.get(f"/api/v1/projects/{project.public_id}")

    assert stranger.get("/api/v1/projects").json()["items"] == []
    assert foreign.status_code == unknown.status_code == 404
    assert foreign.json()["error"]["code"] == unknown.json()["error"]["code"]


@pytest.mark.parametrize("query", ["cursor=nonsense", "limit=0", "limit=1000", "limit=many"])
def test_a_bad_page_is_a_named_field(query: str) -> None:
    answer = browser_of(make_user()).get(f"/api/v1/projects?{query}")
    assert answer.status_code == 400
    assert query.split("=", maxsplit=1)[0] in answer.json()["error"]["fields"]


def test_anybody_may_ask_what_site_this_is() -> None:
    site = Client().get("/api/v1/site").json()
    assert site["demo_login"]["email"] == "demo@agentsite.local"
    assert site["demo_model"] is True


def test_a_site_without_demo_mode_tells_no_login(settings: Settings) -> None:
    settings.DEMO_MODE = False
    assert Client().get("/api/v1/site").json()["demo_login"] is None
