"""Forks of a session, and alternatives to an answer, start with the files as of the message that they continue from."""

from pathlib import Path
from typing import Any

import pytest

from sessions_app.models import Message, Part, Revert, Session, Turn, Workspace
from sessions_app.workers.sandbox.archives import archive
from tests.support.model_server import calls, text, tool_call
from tests.support.nodes import archives
from tests.support.rest_api import RestApi
from tests.support.session_site import SessionSite

__all__ = ["archives"]

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait for a revert in the request that starts it, because the test runs the tasks of the revert
    afterwards."""
    monkeypatch.setattr("sessions_app.transport.rest.reverts.WAIT_SECONDS", 0.0)


@pytest.fixture
def api(site: SessionSite) -> RestApi:
    return RestApi(site.user)


@pytest.fixture
def session(site: SessionSite, archives: Path) -> Session:
    site.write("text", "".join(f"line {number}\n" for number in range(1, 21)))
    return site.open_session(allow=("edit", "bash", "external_directory"))


def run_turn(site: SessionSite, session: Session, command: str) -> Turn:
    site.script(calls(tool_call("bash", command=command, description="x")), text("Done."))
    return site.run_prompt("Do it.", session=session)


def files_of(site: SessionSite, workspace: Workspace) -> dict[str, str]:
    root = site.deployment.files_of(workspace.public_id)
    return {str(path.relative_to(root)): path.read_text() for path in sorted(root.rglob("*")) if path.is_file()}


def last_message(turn: Turn) -> Message:
    row: Message = Message.objects.filter(turn=turn).order_by("-id")[0]
    return row


def prompt_of(turn: Turn) -> Message:
    row: Message = Message.objects.filter(turn=turn).order_by("id")[0]
    return row


def fork(site: SessionSite, api: RestApi, session: Session, **body: Any) -> tuple[Session, dict[str, Any]]:
    made = api("post", f"/sessions/{session.public_id}/fork", body, expect=201)
    site.pump.run()
    row: Session = Session.objects.select_related("workspace").by_public_id(made["session"]["id"])
    return row, made


def test_a_fork_at_a_message_has_the_files_of_that_message(site: SessionSite, api: RestApi, session: Session) -> None:
    first = run_turn(site, session, "echo one > a; sed -i 's/^line 3$/three/' text")
    then = files_of(site, site.workspace)
    run_turn(site, session, "echo two > a; rm text; echo more > b; chmod +x a")
    other = site.open_session(allow=("edit", "bash"))
    run_turn(site, other, "echo theirs > a; echo theirs > c")
    now = files_of(site, site.workspace)

    row, made = fork(site, api, session, message_id=last_message(first).public_id)

    assert files_of(site, row.workspace) == then
    assert files_of(site, site.workspace) == now
    assert made["files"] == "copied"
    revert = Revert.objects.by_public_id(made["revert_id"])
    assert (revert.state, row.revert and row.revert["files"]) == ("applied", 4)
    note = row.workspace_notes.get(kind="files")
    assert note.text == "The files are as they were at this message: 4 files were taken back."

    api("post", f"/sessions/{row.public_id}/unrevert", {"revert_id": made["revert_id"]})
    site.pump.run()
    assert files_of(site, row.workspace) == now


def test_the_files_as_they_are_now_are_the_alternative(site: SessionSite, api: RestApi, session: Session) -> None:
    first = run_turn(site, session, "echo one > a")
    second = run_turn(site, session, "echo two > a")
    chosen = {"message_id": last_message(first).public_id}

    row, made = fork(site, api, session, **chosen, files="now")

    assert (made["revert_id"], files_of(site, row.workspace)) == (None, files_of(site, site.workspace))
    api.error(
        "post", f"/sessions/{session.public_id}/fork", {**chosen, "files": "then", "workspace": "same"}, expect=400
    )
    row, made = fork(site, api, session, message_id=last_message(second).public_id)
    assert (made["revert_id"], row.revert) == (None, None)


def test_what_a_person_changed_since_on_the_same_lines_is_taken_back_in_the_copy_only(
    site: SessionSite, api: RestApi, session: Session
) -> None:
    first = run_turn(site, session, "echo one > a")
    run_turn(site, session, "echo two > a; echo new > folder")
    (site.files / "a").write_text("by hand\n")
    (site.files / "folder").unlink()
    (site.files / "folder").mkdir()
    (site.files / "folder" / "x").write_text("x")
    archive(site.workspace.pk, wanted=True, node=site.settings.NODE_NAME)

    row, _ = fork(site, api, session, message_id=last_message(first).public_id)

    found = files_of(site, row.workspace)
    assert (found["a"], found["folder/x"]) == ("one\n", "x")
    assert (site.files / "a").read_text() == "by hand\n"
    assert "Not taken back: folder (something else is at this path now)" in row.workspace_notes.get(kind="files").text


def test_it_says_so_when_undo_data_is_gone(site: SessionSite, api: RestApi, session: Session) -> None:
    first = run_turn(site, session, "echo one > a; echo small > b")
    turn = run_turn(site, session, "echo two > a; echo other > b")
    part = Part.objects.get(type="patch", message__turn=turn)
    changed = next(file for file in part.data["files"] if file["path"] == "a")
    changed["before"]["sha256"] = "0" * 64
    part.save()

    row, _ = fork(site, api, session, message_id=last_message(first).public_id)

    assert files_of(site, row.workspace)["b"] == "small\n"
    assert files_of(site, row.workspace)["a"] == "two\n"
    note = row.workspace_notes.get(kind="files")
    assert "Not taken back: a (its content is no longer kept)." in note.text
    assert note.data == {"not_covered": 1}


def test_an_edited_prompt_in_a_fork_waits_for_its_files(site: SessionSite, api: RestApi, session: Session) -> None:
    run_turn(site, session, "echo one > a")
    turn = run_turn(site, session, "echo two > a")
    site.script(calls(tool_call("bash", command="cat a > seen", description="x")), text("Done."))

    body = {"text": "Look.", "where": "fork", "files": "then"}
    made = api("post", f"/messages/{prompt_of(turn).public_id}/edit", body, expect=202)
    site.pump.run()

    row = Session.objects.select_related("workspace").by_public_id(made["session_id"])
    assert files_of(site, row.workspace)["seen"] == "one\n"
    assert Turn.objects.by_public_id(made["turn"]["id"]).state == "completed"
    assert (made["revert_id"], row.revert) == (Revert.objects.get().public_id, None)


def test_an_unusable_archive_ends_the_fork_and_its_revert(
    site: SessionSite, api: RestApi, session: Session, archives: Path
) -> None:
    first = run_turn(site, session, "echo one > a")
    run_turn(site, session, "echo two > a")
    for path in archives.rglob("*.tar.gz"):
        path.write_bytes(b"broken")

    row, made = fork(site, api, session, message_id=last_message(first).public_id)

    assert Revert.objects.by_public_id(made["revert_id"]).state == "failed"
    assert row.revert is None
    assert "as they are now" in row.workspace_notes.get(kind="files").text


def test_trying_again_takes_the_files_back_first(site: SessionSite, api: RestApi, session: Session) -> None:
    run_turn(site, session, "echo one > a")
    turn = run_turn(site, session, "echo two > a; echo new > b; sed -i 's/^line 3$/three/' text")
    other = site.open_session(allow=("edit", "bash"))
    run_turn(site, other, "sed -i 's/^line 15$/fifteen/' text")
    site.script(calls(tool_call("bash", command="cat a > seen; ls > listed", description="x")), text("Done."))

    made = again(site, api, turn, files="then")

    found = files_of(site, site.workspace)
    assert made.state == "completed"
    assert (found["seen"], "b" in found, "fifteen" in found["text"], "three" in found["text"]) == (
        "one\n", False, True, False,
    )  # fmt: skip
    turn.refresh_from_db()
    assert turn.hidden_with_id == turn.pk
    session.refresh_from_db()
    assert session.revert is None
    assert not Message.objects.filter(reverted_by__isnull=False).exists()


def test_a_conflict_fails_the_new_turn_until_somebody_decides(
    site: SessionSite, api: RestApi, session: Session
) -> None:
    turn = run_turn(site, session, "echo mine > a")
    other = site.open_session(allow=("edit", "bash"))
    run_turn(site, other, "echo theirs > a")

    refused = again(site, api, turn, files="then")

    assert (refused.state, refused.error and refused.error["code"]) == ("failed", "revert_conflict")
    assert (site.files / "a").read_text() == "theirs\n"
    session.refresh_from_db()
    assert (session.revert, session.status) == (None, "idle")
    api("post", f"/turns/{turn.public_id}/choose")
    (conflict,) = Revert.objects.get().files
    decisions = [{"path": "a", "decision": "keep", "seen": conflict["before"]}]
    site.script(text("Done."))
    assert again(site, api, turn, files="then", decisions=decisions).state == "completed"
    assert (site.files / "a").read_text() == "theirs\n"


def test_an_edited_prompt_takes_the_files_back_here(site: SessionSite, api: RestApi, session: Session) -> None:
    turn = run_turn(site, session, "echo one > a")
    run_turn(site, session, "echo two > a; echo b > b")
    site.script(calls(tool_call("bash", command="ls > listed", description="x")), text("Done."))

    api("post", f"/messages/{prompt_of(turn).public_id}/edit", {"text": "Other.", "files": "then"}, expect=202)
    site.pump.run()

    assert files_of(site, site.workspace)["listed"] == "listed\ntext\n"


def test_a_stopped_turn_leaves_the_revert_to_be_redone(site: SessionSite, api: RestApi, session: Session) -> None:
    turn = run_turn(site, session, "echo one > a")
    api("post", f"/turns/{turn.public_id}/retry", {"files": "then"}, expect=202)
    api("post", f"/sessions/{session.public_id}/abort", expect=202)
    site.pump.run()

    session.refresh_from_db()
    assert (session.revert and session.revert["state"], (site.files / "a").exists()) == ("applied", False)
    api("post", f"/sessions/{session.public_id}/unrevert", {"revert_id": Revert.objects.get().public_id})
    site.pump.run()
    assert (site.files / "a").read_text() == "one\n"


def again(site: SessionSite, api: RestApi, turn: Turn, **body: Any) -> Turn:
    made = api("post", f"/turns/{turn.public_id}/retry", body, expect=202)
    site.pump.run()
    row: Turn = Turn.objects.by_public_id(made["id"])
    return row
