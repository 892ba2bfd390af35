"""A session's changes can be downloaded as a patch, as a git bundle with a branch, and as an archive."""

import io
import subprocess
import tarfile
import threading
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.test import Client

from agentsite.tenancy.models import AuditEntry
from agentsite.tenancy.roles import Role
from sessions_app.models import Session
from sessions_app.queries.questions import DownloadQuestion, PieceQuestion
from sessions_app.workers.sandbox import downloads, workspace_queries
from tests.support.builders import bearer
from tests.support.model_server import calls, text, tool_call
from tests.support.nodes import archives
from tests.support.session_site import SessionSite

__all__ = ["archives"]


def git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True).stdout


def changed_session(site: SessionSite) -> Session:
    """Run a session whose turn changes two files, one of them binary, and commits nothing."""
    work = "printf 'two\\n' > a.txt; printf '\\0\\1' > b.bin; chmod 755 a.txt"
    site.script(calls(tool_call("bash", command=work)), text("Done."))
    site.write("a.txt", "one\n")
    git(site.files, "init", "-q", "-b", "main")
    git(site.files, "add", "-A")
    git(site.files, "-c", "user.name=Ann", "-c", "user.email=a@example.org", "commit", "-qm", "First")
    session = site.open_session("Make it two", allow=("bash",))
    site.run_prompt(session=session)
    return Session.objects.select_related("workspace", "project").get(pk=session.pk)


async def whole(answer: Any) -> bytes:
    return b"".join([piece async for piece in answer.streaming_content])


def download(site: SessionSite, session: Session, what: Any) -> bytes:
    question = DownloadQuestion(what=what, base=session.baseline, title=session.title, branch="agentsite/x")
    workspace = session.workspace
    made = workspace_queries._answer(workspace, question)
    content = b""
    while len(content) < made["size"]:
        piece = PieceQuestion(token=made["token"], offset=len(content))
        content += workspace_queries._answer(workspace, piece)
    assert list(site.settings.SPOOL_DIR.glob("*.download")) == []
    return content


def test_a_patch_applies_to_a_fresh_clone(site: SessionSite, archives: Path, tmp_path: Path) -> None:
    session = changed_session(site)
    patch = download(site, session, "patch")
    git(tmp_path, "clone", "-q", str(site.files), "clone")
    subprocess.run(["git", "apply", "-"], cwd=tmp_path / "clone", input=patch, check=True)
    assert (tmp_path / "clone/a.txt").read_text() == "two\n"
    assert (tmp_path / "clone/b.bin").read_bytes() == b"\0\1"
    assert git(tmp_path / "clone", "diff", "--summary") == " mode change 100644 => 100755 a.txt\n"


def test_a_bundle_has_the_history_and_what_is_not_committed(site: SessionSite, archives: Path, tmp_path: Path) -> None:
    session = changed_session(site)
    before = git(site.files, "status", "--porcelain")
    (tmp_path / "all.bundle").write_bytes(download(site, session, "bundle"))
    git(tmp_path, "clone", "-q", "all.bundle", "clone")
    assert git(tmp_path / "clone", "log", "--format=%an: %s").split("\n")[:2] == [
        "agentsite: Make it two",
        "Ann: First",
    ]
    assert git(tmp_path / "clone", "branch", "--show-current") == "agentsite/x\n"
    assert (tmp_path / "clone/b.bin").read_bytes() == b"\0\1"
    assert git(site.files, "status", "--porcelain") == before


def test_an_archive_has_the_files_as_they_are(site: SessionSite, archives: Path) -> None:
    session = changed_session(site)
    with tarfile.open(fileobj=io.BytesIO(download(site, session, "archive"))) as archive:
        member = archive.extractfile("workspace/a.txt")
        assert member is not None
        assert member.read() == b"two\n"


def test_large_downloads_come_in_pieces(site: SessionSite, archives: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(downloads, "PIECE_BYTES", 10)
    assert download(site, changed_session(site), "patch").startswith(b"diff --git a/a.txt b/a.txt\n")


def test_a_piece_of_another_workspace_is_not_found(site: SessionSite, archives: Path) -> None:
    session = changed_session(site)
    question = DownloadQuestion(what="patch", base=session.baseline, title="", branch="agentsite/x")
    token = workspace_queries._answer(session.workspace, question)["token"]
    (stored,) = site.settings.SPOOL_DIR.glob("*.download")
    stored.rename(stored.with_name(f"wsp_{'0' * 32}-{token}.download"))
    with pytest.raises(Exception, match="no longer there"):
        workspace_queries._answer(session.workspace, PieceQuestion(token=token, offset=0))


@pytest.mark.django_db(transaction=True)
def test_the_route_streams_a_patch_and_records_who_took_it(site: SessionSite, archives: Path) -> None:
    session = changed_session(site)
    stop = threading.Event()

    def work() -> None:
        while not stop.wait(0.02):
            site.pump.run()

    worker = threading.Thread(target=work)
    worker.start()
    try:
        answer: Any = Client().get(f"/api/v1/sessions/{session.public_id}/patch", headers=bearer(site.user))
        content = async_to_sync(whole)(answer)
    finally:
        stop.set()
        worker.join()
    assert answer.status_code == 200
    assert content.startswith(b"diff --git a/a.txt b/a.txt\nold mode 100644\n")
    assert answer["Content-Disposition"] == f'attachment; filename="{session.public_id}.patch"'
    assert AuditEntry.objects.get(action="session.downloaded").data == {"what": "patch"}


def test_viewers_see_the_diff_and_cannot_download(site: SessionSite, archives: Path) -> None:
    session = changed_session(site)
    viewer = site.member(Role.VIEWER)
    for what in ("patch", "bundle", "archive"):
        answer = Client().get(f"/api/v1/sessions/{session.public_id}/{what}", headers=bearer(viewer))
        assert answer.status_code == 403
