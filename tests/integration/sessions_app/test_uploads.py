"""Uploads are sent in parts and checked, and new workspaces of a project start with their files."""

import io
import zipfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from agentsite.tenancy.models import AuditEntry, Project, User
from agentsite.tenancy.roles import Role
from sessions_app.actions.recover import recover
from sessions_app.models import Upload, Workspace
from sessions_app.uploads import storage as upload_storage
from sessions_app.uploads.actions import delete_expired_uploads
from sessions_app.workers.sandbox import uploads as worker
from sessions_app.workers.sandbox.workspace_setup import prepare
from tests.support.builders import bearer
from tests.support.nodes import archives
from tests.support.session_site import SessionSite
from tests.support.uploads import storage, stored

__all__ = ["archives", "storage"]

State = Upload.State


def zipped(**files: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in files.items():
            archive.writestr(name.replace("_", "."), text)
    return packed.getvalue()


class Sender:
    """A person who uploads with an API token."""

    def __init__(self, site: SessionSite, user: User | None = None) -> None:
        self._site = site
        self._headers = bearer(user or site.user)

    def call(self, method: str, path: str, body: Any = None, expect: int = 200) -> Any:
        answer = Client().generic(
            method,
            f"/api/v1{path}",
            body if isinstance(body, bytes) else b"" if body is None else __import__("json").dumps(body).encode(),
            content_type="application/octet-stream" if isinstance(body, bytes) else "application/json",
            headers=self._headers,
        )
        assert answer.status_code == expect, answer.content
        return answer.json() if answer.content else None

    def begin(self, size: int, expect: int = 201) -> Any:
        path = f"/teams/{self._site.team.public_id}/uploads"
        return self.call("POST", path, {"name": "shop.zip", "size": size}, expect)

    def part(self, upload: Any, offset: int, content: bytes, expect: int = 200) -> Any:
        return self.call("PUT", f"/uploads/{upload['id']}/content?offset={offset}", content, expect)

    def send(self, content: bytes) -> Any:
        upload = self.begin(len(content))
        for offset in range(0, len(content), upload["part_bytes"]):
            self.part(upload, offset, content[offset : offset + upload["part_bytes"]])
        self._site.pump.run()
        return self.call("GET", f"/uploads/{upload['id']}")

    def error(self, method: str, path: str, body: Any, expect: int) -> Any:
        return self.call(method, path, body, expect)["error"]


@pytest.fixture
def sender(site: SessionSite, archives: Path, storage: Path, monkeypatch: pytest.MonkeyPatch) -> Sender:
    monkeypatch.setattr(upload_storage, "PART_BYTES", 100)
    monkeypatch.setattr("sessions_app.uploads.actions.storage.PART_BYTES", 100)
    monkeypatch.setattr("sessions_app.uploads.rest.PART_BYTES", 100)
    monkeypatch.setattr("sessions_app.uploads.schemas.PART_BYTES", 100)
    monkeypatch.setattr(worker, "deployment", lambda: site.deployment)
    site.settings.SANDBOX_IMAGE = "local"
    return Sender(site)


def ready(site: SessionSite, project_id: str) -> Workspace:
    """Create and prepare a new workspace of the project."""
    project = Project.objects.visible_to(site.user).by_public_id(project_id)
    row = Workspace.objects.create(project=project, name="w", node=site.settings.NODE_NAME)
    prepare(row.pk, node=site.settings.NODE_NAME)
    row.refresh_from_db()
    return row


def test_a_zip_becomes_the_files_of_a_project(site: SessionSite, sender: Sender, archives: Path, storage: Path) -> None:
    upload = sender.send(zipped(a_txt="one", b_txt="two"))
    assert (upload["state"], upload["facts"]["files"], upload["problem"]) == ("ready", 2, "")
    assert stored(storage) == []
    project = sender.call("POST", f"/uploads/{upload['id']}/project", {"name": "Shop"}, 201)
    for _ in range(2):
        files = site.deployment.files_of(ready(site, project["id"]).public_id)
        assert (files / "a.txt").read_text() == "one"
        assert (files / ".git/HEAD").read_text() == "ref: refs/heads/main\n"
        assert not [path.name for path in files.iterdir() if path.name.startswith(".agentsite")]
    assert not site.deployment.files_of(upload["id"]).exists()
    entry = AuditEntry.objects.get(action="project.files_set")
    assert (entry.data["upload"], entry.data["files"]) == (upload["id"], 2)
    assert sender.call("GET", f"/projects/{project['id']}/files")["upload"]["id"] == upload["id"]


def test_an_upload_continues_where_it_was_interrupted(sender: Sender) -> None:
    content = zipped(a_txt="x" * 250)
    upload = sender.begin(len(content))
    sender.part(upload, 0, content[:100])
    assert sender.part(upload, 0, content[:100])["received"] == 100  # sent again, because the answer was lost
    refused = sender.part(upload, 200, content[200:300], expect=409)["error"]
    assert (refused["code"], refused["fields"]) == ("upload_offset", {"offset": "100"})
    assert sender.part(upload, 100, content[100:150], expect=400)["error"]["code"] == "bad_input"
    assert sender.part(upload, 100, content[100:201], expect=413)["error"]["code"] == "too_large"
    assert sender.call("GET", f"/uploads/{upload['id']}")["received"] == 100


def test_two_requests_with_one_part_store_it_once(
    sender: Sender, storage: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = zipped(a_txt="x" * 250)
    upload = sender.begin(len(content))
    save = upload_storage.save_part

    def save_late(row: Upload, offset: int, part: bytes) -> str:
        monkeypatch.setattr(upload_storage, "save_part", save)
        sender.part(upload, 0, content[:100])
        return save(row, offset, part)

    monkeypatch.setattr(upload_storage, "save_part", save_late)
    assert sender.part(upload, 0, content[:100], expect=409)["error"]["code"] == "upload_offset"
    assert len(stored(storage)) == 1


def test_what_is_too_large_is_refused_before_it_is_sent(sender: Sender) -> None:
    error = sender.begin(2 << 30, expect=413)["error"]
    assert error["code"] == "upload_too_large"
    assert "disk_mib of 4,096 MiB" in error["message"]
    assert "at most 1,024 MiB" in error["message"]
    assert not Upload.objects.exists()


def test_other_kinds_of_files_are_refused_with_the_first_part(sender: Sender, storage: Path) -> None:
    upload = sender.begin(4)
    assert sender.part(upload, 0, b"%PDF", expect=400)["error"]["code"] == "upload_refused"
    assert stored(storage) == []


def test_a_damaged_file_is_refused_with_the_reason_and_starts_no_project(sender: Sender, storage: Path) -> None:
    upload = sender.send(zipped(a_txt="x" * 500)[:-20])
    assert upload["state"] == "refused"
    assert "damaged" in upload["problem"]
    error = sender.error("POST", f"/uploads/{upload['id']}/project", {"name": "Shop"}, 409)
    assert error["code"] == "upload_not_ready"
    assert "damaged" in error["message"]
    assert not Project.objects.filter(name="Shop").exists()
    assert stored(storage) == []


def test_one_upload_starts_one_project(sender: Sender) -> None:
    upload = sender.send(zipped(a_txt="one"))
    path = f"/uploads/{upload['id']}/project"
    sender.call("POST", path, {"name": "Shop"}, 201)
    assert "Another project" in sender.error("POST", path, {"name": "Shop"}, 409)["message"]
    assert Project.objects.filter(name="Shop").count() == 1


def test_files_are_replaced_for_new_workspaces_and_the_former_are_deleted(
    site: SessionSite, sender: Sender, archives: Path
) -> None:
    first, second = sender.send(zipped(a_txt="one")), sender.send(zipped(a_txt="two"))
    path = f"/projects/{site.project.public_id}/files"
    sender.call("PUT", path, {"upload_id": first["id"]})
    old = ready(site, site.project.public_id)
    assert sender.call("PUT", path, {"upload_id": second["id"]})["upload"]["id"] == second["id"]
    site.pump.run()
    assert [found.public_id for found in Upload.objects.all()] == [second["id"]]
    assert len(list(archives.rglob("upl_*"))) == 1
    new = ready(site, site.project.public_id)
    assert (site.deployment.files_of(old.public_id) / "a.txt").read_text() == "one"
    assert (site.deployment.files_of(new.public_id) / "a.txt").read_text() == "two"
    assert sender.call("PUT", path, {"upload_id": None}) == {"upload": None}
    site.pump.run()
    assert list(archives.rglob("upl_*")) == []


def test_an_upload_in_use_is_not_deleted_and_an_unused_one_is(
    site: SessionSite, sender: Sender, archives: Path
) -> None:
    used, unused = sender.send(zipped(a_txt="one")), sender.send(zipped(a_txt="one"))
    sender.call("PUT", f"/projects/{site.project.public_id}/files", {"upload_id": used["id"]})
    assert sender.error("DELETE", f"/uploads/{used['id']}", None, 409)["code"] == "stale"
    sender.call("DELETE", f"/uploads/{unused['id']}", None, 204)
    sender.call("GET", f"/uploads/{unused['id']}", None, 404)
    site.pump.run()
    assert Upload.objects.count() == 1


def test_uploads_that_nobody_continues_expire(site: SessionSite, sender: Sender, storage: Path) -> None:
    content = zipped(a_txt="x" * 250)
    sender.part(sender.begin(len(content)), 0, content[:100])
    now = timezone.now()
    assert delete_expired_uploads(now) == 0
    assert delete_expired_uploads(now + timedelta(hours=25)) == 1
    site.pump.run()
    assert (stored(storage), Upload.objects.count()) == ([], 0)


def test_a_team_cannot_collect_unfinished_uploads(sender: Sender) -> None:
    for _ in range(10):
        sender.begin(10)
    assert sender.begin(10, expect=429)["error"]["code"] == "too_many_requests"


def test_members_who_do_not_manage_projects_cannot_upload(site: SessionSite, sender: Sender) -> None:
    upload = sender.begin(10)
    member = Sender(site, site.member(Role.MEMBER))
    member.begin(10, expect=403)
    member.part(upload, 0, b"0123456789", expect=403)


def test_a_check_whose_worker_died_is_done_by_another_one(site: SessionSite, sender: Sender) -> None:
    content = zipped(a_txt="one")
    upload = sender.begin(len(content))
    for offset in range(0, len(content), 100):
        sender.part(upload, offset, content[offset : offset + 100])
    site.pump.lose()
    row = worker._claim(Upload.objects.get().pk, node="dead")
    assert row is not None
    recover(timezone.now() + timedelta(seconds=20))
    assert not site.pump.names().count("sessions.check_upload")
    Upload.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    recover(timezone.now())
    site.pump.run()
    assert sender.call("GET", f"/uploads/{upload['id']}")["state"] == "ready"
    assert not worker._finish(row, state=State.REFUSED, problem="late")


def test_a_check_that_kills_every_worker_is_given_up(site: SessionSite, sender: Sender) -> None:
    upload = sender.begin(10)
    row = Upload.objects.get()
    for _ in range(4):
        Upload.objects.update(state=State.CHECKING, lease_until=None)
        worker._claim(row.pk, node="n")
        row.refresh_from_db()
    assert sender.call("GET", f"/uploads/{upload['id']}")["state"] == "refused"


def test_an_engine_that_is_away_lets_the_check_wait(site: SessionSite, sender: Sender) -> None:
    site.deployment.away = True
    assert sender.send(zipped(a_txt="one"))["state"] == "checking"
    site.deployment.away = False
    Upload.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    recover(timezone.now())
    site.pump.run()
    assert Upload.objects.get().state == State.READY


def test_a_missing_archive_fails_the_start_and_says_why(site: SessionSite, sender: Sender, archives: Path) -> None:
    upload = sender.send(zipped(a_txt="one"))
    sender.call("PUT", f"/projects/{site.project.public_id}/files", {"upload_id": upload["id"]})
    for path in archives.rglob("upl_*"):
        path.unlink()
    row = ready(site, site.project.public_id)
    assert row.state == Workspace.State.FAILED
    assert "uploaded for this project" in row.detail


def test_a_project_without_files_starts_with_an_empty_repository(site: SessionSite, archives: Path) -> None:
    files = site.deployment.files_of(ready(site, site.project.public_id).public_id)
    assert (files / ".git/HEAD").read_text() == "ref: refs/heads/main\n"
