"""People work with the files of a session's workspace over REST, under the rules of the session."""

import hashlib
import io
import os
import urllib.parse
import zipfile
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from agentsite.tenancy.models import AuditEntry
from agentsite.tenancy.roles import Role
from sessions_app.models import Session
from sessions_app.variables.actions import Owner, create_variable
from sessions_app.workers.sandbox import deployment as node
from sessions_app.workers.sandbox import packed_folders
from tests.support.asking import set_policy
from tests.support.builders import bearer
from tests.support.door_at_work import door_at_work
from tests.support.rest_api import RestApi
from tests.support.session_site import SessionSite
from tests.support.site_mcp import McpSite, token_of

__all__ = ["door_at_work"]

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def session(site: SessionSite, door_at_work: None) -> Session:
    node.runtime_of(site.workspace)
    site.write("src/app.py", "print('one')\n")
    site.write("src/tea.txt", "Darjeeling\nAssam\n")
    site.write("README.md", "# Tea\n")
    return site.open_session()


class Files:
    """The file routes of one session, for one person."""

    def __init__(self, person: Any, session: Session) -> None:
        self.api = RestApi(person)
        self.base = f"/sessions/{session.public_id}/files"

    def get(self, route: str = "", *, expect: int = 200, **query: str) -> Any:
        return self.api("get", f"{self.base}{route}?{urllib.parse.urlencode(query)}", expect=expect)

    def write(self, path: str, text: str, seen: str | None, *, expect: int = 200) -> Any:
        return self.api("put", f"{self.base}/content", {"path": path, "text": text, "seen_sha256": seen}, expect=expect)

    def move(self, path: str, target: str, *, expect: int = 200) -> Any:
        return self.api("post", f"{self.base}/move", {"path": path, "target": target}, expect=expect)

    def remove(self, path: str, *, expect: int = 200) -> Any:
        return self.api("delete", f"{self.base}?{urllib.parse.urlencode({'path': path})}", expect=expect)


@pytest.fixture
def files(site: SessionSite, session: Session) -> Files:
    return Files(site.user, session)


async def whole(answer: Any) -> bytes:
    return b"".join([piece async for piece in answer.streaming_content])


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_folder_is_listed(files: Files) -> None:
    found = files.get(path="src")
    assert [(each["name"], each["kind"], each["size"]) for each in found["entries"]] == [
        ("app.py", "file", 13),
        ("tea.txt", "file", 17),
    ]
    assert (found["path"], found["more"], files.get()["path"]) == ("src", False, ".")


def test_a_text_is_read_with_its_hash(files: Files) -> None:
    found = files.get("/content", path="src/app.py")
    assert (found["kind"], found["text"], found["sha256"]) == ("text", "print('one')\n", sha256("print('one')\n"))


def test_lines_are_read_piece_by_piece(site: SessionSite, files: Files) -> None:
    site.write("ten.txt", "".join(f"{number}\n" for number in range(1, 11)))
    first = files.get("/lines", path="ten.txt", lines="4")
    assert (first["text"], first["lines"], first["next_line"], first["size"]) == ("1\n2\n3\n4\n", 4, 5, 21)
    rest = files.get("/lines", path="ten.txt", first_line="5")
    assert (rest["text"][:2], rest["lines"], rest["next_line"]) == ("5\n", 6, None)
    assert files.get("/lines", path="ten.txt", first_line="99")["text"] == ""


def test_very_long_lines_are_cut_and_binary_files_refused(site: SessionSite, files: Files) -> None:
    site.write("long.txt", "x" * (2 << 20) + "\nend\n")
    (site.files / "data.bin").write_bytes(b"\0\1\2" * 50)
    found = files.get("/lines", path="long.txt")
    assert (len(found["text"]), found["lines"], found["next_line"]) == (1 << 20, 1, 2)
    assert files.get("/lines", path="data.bin", expect=400)["error"]["message"] == "data.bin is not a text file."


def test_another_agent_reads_a_file_as_a_tool_and_as_a_resource(site: SessionSite, session: Session) -> None:
    site.write("src/größe.txt", "eins\n")
    mcp = McpSite(token_of(site.user))
    found = async_to_sync(mcp.call)("read_file", session_id=session.public_id, path="src/größe.txt")
    assert found["text"] == "eins\n"
    uri = f"agentsite://sessions/{session.public_id}/files/src/gr%C3%B6%C3%9Fe.txt"
    content = async_to_sync(mcp.read)(uri)
    assert (content["text"], content["mimeType"]) == ("eins\n", "text/plain")
    assert async_to_sync(mcp.read)(uri + ".gone")["data"]["code"] == "not_found"


def test_pictures_come_along_and_other_binary_files_do_not(site: SessionSite, files: Files) -> None:
    (site.files / "dot.png").write_bytes(
        bytes.fromhex("89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b55")
    )
    (site.files / "data.bin").write_bytes(b"\0\1\2" * 50)
    shown = files.get("/content", path="dot.png")
    assert (shown["kind"], shown["media_type"], shown["base64"][:4]) == ("media", "image/png", "iVBO")
    assert files.get("/content", path="data.bin")["kind"] == "binary"


def test_a_large_file_is_named_and_downloaded_in_pieces(site: SessionSite, files: Files) -> None:
    content = os.urandom(9 << 20)
    (site.files / "large.bin").write_bytes(content)
    assert files.get("/content", path="large.bin")["kind"] == "large"
    answer: Any = Client().get(f"/api/v1{files.base}/download?path=large.bin", headers=bearer(site.user))
    assert async_to_sync(whole)(answer) == content
    assert answer["Content-Disposition"] == 'attachment; filename="large.bin"'
    assert AuditEntry.objects.get(action="session.downloaded").data == {"what": "file"}


def test_a_folder_is_downloaded_without_links_and_what_the_rules_deny(site: SessionSite, files: Files) -> None:
    site.write("src/deep/run.sh", "echo tea\n")
    (site.files / "src/deep/run.sh").chmod(0o755)
    site.write("src/secret/key.txt", "1234")
    (site.files / "src/empty").mkdir()
    (site.files / "src/away").symlink_to("/etc")
    (site.files / "src/link.txt").symlink_to("app.py")
    (site.files / "src/..\\up.txt").write_text("up")
    set_policy(site.team, rules=[{"permission": "read", "pattern": "src/secret/*", "action": "deny"}])
    answer: Any = Client().get(f"/api/v1{files.base}/archive?path=src", headers=bearer(site.user))
    archive = zipfile.ZipFile(io.BytesIO(async_to_sync(whole)(answer)))
    assert sorted(archive.namelist()) == ["app.py", "deep/", "deep/run.sh", "empty/", "secret/", "tea.txt"]
    assert archive.read("tea.txt") == b"Darjeeling\nAssam\n"
    assert archive.getinfo("deep/run.sh").external_attr >> 16 & 0o111
    assert answer["X-Left-Out"] == "4"
    assert answer["Content-Disposition"] == 'attachment; filename="src.zip"'
    assert AuditEntry.objects.get(action="session.downloaded").data == {"what": "folder"}


def test_a_folder_that_cannot_be_packed_is_refused(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "not a folder" in files.get("/archive", path="README.md", expect=400)["error"]["message"]
    files.get("/archive", path="nowhere", expect=404)
    monkeypatch.setattr(packed_folders, "MAX_BYTES", 10)
    large = files.get("/archive", path="src", expect=400)["error"]["message"]
    monkeypatch.setattr(packed_folders, "MAX_ENTRIES", 1)
    many = files.get("/archive", path=".", expect=400)["error"]["message"]
    assert "more than 1 files" in many
    assert "Download a folder in it" in large
    assert not list(settings.SPOOL_DIR.glob("*.download"))


def test_saving_needs_the_content_that_the_person_saw(site: SessionSite, files: Files) -> None:
    seen = files.get("/content", path="src/app.py")["sha256"]
    site.write("src/app.py", "print('by the agent')\n")
    error = files.write("src/app.py", "print('mine')\n", seen, expect=409)["error"]
    assert error["code"] == "file_changed"
    assert (site.files / "src/app.py").read_text() == "print('by the agent')\n"

    again = files.get("/content", path="src/app.py")["sha256"]
    assert files.write("src/app.py", "print('mine')\n", again)["sha256"] == sha256("print('mine')\n")
    assert (site.files / "src/app.py").read_text() == "print('mine')\n"
    entry = AuditEntry.objects.filter(action="session.files_changed").latest("id")
    assert entry.data == {"what": "write", "path": "src/app.py"}


def test_a_new_file_replaces_nothing(site: SessionSite, files: Files) -> None:
    files.write("notes/today/list.md", "- tea\n", None)
    assert (site.files / "notes/today/list.md").read_text() == "- tea\n"
    assert files.write("notes/today/list.md", "other", None, expect=409)["error"]["code"] == "file_changed"


def test_files_and_folders_are_moved_and_nothing_is_replaced(site: SessionSite, files: Files) -> None:
    assert files.move("src", "lib/code")["path"] == "lib/code"
    assert sorted(path.name for path in (site.files / "lib/code").iterdir()) == ["app.py", "tea.txt"]
    assert files.move("README.md", "lib/code", expect=409)["error"]["code"] == "file_changed"
    assert files.move("gone.txt", "there.txt", expect=404)["error"]["code"] == "not_found"


def test_a_link_is_moved_and_removed_itself(site: SessionSite, files: Files) -> None:
    (site.files / "link").symlink_to("README.md")
    files.move("link", "other")
    assert (site.files / "other").is_symlink()
    files.remove("other")
    assert not (site.files / "other").is_symlink()
    assert (site.files / "README.md").exists()


def test_a_folder_is_made_and_removed_with_everything_in_it(site: SessionSite, files: Files) -> None:
    files.api("post", f"{files.base}/folder", {"path": "a/b"}, expect=201)
    assert (site.files / "a/b").is_dir()
    files.remove("src")
    assert not (site.files / "src").exists()
    assert files.remove(".", expect=400)["error"]["code"] == "bad_input"


def test_an_upload_lands_in_the_workspace(site: SessionSite, files: Files) -> None:
    upload = SimpleUploadedFile("photo.bin", b"\0\1\2")
    answer = Client().post(
        f"/api/v1{files.base}/upload?path=data/photo.bin", {"file": upload}, headers=bearer(site.user)
    )
    assert answer.status_code == 200, answer.content
    assert (site.files / "data/photo.bin").read_bytes() == b"\0\1\2"


def test_files_are_found_by_name_and_text(files: Files) -> None:
    assert [each["path"] for each in files.get("/find", name="TEA")["files"]] == ["src/tea.txt"]
    (line,) = files.get("/find", text="assam")["files"]
    assert (line["path"], line["line"], line["text"].strip()) == ("src/tea.txt", 2, "Assam")
    assert files.get("/find", text="(one.*", expect=200)["files"] == []
    assert files.get("/find", expect=400)["error"]["fields"] == {"name": "or text", "text": "or name"}


def test_what_the_rules_deny_is_neither_shown_nor_changed(site: SessionSite, files: Files) -> None:
    rules = [
        {"permission": each, "pattern": "src/secret*", "action": "deny"}
        for each in ("read", "list", "glob", "grep", "edit")
    ]
    set_policy(site.team, rules=rules)
    site.write("src/secret.txt", "Assam of mine\n")
    assert "secret.txt" not in [each["name"] for each in files.get(path="src")["entries"]]
    error = files.get("/content", path="src/secret.txt", expect=403)["error"]
    assert error["code"] == "file_denied"
    assert "src/secret*" in error["message"]
    assert [each["path"] for each in files.get("/find", text="assam")["files"]] == ["src/tea.txt"]
    assert files.get("/find", name="secret")["files"] == []
    seen = sha256("Assam of mine\n")
    assert files.write("src/secret.txt", "x", seen, expect=403)["error"]["code"] == "file_denied"
    assert files.move("src", "away", expect=403)["error"]["code"] == "file_denied"
    assert files.remove("src", expect=403)["error"]["code"] == "file_denied"
    assert (site.files / "src/secret.txt").exists()


def test_what_the_rules_ask_needs_somebody_who_may_decide(site: SessionSite, session: Session, files: Files) -> None:
    set_policy(site.team, rules=[{"permission": "edit", "pattern": "*", "action": "ask"}])
    seen = sha256("# Tea\n")
    plain = Files(site.member(Role.MEMBER, may_approve=False), session)
    assert plain.write("README.md", "# Coffee\n", seen, expect=403)["error"]["code"] == "file_denied"
    assert files.write("README.md", "# Coffee\n", seen)["path"] == "README.md"


def test_viewers_read_and_change_nothing(site: SessionSite, session: Session) -> None:
    viewer = Files(site.member(Role.VIEWER), session)
    assert viewer.get("/content", path="README.md")["text"] == "# Tea\n"
    for refused in (
        viewer.write("README.md", "x", sha256("# Tea\n"), expect=403),
        viewer.move("README.md", "x", expect=403),
        viewer.remove("README.md", expect=403),
    ):
        assert refused["error"]["code"] == "not_allowed"
    assert viewer.get("/download", path="README.md", expect=403)["error"]["code"] == "not_allowed"


def test_secrets_are_masked_and_a_masked_text_says_so(site: SessionSite, files: Files) -> None:
    create_variable(actor=site.user, owner=Owner(site.team), name="API_KEY", value="s3cr3t-value-1234", secret=True)
    site.write("notes.txt", "the key is s3cr3t-value-1234\n")
    found = files.get("/content", path="notes.txt")
    assert "s3cr3t" not in found["text"]
    assert found["masked"] is True
    (line,) = files.get("/find", text="the key")["files"]
    assert "s3cr3t" not in line["text"]


def test_a_path_that_leads_out_of_the_workspace_is_refused(site: SessionSite, files: Files) -> None:
    set_policy(site.team, rules=[{"permission": "external_directory", "pattern": "*", "action": "deny"}])
    (site.files / "out").symlink_to("/etc")
    for path in ("/etc/passwd", "../../etc/passwd", "out/passwd"):
        assert files.get("/content", path=path, expect=403)["error"]["code"] == "file_denied"


def test_names_that_are_no_text_are_listed(site: SessionSite, files: Files) -> None:
    (site.files / os.fsdecode(b"caf\xe9.txt")).write_text("x")
    (entry,) = [each for each in files.get()["entries"] if not each["readable_name"]]
    assert entry["name"].startswith("caf")


def test_a_folder_is_no_file_and_a_file_no_folder(files: Files) -> None:
    assert files.get("/content", path="src", expect=400)["error"]["code"] == "bad_input"
    assert files.get(path="README.md", expect=400)["error"]["code"] == "bad_input"
    assert files.get(path="nowhere", expect=404)["error"]["code"] == "not_found"
