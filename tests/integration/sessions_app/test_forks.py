"""Forks copy the conversation up to a message, with files of their own."""

from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from agentsite.base.errors import Missing
from sessions_app.actions.attachments import delete_expired_attachments, upload_attachment
from sessions_app.actions.forking import fork_session
from sessions_app.actions.prompts import submit_prompt
from sessions_app.events.snapshot import read_events
from sessions_app.models import Message, Session, SharedWith, Workspace
from sessions_app.workers.sandbox import workspace_deletion
from sessions_app.workers.sandbox.archives import archive
from sessions_app.workers.shared.attachment_contents import load_contents
from tests.support.builders import browser_of
from tests.support.model_server import calls, text, tool_call
from tests.support.nodes import archives
from tests.support.rest_api import RestApi
from tests.support.session_site import SessionSite, snapshot_of
from tests.support.uploads import storage, stored

__all__ = ["archives", "storage"]

READ = tool_call("read", filePath="a.txt")


@pytest.fixture
def api(site: SessionSite) -> RestApi:
    return RestApi(site.user)


@pytest.fixture
def original(site: SessionSite) -> Session:
    site.write("a.txt", "tea")
    site.script(calls(READ), text("It says tea."), text("Bye."))
    session = site.open_session("Tea time", allow=("read",))
    site.run_prompt("What does it say?", session=session)
    site.run_prompt("Thanks.", session=session)
    return session


def fork(api: RestApi, session: Session, **body: Any) -> dict[str, Any]:
    made: dict[str, Any] = api("post", f"/sessions/{session.public_id}/fork", body, expect=201)
    return made


def said(snapshot: dict[str, Any]) -> list[str]:
    return [part["text"] or part["type"] for part in snapshot["parts"]]


def row_of(made: dict[str, Any]) -> Session:
    row: Session = Session.objects.select_related("project", "workspace").by_public_id(made["session"]["id"])
    return row


def test_a_fork_has_the_conversation_in_rows_of_its_own(api: RestApi, original: Session) -> None:
    before = snapshot_of(original.pk)
    made = fork(api, original)
    copied = snapshot_of(row_of(made).pk)
    assert said(copied) == said(before)
    assert made["session"]["forked_from_id"] == original.public_id
    assert made["session"]["title"] == "Tea time (fork)"
    assert [call["output"] for call in copied["calls"]] == [call["output"] for call in before["calls"]]
    for kind in ("turns", "messages", "parts", "calls"):
        assert not {row["id"] for row in copied[kind]} & {row["id"] for row in before[kind]}
    assert [row["created_at"] for row in copied["messages"]] == [row["created_at"] for row in before["messages"]]
    assert {part["call_id"] for part in copied["parts"]} - {None} == {call["id"] for call in copied["calls"]}
    assert snapshot_of(original.pk) == before


def test_it_goes_on_from_the_message_that_was_chosen(site: SessionSite, api: RestApi, original: Session) -> None:
    last = original.messages.filter(role=Message.Role.ASSISTANT).order_by("id")[1]
    row = row_of(fork(api, original, message_id=last.public_id, workspace="same", title="Another way"))
    assert said(snapshot_of(row.pk))[-1] == "It says tea."
    script = site.script(text("Sure."))
    site.run_prompt("And now?", session=row)
    sent = [message["content"] for message in script.requests()[0]["body"]["messages"] if message["role"] == "user"]
    assert sent == ["What does it say?", "And now?"]


def test_its_files_are_those_of_the_last_archive_or_the_projects_first(
    site: SessionSite, api: RestApi, original: Session
) -> None:
    assert fork(api, original)["files"] == "fresh"
    at = timezone.now()
    Workspace.objects.filter(pk=site.workspace.pk).update(archive="tea/1.tar.gz", archived_at=at)
    made = fork(api, original)
    workspace = Workspace.objects.order_by("-id")[0]
    assert (made["files"], workspace.public_id) == ("copied", made["session"]["workspace_id"])
    assert (workspace.archive, workspace.archived_at, workspace.seeded) == ("tea/1.tar.gz", at, False)


def test_whoever_follows_it_from_the_start_is_sent_a_snapshot(api: RestApi, original: Session) -> None:
    row = row_of(fork(api, original, workspace="same"))
    assert read_events(row.pk, after=0) is None
    assert [event.type for event in read_events(row.pk, after=1) or ()] == ["session.created"]


def test_what_has_not_ended_is_not_taken_over(site: SessionSite, api: RestApi) -> None:
    site.script(text("Done."), calls(tool_call("bash", command="make hi")))
    session = site.open_session()
    site.run_prompt("One.", session=session)
    turn = site.run_prompt("Two.", session=session)
    waiting = turn.messages.get(role=Message.Role.ASSISTANT)
    path = f"/sessions/{session.public_id}/fork"
    api.error("post", path, {"message_id": waiting.public_id}, expect=409)
    row = row_of(fork(api, session, workspace="same"))
    assert said(snapshot_of(row.pk)) == ["One.", "Done.", "Two."]
    assert set(row.turns.values_list("state", flat=True)) == {"completed"}


def test_a_private_session_is_forked_by_its_starter_alone_and_stays_private(
    site: SessionSite, api: RestApi, original: Session
) -> None:
    Session.objects.filter(pk=original.pk).update(shared_with=SharedWith.PRIVATE)
    guest = site.member()
    original.guests.create(user=guest)
    RestApi(guest).error("post", f"/sessions/{original.public_id}/fork", {}, expect=403)
    made = fork(api, original, workspace="same")["session"]
    assert made["shared_with"] == "private"
    assert browser_of(guest).get(f"/api/v1/sessions/{made['id']}").status_code == 404


def test_a_session_that_has_become_private_meanwhile_is_not_forked(site: SessionSite, original: Session) -> None:
    found = Session.objects.select_related("project", "workspace").get(pk=original.pk)
    Session.objects.filter(pk=original.pk).update(shared_with=SharedWith.PRIVATE)
    with pytest.raises(Missing):
        fork_session(actor=site.member(), session=found)


def test_an_empty_session_is_not_forked(site: SessionSite, api: RestApi) -> None:
    api.error("post", f"/sessions/{site.open_session().public_id}/fork", {}, expect=409)
    assert not Session.objects.exclude(forked_from=None).exists()


def test_the_files_of_the_archive_lie_in_its_workspace_before_anything_runs(
    site: SessionSite, api: RestApi, original: Session, archives: Path
) -> None:
    archive(site.workspace.pk, wanted=True, node=site.settings.NODE_NAME)
    site.write("a.txt", "coffee")
    made = fork(api, original)
    site.pump.run()
    workspace = Workspace.objects.get(sessions__forked_from=original)
    assert (made["files"], workspace.state, workspace.seeded) == ("copied", "running", True)
    assert (site.deployment.files_of(workspace.public_id) / "a.txt").read_text() == "tea"
    assert workspace.notes.order_by("id")[0].kind == "started"


def test_the_archive_that_a_fork_began_with_stays_until_it_has_one_of_its_own(
    site: SessionSite, api: RestApi, original: Session, archives: Path
) -> None:
    node = site.settings.NODE_NAME
    archive(site.workspace.pk, wanted=True, node=node)
    taken = archives / Workspace.objects.get(pk=site.workspace.pk).archive
    copy = row_of(fork(api, original)).workspace
    for _ in range(3):
        archive(site.workspace.pk, wanted=True, node=node)
    assert taken.exists()
    site.pump.run()
    assert (site.deployment.files_of(copy.public_id) / "a.txt").read_text() == "tea"
    Workspace.objects.filter(pk=site.workspace.pk).update(state="removing", remove_at=timezone.now())
    workspace_deletion.delete(site.workspace.pk, node=node)
    assert [path.name for path in archives.rglob("*.tar.gz")] == [taken.name]
    archive(copy.pk, wanted=True, node=node)
    assert not taken.exists()


def test_an_attached_file_is_there_as_long_as_one_of_them_shows_it(
    site: SessionSite, api: RestApi, original: Session, storage: Path
) -> None:
    row = upload_attachment(actor=site.user, session=original, name="a.txt", content=b"tea")
    site.script(text("Tea."))
    submit_prompt(actor=site.user, session=original, text="Look.", attachments=[row.public_id])
    site.pump.run()
    copy = row_of(fork(api, original, workspace="same"))
    original.delete()
    delete_expired_attachments(timezone.now())
    (shown,) = [part["data"]["attachment"] for part in snapshot_of(copy.pk)["parts"] if part["type"] == "file"]
    assert load_contents(copy.pk, [shown["id"]]) == {shown["id"]: b"tea"}
    copy.delete()
    delete_expired_attachments(timezone.now())
    assert stored(storage) == []
