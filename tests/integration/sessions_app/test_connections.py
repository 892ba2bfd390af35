"""Connections of a team to forges: made, tested, used, replaced and revoked, against a forge on this machine."""

from typing import Any

import pytest
from django.db import connection as database
from django.test import Client

from agentsite.tenancy.door_encryption import DOOR
from agentsite.tenancy.models import AuditEntry, User
from agentsite.tenancy.roles import Role
from deploy.demo_forge import Account, Forge
from sessions_app.models import Connection, ProjectRepository
from tests.support.builders import browser_of, make_member, make_project, make_team
from tests.support.door_at_work import door_at_work, forge_site, running_forge
from tests.support.lanes import sampled

__all__ = ["door_at_work", "forge_site", "running_forge"]
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("door_at_work")]


@pytest.fixture
def admin() -> User:
    return make_member(make_team(), Role.ADMIN)


@pytest.fixture
def browser(admin: User) -> Client:
    return browser_of(admin)


@pytest.fixture
def kim(forge_site: Forge) -> Account:
    return forge_site.account("kim")


def team_of(user: User) -> Any:
    return user.memberships.get().team


def connect(browser: Client, admin: User, site: Forge, token: str, **more: Any) -> Any:
    body = {"kind": "github", "name": "The forge", "base_url": site.url, "token": token, **more}
    return send(browser, "post", f"/teams/{team_of(admin).public_id}/connections", body)


def send(browser: Client, method: str, path: str, body: Any = None) -> Any:
    return getattr(browser, method)(f"/api/v1{path}", body, content_type="application/json")


def get(browser: Client, path: str, **query: str) -> Any:
    return browser.get(f"/api/v1{path}", query)


@pytest.mark.parametrize("kind", sampled(["github", "gitlab", "gitea", "bitbucket"], every=2, start=1))
def test_an_admin_connects_a_forge_tests_it_and_finds_repositories(
    kind: str, browser: Client, admin: User, forge_site: Forge, kim: Account
) -> None:
    shop = forge_site.repository(f"{kind}/shop", {"README.md": "# Tea\n"}, writers=[kim], default_branch="trunk")
    shop.commit({"a": "a"}, branch="next")
    made = connect(browser, admin, forge_site, kim.token, kind=kind)
    assert made.status_code == 201
    assert (made.json()["state"], made.json()["ending"]) == ("unknown", kim.token[-4:])
    connection = f"/connections/{made.json()['id']}"

    assert send(browser, "post", f"{connection}/test").json() == {
        "ok": True,
        "message": "Connected as kim.",
        "hint": "",
    }
    now = get(browser, connection).json()
    assert (now["state"], now["account"], now["message"]) == ("ok", "kim", "")
    assert now["checked_at"]
    assert send(browser, "post", f"{connection}/test").status_code == 429

    (found,) = get(browser, f"{connection}/repositories", search=f"{kind}/SHOP").json()["items"]
    assert (found["full_name"], found["default_branch"], found["private"]) == (f"{kind}/shop", "trunk", True)
    branches = get(browser, f"{connection}/branches", repository=found["full_name"]).json()
    assert branches["default_branch"] == "trunk"
    assert [each["name"] for each in branches["items"]] == ["trunk", "next"]
    unknown = get(browser, f"{connection}/branches", repository=f"{kind}/none")
    assert (unknown.status_code, unknown.json()["error"]["code"]) == (400, "repository_not_found")


def test_a_credential_is_stored_for_the_door_alone_and_never_returned(
    browser: Client, admin: User, forge_site: Forge, kim: Account
) -> None:
    made = connect(browser, admin, forge_site, kim.token)
    row = Connection.objects.get()
    assert DOOR.unseal(row.sealed) == kim.token
    with database.cursor() as cursor:
        cursor.execute("SELECT * FROM sessions_app_connection")
        assert kim.token not in str(cursor.fetchall())
    assert kim.token not in made.content.decode()
    assert kim.token not in get(browser, f"/teams/{team_of(admin).public_id}/connections").content.decode()
    assert kim.token not in str(list(AuditEntry.objects.values()))


def test_a_wrong_token_is_named_in_plain_words_and_mended_by_a_new_one(
    browser: Client, admin: User, forge_site: Forge, kim: Account
) -> None:
    forge_site.repository("tea/mended", {"a": "a"}, writers=[kim])
    made = connect(browser, admin, forge_site, kim.token).json()
    connection = f"/connections/{made['id']}"
    kim.renew()  # the entered credential is no longer valid
    report = send(browser, "post", f"{connection}/test").json()
    assert not report["ok"]
    assert "wrong, expired or revoked" in report["message"]
    failed = get(browser, connection).json()
    assert failed["state"] == "failed"
    assert "Ask an admin of the team to replace" in failed["message"]

    used = get(browser, f"{connection}/repositories")
    assert (used.status_code, used.json()["error"]["code"]) == (409, "connection_failed")
    replaced = send(browser, "put", f"{connection}/credential", {"token": kim.token, "base_version": made["version"]})
    assert (replaced.status_code, replaced.json()["state"]) == (200, "unknown")
    assert get(browser, f"{connection}/repositories").json()["items"]
    assert get(browser, connection).json()["state"] == "ok"
    stale = send(browser, "put", f"{connection}/credential", {"token": "another", "base_version": made["version"]})
    assert (stale.status_code, stale.json()["error"]["code"]) == (409, "stale_connection")


def test_a_revoked_connection_is_refused_at_its_next_use(
    browser: Client, admin: User, forge_site: Forge, kim: Account
) -> None:
    made = connect(browser, admin, forge_site, kim.token).json()
    connection = f"/connections/{made['id']}"
    assert get(browser, f"{connection}/repositories").status_code == 200
    asked = len(forge_site.requests)

    revoked = send(browser, "post", f"{connection}/revoke")
    assert (revoked.status_code, revoked.json()["state"], revoked.json()["ending"]) == (200, "revoked", "")
    assert Connection.objects.get().sealed == ""
    for path in ("/repositories", "/branches?repository=a/b"):
        refused = get(browser, f"{connection}{path}")
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "connection_revoked")
    assert send(browser, "post", f"{connection}/test").status_code == 409
    assert len(forge_site.requests) == asked
    assert [entry.action for entry in AuditEntry.objects.filter(action__startswith="connection.").order_by("seq")] == [
        "connection.created", "connection.revoked",
    ]  # fmt: skip


def test_members_see_names_and_states_only(browser: Client, admin: User, forge_site: Forge, kim: Account) -> None:
    made = connect(browser, admin, forge_site, kim.token).json()
    member = browser_of(make_member(team_of(admin)))
    (seen,) = get(member, f"/teams/{team_of(admin).public_id}/connections").json()["items"]
    assert (seen["name"], seen["state"], seen["can_edit"]) == ("The forge", "unknown", False)
    assert (seen["base_url"], seen["ending"], seen["created_by"]) == ("", "", None)
    for method, path, body in (
        ("post", f"/connections/{made['id']}/test", None),
        ("post", f"/connections/{made['id']}/revoke", None),
        ("put", f"/connections/{made['id']}/credential", {"token": "another"}),
        ("patch", f"/connections/{made['id']}", {"name": "Mine"}),
        ("delete", f"/connections/{made['id']}", None),
    ):
        assert send(member, method, path, body).status_code == 403, path
    assert get(member, f"/connections/{made['id']}/repositories").status_code == 403


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"kind": "github", "token": ""}, "token"),
        ({"kind": "github", "token": "two words"}, "token"),
        ({"kind": "gitea", "token": "t"}, "base_url"),
        ({"kind": "gitlab", "base_url": "http://git.example.org", "token": "t"}, "base_url"),
        ({"kind": "gitlab", "base_url": "https://10.0.0.7", "token": "t"}, "base_url"),
        ({"kind": "gitlab", "base_url": "https://user:pw@git.example.org", "token": "t"}, "base_url"),
        ({"kind": "git", "base_url": "https://git.example.org", "token": "t", "username": "a:b"}, "username"),
        ({"kind": "gitlab", "app": {"app_id": "1", "private_key": "-----BEGIN PRIVATE KEY-----"}}, "app"),
        ({"kind": "github", "app": {"app_id": "1", "private_key": "nothing"}}, "app.private_key"),
    ],
)
def test_a_connection_that_cannot_work_is_refused(
    body: dict[str, Any], field: str, browser: Client, admin: User
) -> None:
    refused = send(browser, "post", f"/teams/{team_of(admin).public_id}/connections", body)
    assert refused.status_code == 400
    assert field in refused.json()["error"]["fields"]


def test_names_are_unique_and_a_connection_in_use_is_not_deleted(
    browser: Client, admin: User, forge_site: Forge, kim: Account
) -> None:
    made = connect(browser, admin, forge_site, kim.token).json()
    twice = connect(browser, admin, forge_site, kim.token)
    assert (twice.status_code, twice.json()["error"]["code"]) == (409, "connection_exists")

    hosts = [connect(browser, admin, forge_site, kim.token, name="").json()["name"] for _ in range(2)]
    assert hosts == [forge_site.place, f"{forge_site.place} 2"]

    project = make_project(team_of(admin))
    ProjectRepository.objects.create(
        project=project,
        connection=Connection.objects.get(name="The forge"),
        clone_url=f"{forge_site.url}/a/b.git",
        full_name="a/b",
    )
    used = send(browser, "delete", f"/connections/{made['id']}")
    assert (used.status_code, used.json()["error"]["code"]) == (409, "connection_in_use")
    project.delete()
    assert send(browser, "delete", f"/connections/{made['id']}").status_code == 204
    assert get(browser, f"/connections/{made['id']}").status_code == 404


def test_an_app_lists_the_repositories_that_it_is_installed_for(
    browser: Client, admin: User, forge_site: Forge
) -> None:
    app = forge_site.app_account("helper[bot]")
    forge_site.repository("tea/of-app", {"a": "a"}, writers=[app])
    given = {"app_id": app.app_id, "private_key": app.private_key}
    made = connect(browser, admin, forge_site, "", app=given).json()
    report = send(browser, "post", f"/connections/{made['id']}/test").json()
    assert report["ok"], report
    (found,) = get(browser, f"/connections/{made['id']}/repositories").json()["items"]
    assert found["full_name"] == "tea/of-app"

    app.renew()  # GitHub ended the token early: another one is fetched
    assert get(browser, f"/connections/{made['id']}/repositories").json()["items"]


def test_without_a_door_the_answer_says_so_in_seconds(
    browser: Client, admin: User, forge_site: Forge, kim: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sessions_app.repositories.queries.TIMEOUT_WITHOUT_DOOR", 0.3)
    monkeypatch.setattr("agentsite.base.task_table._send", lambda *_args, **_options: None)
    made = connect(browser, admin, forge_site, kim.token).json()
    refused = send(browser, "post", f"/connections/{made['id']}/test")
    assert (refused.status_code, refused.json()["error"]["code"]) == (503, "door_silent")
