"""Connections of the kind ssh: the site creates the key, testing the connection stores the host key, and workspaces
clone and push."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import asyncssh
import pytest
from django.test import Client

from agentsite.tenancy.door_encryption import DOOR
from agentsite.tenancy.models import User
from agentsite.tenancy.roles import Role
from deploy.demo_forge import Forge, forge
from sessions_app.models import Connection, ProjectRepository, Workspace, WorkspaceNote
from tests.support.asking import audited, set_policy
from tests.support.builders import browser_of, make_member, make_team
from tests.support.door_at_work import door_at_work
from tests.support.repositories import RepositorySite, open_door
from tests.support.session_site import SessionSite
from tests.support.ssh_forge import SshForge, ssh_forge
from tools_app.network.git.ssh_keys import fingerprint, load_key, new_key, public_line

__all__ = ["door_at_work"]
FILES = {"README.md": "# Tea\n"}


@pytest.fixture(scope="module")
def forge_site() -> Iterator[Forge]:
    with forge() as running:
        yield running


@pytest.fixture
def server(forge_site: Forge, settings: Any) -> Iterator[SshForge]:
    with ssh_forge() as running:
        shop = forge_site.repository(f"{uuid4().hex}/shop", FILES)  # the next server may get the same port
        shop.commit({"README.md": "# Green\n"}, branch="green")
        running.repositories["tea/shop.git"] = shop
        settings.NETWORK_ALLOW = [running.place]
        yield running


def send(browser: Client, method: str, path: str, body: Any = None) -> Any:
    return getattr(browser, method)(f"/api/v1{path}", body, content_type="application/json")


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("door_at_work")
def test_a_key_is_made_registered_tested_and_pinned(server: SshForge) -> None:
    admin: User = make_member(make_team(), Role.ADMIN)
    team = admin.memberships.get().team
    browser = browser_of(admin)
    path = f"/teams/{team.public_id}/connections"
    given = send(browser, "post", path, {"kind": "ssh", "base_url": server.address, "token": "x"})
    assert (given.status_code, list(given.json()["error"]["fields"])) == (400, ["token"])
    made = send(browser, "post", path, {"kind": "ssh", "base_url": f"{server.address}/tea/shop.git"}).json()
    assert (made["auth"], made["base_url"], made["host_fingerprint"]) == ("key", server.address, "")
    row = Connection.objects.get()
    assert public_line(load_key(DOOR.unseal(row.sealed))) == " ".join(made["public_key"].split()[:2])

    def test() -> Any:
        Connection.objects.update(checked_at=None)
        return send(browser, "post", f"/connections/{made['id']}/test").json()

    refused = test()
    assert (refused["ok"], refused["message"]) == (False, "The server does not accept the key.")
    assert "deploy key" in refused["hint"]
    server.allow(made["public_key"])
    known = fingerprint(server.host_key.export_public_key().decode())
    assert test() == {"ok": True, "message": f"Connected. The host key of the server is {known}.", "hint": ""}
    assert send(browser, "get", f"/connections/{made['id']}").json()["host_fingerprint"] == known
    (entry,) = audited(team, "connection.host_key_known")
    assert entry.data["fingerprint"] == known

    query = f"/connections/{made['id']}/branches?repository=tea/shop.git"
    refs = send(browser, "get", query).json()
    assert (refs["default_branch"], [each["name"] for each in refs["items"]]) == ("main", ["main", "green"])
    missing = send(browser, "get", query.replace("shop", "pot"))
    assert (missing.status_code, missing.json()["error"]["code"]) == (400, "repository_not_found")

    Connection.objects.update(host_key=asyncssh.generate_private_key("ssh-ed25519").export_public_key().decode())
    assert "is not the one of the first test" in test()["message"]
    replaced = send(browser, "put", f"/connections/{made['id']}/credential", {}).json()
    assert replaced["public_key"] not in ("", made["public_key"])
    assert replaced["host_fingerprint"] == ""


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("chosen", "clone_url"),
    [
        ({"name": "tea/shop.git"}, "ssh://git@git.example.org/tea/shop.git"),
        ({"url": "git@git.example.org:tea/shop.git"}, "ssh://git@git.example.org/tea/shop.git"),
        ({"url": "ssh://git@git.example.org/srv/shop.git"}, "ssh://git@git.example.org//srv/shop.git"),
        ({"url": "git@other.example.org:tea/shop.git"}, ""),
        ({"url": "ssh://root@git.example.org/tea/shop.git"}, ""),
        ({"name": "../shop"}, ""),
        ({"name": "a;id"}, ""),
    ],
)
def test_a_repository_is_below_the_server_of_its_connection(chosen: dict[str, str], clone_url: str) -> None:
    admin: User = make_member(make_team(), Role.ADMIN)
    team = admin.memberships.get().team
    made = Connection.objects.create(team=team, kind="ssh", name="x", base_url="ssh://git@git.example.org", auth="key")
    body = {"name": "Shop", "repository": {"connection": made.public_id, **chosen}}
    answer = send(browser_of(admin), "post", f"/teams/{team.public_id}/projects", body)
    assert answer.status_code == (201 if clone_url else 400)
    assert [each.clone_url for each in ProjectRepository.objects.all()] == ([clone_url] if clone_url else [])


def test_a_workspace_clones_and_pushes_by_ssh_with_origin_on_loopback(
    site: SessionSite, forge_site: Forge, server: SshForge
) -> None:
    key = new_key("agentsite")
    server.allow(key.public)
    connection = Connection.objects.create(
        team=site.team, kind="ssh", name="ssh", base_url=server.address, auth="key", state="ok",
        sealed=DOOR.seal(key.private), public_key=key.public, host_key=server.host_key.export_public_key().decode(),
    )  # fmt: skip
    row = ProjectRepository.objects.create(
        project=site.project, connection=connection, clone_url=f"{server.address}/tea/shop.git", full_name="tea/shop"
    )
    Workspace.objects.filter(pk=site.workspace.pk).update(state=Workspace.State.NEW, seeded=False)
    site.workspace.refresh_from_db()
    set_policy(site.project, rules=[{"permission": "git_push", "pattern": "agentsite/*", "action": "allow"}])
    shop = server.repositories["tea/shop.git"]
    repo = RepositorySite(site, forge_site, shop, forge_site.account("kim"), row)
    with open_door(site):
        session = site.open_session(allow=("bash",))
        origin, pushed = repo.outputs(
            "git remote get-url origin", "git commit -q --allow-empty -m Try && git push -q && echo pushed",
            session=session,
        )  # fmt: skip
        assert origin.startswith("http://127.0.0.1:")
        assert pushed == "pushed"
        assert f"agentsite/{session.pk.hex[-8:]}" in shop.heads()
        assert WorkspaceNote.objects.filter(text__startswith="Cloned tea/shop at main").exists()
        server.keys.clear()
        assert "is not accepted for tea/shop" in repo.outputs("git fetch", session=session)[0]
    connection.refresh_from_db()
    assert connection.state == "failed"
