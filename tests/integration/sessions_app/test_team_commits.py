"""Commit settings of a team, which projects can replace."""

from typing import Any

import pytest
from django.test import Client

from agentsite.tenancy.door_encryption import DOOR
from agentsite.tenancy.models import Project, User
from agentsite.tenancy.roles import Role
from sessions_app.models import TeamCommits
from sessions_app.repositories.authors import commit_identity
from tests.support.asking import audited
from tests.support.builders import browser_of, make_member, make_project, make_team
from tools_app.network.git.ssh_keys import load_key, public_line

pytestmark = pytest.mark.django_db(transaction=True)
AGENT = {"committer_name": "Tea bot", "committer_email": "bot@tea.example"}


@pytest.fixture
def admin() -> User:
    return make_member(make_team(), Role.ADMIN)


@pytest.fixture
def project(admin: User) -> Project:
    return make_project(admin.memberships.get().team)


def send(browser: Client, method: str, path: str, body: Any = None, **headers: str) -> Any:
    return getattr(browser, method)(f"/api/v1{path}", body, content_type="application/json", headers=headers)


def test_a_team_sets_them_by_version_and_everybody_reads_them(admin: User, project: Project) -> None:
    team, browser = project.team, browser_of(admin)
    path = f"/teams/{team.public_id}/commits"
    fresh = send(browser, "get", path).json()
    assert (fresh["version"], fresh["author"], fresh["committer_name"]) == (0, "person", "")
    assert fresh["applied"]["committer_name"] == "agentsite"
    saved = send(browser, "put", path, {**AGENT, "author": "agent", "base_version": 0})
    assert (saved.status_code, saved.json()["version"]) == (200, 1)
    assert saved.json()["applied"] == {**AGENT, "author": "agent", "co_author": True, "sign_off": False, "sign": False}
    stale = send(browser, "put", path, {"base_version": 0})
    assert (stale.status_code, stale.json()["error"]["code"]) == (409, "stale_commits")
    assert send(browser, "put", path, {}, **{"If-Match": '"7"'}).status_code == 412
    assert not send(browser_of(make_member(team, Role.VIEWER)), "get", path).json()["can_edit"]
    (entry,) = audited(team, "team.commits_set")
    assert entry.data["committer_email"] == "bot@tea.example"


@pytest.mark.parametrize(
    "body",
    [{"committer_name": "a\nb"}, {"committer_name": "a <b>"}, {"committer_email": "bot"}, {"committer_email": "a b@c"}],
)
def test_what_git_cannot_write_is_refused(body: dict[str, str], admin: User, project: Project) -> None:
    browser = browser_of(admin)
    for path in (f"/teams/{project.team.public_id}/commits", f"/projects/{project.public_id}/repository"):
        repository = {} if "commits" in path else {"url": "https://git.example.org/tea/shop"}
        refused = send(browser, "put", path, {**repository, **body})
        assert (refused.status_code, list(refused.json()["error"]["fields"])) == (400, list(body))
    assert not TeamCommits.objects.exists()


def test_a_project_replaces_what_it_sets(admin: User, project: Project) -> None:
    browser = browser_of(admin)
    send(browser, "put", f"/teams/{project.team.public_id}/commits", {**AGENT, "sign_off": True, "co_author": False})
    own = {"url": "https://git.example.org/tea/shop", "committer_name": "Shop bot", "sign_off": False}
    shown = send(browser, "put", f"/projects/{project.public_id}/repository", own).json()["repository"]
    assert (shown["author"], shown["co_author"], shown["sign_off"]) == (None, None, False)
    assert shown["commits"] == {
        "author": "person", "committer_name": "Shop bot", "committer_email": "bot@tea.example",
        "co_author": False, "sign_off": False, "sign": False,
    }  # fmt: skip
    variables = commit_identity(admin.pk, project.pk)
    assert (variables["GIT_COMMITTER_NAME"], variables["GIT_AUTHOR_EMAIL"]) == ("Shop bot", admin.email)
    assert "AGENTSITE_TRAILERS" not in variables


def test_signing_makes_a_key_whose_private_part_only_the_door_can_read(admin: User, project: Project) -> None:
    browser, team = browser_of(admin), project.team
    own = {"url": "https://git.example.org/tea/shop", "sign": True}
    assert send(browser, "put", f"/projects/{project.public_id}/repository", own).json()["repository"]["commits"][
        "sign"
    ]
    shown = send(browser, "get", f"/teams/{team.public_id}/commits").json()
    assert (shown["sign"], shown["signing_key"].split()[0]) == (False, "ssh-ed25519")
    row = TeamCommits.objects.get()
    assert public_line(load_key(DOOR.unseal(row.sealed_key))) == " ".join(shown["signing_key"].split()[:2])
    variables = commit_identity(admin.pk, project.pk)
    assert f"key::{shown['signing_key']}" in variables.values()
    replaced = send(browser, "post", f"/teams/{team.public_id}/signing-key", {}).json()
    assert replaced["signing_fingerprint"] not in ("", shown["signing_fingerprint"])
    assert [entry.data["fingerprint"] for entry in audited(team, "team.signing_key_made")] == [
        shown["signing_fingerprint"],
        replaced["signing_fingerprint"],
    ]
