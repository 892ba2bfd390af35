"""A project's repository is chosen when the project is created or later, and can be changed and removed."""

from typing import Any

import pytest
from django.test import Client

from agentsite.tenancy.models import Project, User
from agentsite.tenancy.roles import Role
from deploy.demo_forge import Forge
from sessions_app.models import Connection, ProjectRepository, Workspace
from tests.support.asking import audited
from tests.support.builders import browser_of, make_member, make_project, make_team
from tests.support.door_at_work import door_at_work, forge_site, running_forge

__all__ = ["door_at_work", "forge_site", "running_forge"]
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("door_at_work")]


@pytest.fixture
def admin() -> User:
    return make_member(make_team(), Role.ADMIN)


@pytest.fixture
def browser(admin: User) -> Client:
    return browser_of(admin)


@pytest.fixture
def connection(admin: User) -> Connection:
    return Connection.objects.create(
        team=admin.memberships.get().team, kind="github", name="GitHub", base_url="https://github.com"
    )


@pytest.fixture
def project(admin: User) -> Project:
    return make_project(admin.memberships.get().team)


def send(browser: Client, method: str, path: str, body: Any = None, **headers: str) -> Any:
    return getattr(browser, method)(f"/api/v1{path}", body, content_type="application/json", headers=headers)


def put(browser: Client, project: Project, body: Any, **headers: str) -> Any:
    return send(browser, "put", f"/projects/{project.public_id}/repository", body, **headers)


def test_a_project_is_created_with_a_repository_once_for_each_key(
    browser: Client, admin: User, connection: Connection
) -> None:
    team = connection.team
    chosen = {"connection": connection.public_id, "name": "tea/shop", "ref": "trunk"}
    path, body = f"/teams/{team.public_id}/projects", {"name": "Shop", "repository": chosen}
    made = send(browser, "post", path, body, **{"Idempotency-Key": "one"})
    again = send(browser, "post", path, body, **{"Idempotency-Key": "one"})
    assert (made.status_code, made.json()) == (201, again.json())

    row = ProjectRepository.objects.get()
    assert (row.clone_url, row.full_name, row.default_branch) == (
        "https://github.com/tea/shop.git",
        "tea/shop",
        "trunk",
    )
    shown = send(browser, "get", f"/projects/{made.json()['id']}/repository").json()
    assert shown["repository"]["connection"]["name"] == "GitHub"
    assert shown["repository"]["branch_prefix"] == "agentsite/"
    assert "main" in shown["repository"]["protected"]
    (entry,) = audited(team, "project.repository_set")
    assert entry.data["repository"] == "https://github.com/tea/shop.git"


@pytest.mark.parametrize(
    ("chosen", "field"),
    [
        ({}, "name"),
        ({"name": "tea/shop"}, "connection"),
        ({"name": "tea/../shop", "connection": "own"}, "name"),
        ({"name": "tea/shop?x=1", "connection": "own"}, "name"),
        ({"name": "tea/shop", "url": "https://github.com/tea/shop", "connection": "own"}, "name"),
        ({"url": "https://git.example.org/tea/shop", "connection": "own"}, "url"),
        ({"url": "https://github.com.example.org/tea/shop", "connection": "own"}, "url"),
        ({"url": "https://kim:secret@git.example.org/tea/shop"}, "url"),
        ({"url": "http://git.example.org/tea/shop"}, "url"),
        ({"url": "https://127.0.0.1/tea/shop"}, "url"),
        ({"url": "ssh://git@git.example.org/tea/shop"}, "url"),
        ({"url": "https://git.example.org/tea/shop", "ref": "a..b"}, "ref"),
        ({"url": "https://git.example.org/tea/shop", "ref": "--upload-pack=x"}, "ref"),
    ],
)
def test_a_repository_that_cannot_be_one_is_refused_and_no_project_is_made(
    chosen: dict[str, str], field: str, browser: Client, connection: Connection
) -> None:
    if chosen.get("connection"):
        chosen = {**chosen, "connection": connection.public_id}
    body = {"name": "Shop", "repository": chosen}
    refused = send(browser, "post", f"/teams/{connection.team.public_id}/projects", body)
    assert refused.status_code == 400
    assert field in refused.json()["error"]["fields"]
    assert not Project.objects.exists()


def test_a_connection_of_another_team_is_unknown(browser: Client, project: Project) -> None:
    foreign = Connection.objects.create(team=make_team(), kind="github", name="x", base_url="https://github.com")
    refused = put(browser, project, {"connection": foreign.public_id, "name": "tea/shop"})
    assert refused.status_code == 404
    assert not ProjectRepository.objects.exists()


def test_the_repository_is_changed_by_its_version_and_taken_away(
    browser: Client, project: Project, connection: Connection
) -> None:
    assert send(browser, "get", f"/projects/{project.public_id}/repository").json() == {
        "repository": None, "can_edit": True,
    }  # fmt: skip
    first = put(browser, project, {"connection": connection.public_id, "name": "tea/shop", "base_version": 0})
    assert (first.status_code, first.json()["repository"]["version"]) == (200, 1)
    changed = {
        "url": "https://git.example.org/open/tea", "ref": "main", "branch_prefix": "bot/", "protected": ["main", "v*"],
        "sign_off": True, "co_author": False,
    }  # fmt: skip
    second = put(browser, project, changed, **{"If-Match": first.headers["ETag"]})
    shown = second.json()["repository"]
    assert (shown["connection"], shown["clone_url"]) == (None, "https://git.example.org/open/tea")
    assert (shown["branch_prefix"], shown["protected"], shown["sign_off"]) == ("bot/", ["main", "v*"], True)
    assert put(browser, project, changed, **{"If-Match": first.headers["ETag"]}).status_code == 412
    stale = put(browser, project, {**changed, "base_version": 1})
    assert (stale.status_code, stale.json()["error"]["code"]) == (409, "stale_repository")

    assert send(browser, "delete", f"/projects/{project.public_id}/repository").status_code == 204
    none = send(browser, "get", f"/projects/{project.public_id}/branches")
    assert (none.status_code, none.json()["error"]["code"]) == (409, "no_repository")


def test_members_choose_among_the_branches_of_the_projects_repository(
    project: Project, admin: User, forge_site: Forge
) -> None:
    team = admin.memberships.get().team
    shop = forge_site.repository("tea/branches", {"a": "a"}, private=False)
    shop.commit({"a": "b"}, branch="next")
    ProjectRepository.objects.create(project=project, clone_url=shop.clone_url, full_name=shop.full_name)
    member = browser_of(make_member(team))
    found = send(member, "get", f"/projects/{project.public_id}/branches").json()
    assert (found["default_branch"], [each["name"] for each in found["items"]]) == ("main", ["main", "next"])
    searched = member.get(f"/api/v1/projects/{project.public_id}/branches", {"search": "NEX"}).json()
    assert [each["name"] for each in searched["items"]] == ["next"]
    viewer = browser_of(make_member(team, Role.VIEWER))
    assert send(viewer, "get", f"/projects/{project.public_id}/branches").status_code == 403
    public = browser_of(admin).get(f"/api/v1/teams/{team.public_id}/branches", {"url": shop.clone_url})
    assert [each["name"] for each in public.json()["items"]] == ["main", "next"]


def test_a_team_is_deleted_with_its_connections_and_repositories(project: Project, connection: Connection) -> None:
    ProjectRepository.objects.create(project=project, connection=connection, clone_url="https://x/a", full_name="a")
    project.team.delete()
    assert not Connection.objects.exists()
    assert not ProjectRepository.objects.exists()


def test_a_session_with_a_ref_gets_a_workspace_of_its_own(project: Project, browser: Client) -> None:
    path = f"/projects/{project.public_id}/sessions"
    none = send(browser, "post", path, {"ref": "next"})
    assert (none.status_code, none.json()["error"]["code"]) == (409, "no_repository")
    ProjectRepository.objects.create(project=project, clone_url="https://git.example.org/a", full_name="a")

    plain = send(browser, "post", path, {}).json()
    named = send(browser, "post", path, {"ref": "next"}).json()
    assert plain["workspace_id"] != named["workspace_id"]
    assert {row.public_id: row.ref for row in Workspace.objects.all()} == {
        plain["workspace_id"]: "", named["workspace_id"]: "next",
    }  # fmt: skip
    bad = send(browser, "post", path, {"ref": "a b"})
    assert (bad.status_code, list(bad.json()["error"]["fields"])) == (400, ["ref"])
    both = send(browser, "post", path, {"ref": "next", "workspace_id": plain["workspace_id"]})
    assert (both.status_code, list(both.json()["error"]["fields"])) == (400, ["ref"])


def test_what_workspaces_get_of_the_repository_is_checked_and_kept(browser: Client, project: Project) -> None:
    body = {
        "url": "https://git.example.org/tea/shop",
        "history": "shallow",
        "depth": 5,
        "folders": ["/a/b/", "a/b", "c"],
    }
    shown = put(browser, project, body).json()["repository"]
    assert (shown["history"], shown["depth"], shown["folders"]) == ("shallow", 5, ["a/b", "c"])
    for wrong in (["../a"], ["a//b"], ["-x"], ["!x"], ["a*"], [".git"], ["a\nb"]):
        refused = put(browser, project, {**body, "folders": wrong})
        assert (refused.status_code, list(refused.json()["error"]["fields"])) == (400, ["folders"])
    assert put(browser, project, {**body, "depth": 0}).status_code == 400
