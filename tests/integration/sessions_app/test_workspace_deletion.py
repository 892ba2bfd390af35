"""A workspace is deactivated at once, can be restored or downloaded in the grace period, and is deleted afterwards."""

import io
import tarfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from agentsite.base.background import background
from agentsite.tenancy.models import AuditEntry
from agentsite.tenancy.roles import Role
from sandbox.ports import SandboxState
from sessions_app.actions.workspace_deletion import enqueue_due_deletions
from sessions_app.models import Session, ToolCall, Turn, Workspace, WorkspaceNote
from sessions_app.tasks import site_housekeeping
from sessions_app.workers.sandbox.archives import archive
from sessions_app.workers.sandbox.workspace_setup import prepare
from tests.support.asking import waiting_turn
from tests.support.builders import browser_of
from tests.support.model_server import calls, text
from tests.support.nodes import archives, stored
from tests.support.session_site import SessionSite, snapshot_of, verify_events
from tests.support.workers import COUNT, until_called

__all__ = ["archives"]
Removing = Workspace.State.REMOVING


def _send(client: Client, verb: str, site: SessionSite, end: str = "") -> Any:
    address = f"/api/v1/workspaces/{site.workspace.public_id}{end}"
    return getattr(client, verb)(address, **({} if verb == "get" else {"content_type": "application/json"}))


@pytest.fixture
def owner(site: SessionSite) -> Client:
    return browser_of(site.user)


def _row(site: SessionSite) -> Workspace:
    return Workspace.objects.get(pk=site.workspace.pk)


def _days_are_over() -> None:
    Workspace.objects.filter(state=Removing).update(remove_at=timezone.now() - timedelta(seconds=1))


async def _read(answer: Any) -> bytes:
    return b"".join([piece async for piece in answer])


def _container(site: SessionSite) -> SandboxState:
    return background.run(site.deployment.poll(site.workspace.public_id)).state


def test_a_workspace_that_is_removed_is_out_of_use_and_says_until_when_it_can_be_kept(
    site: SessionSite, owner: Client, archives: Path
) -> None:
    prepare(site.workspace.pk, node=site.settings.NODE_NAME)
    session = site.open_session()
    site.pump.run()
    before = snapshot_of(session.id)
    answer = _send(owner, "delete", site)
    site.pump.run()

    assert answer.status_code == 202
    assert answer.json()["state"] == "removing"
    assert set(answer.json()["may"]) == {"keep", "export", "download"}
    until = _row(site).remove_at
    assert until is not None
    assert timedelta(days=6.9) < until - timezone.now() < timedelta(days=7.1)
    assert _container(site) != SandboxState.RUNNING
    assert WorkspaceNote.objects.get(session=session, kind="removing").data["remove_at"] == until.isoformat()
    verify_events(session.id, before)


def test_its_sessions_can_be_read_and_take_no_prompts(site: SessionSite, owner: Client) -> None:
    session = site.open_session()
    _send(owner, "delete", site)
    prompted = owner.post(
        f"/api/v1/sessions/{session.public_id}/prompts", {"text": "x"}, content_type="application/json"
    )
    opened = owner.post(
        f"/api/v1/projects/{site.project.public_id}/sessions",
        {"workspace_id": site.workspace.public_id},
        content_type="application/json",
    )
    for answer in (prompted, opened):
        assert answer.status_code == 409, answer.content
        assert answer.json()["error"]["code"] == "workspace_removing"
        assert "restore" in answer.json()["error"]["hint"]
    assert owner.get(f"/api/v1/sessions/{session.public_id}/snapshot").status_code == 200


def test_what_runs_in_it_ends_and_what_waits_runs_no_more(site: SessionSite, owner: Client) -> None:
    site.script(calls(COUNT), text("Done."))
    call = until_called(site, site.open_session(allow=("bash",)))
    _send(owner, "delete", site)
    site.pump.run()
    site.recover()
    site.pump.run()
    call.refresh_from_db()
    assert (call.state, Turn.objects.get(pk=call.turn_id).state) == (ToolCall.State.ABORTED, Turn.State.ABORTED)
    assert "scheduled for deletion" in call.output


def test_what_waited_for_a_person_is_closed(site: SessionSite, owner: Client) -> None:
    turn = waiting_turn(site)
    _send(owner, "delete", site)
    turn.refresh_from_db()
    assert turn.state == Turn.State.ABORTED
    assert not site.open_requests().exists()


def test_keeping_it_undoes_everything(site: SessionSite, owner: Client) -> None:
    site.write("a.txt", "kept")
    session = site.open_session(allow=("bash",))
    _send(owner, "delete", site)
    site.pump.run()
    answer = _send(owner, "post", site, "/keep")
    site.pump.run()

    assert (answer.status_code, answer.json()["state"], answer.json()["remove_at"]) == (202, "stopped", None)
    told = list(WorkspaceNote.objects.filter(session=session).order_by("id").values_list("kind", flat=True))
    assert told[told.index("removing") :] == ["removing", "restored"]
    site.script(calls(COUNT), text("Done."))
    assert site.run_prompt(session=session).state == Turn.State.COMPLETED
    assert (site.files / "a.txt").read_text() == "kept"


def test_only_what_is_being_removed_can_be_kept_and_only_in_time(site: SessionSite, owner: Client) -> None:
    assert _send(owner, "post", site, "/keep").json()["error"]["code"] == "not_removing"
    _send(owner, "delete", site)
    _days_are_over()
    assert _send(owner, "post", site, "/keep").json()["error"]["code"] == "not_removing"


def test_removing_twice_changes_nothing(site: SessionSite, owner: Client) -> None:
    first = _send(owner, "delete", site).json()["remove_at"]
    assert _send(owner, "delete", site).json()["remove_at"] == first
    assert AuditEntry.objects.filter(action="workspace.remove").count() == 1


@pytest.mark.parametrize(
    ("role", "verb", "end", "status"),
    [
        (Role.MEMBER, "delete", "", 403),
        (Role.MEMBER, "post", "/keep", 403),
        (Role.MEMBER, "post", "/export", 202),
        (Role.VIEWER, "post", "/export", 403),
        (Role.VIEWER, "get", "/archive", 403),
        (Role.MEMBER, "get", "/archive", 409),
        (Role.ADMIN, "delete", "", 202),
    ],
)
def test_who_may_do_what(site: SessionSite, role: Role, verb: str, end: str, status: int) -> None:
    assert _send(browser_of(site.member(role)), verb, site, end).status_code == status


def test_who_may_not_decide_for_an_agent_takes_no_archive_away(site: SessionSite) -> None:
    """A person who may not approve for agents cannot download a workspace's archive. It contains files that an agent
    needs permission for: secrets and the home folder."""
    browser = browser_of(site.member(Role.MEMBER, may_approve=False))

    assert _send(browser, "get", site, "/archive").status_code == 403
    assert "download" not in _send(browser, "get", site).json()["may"]
    assert _send(browser, "post", site, "/export").status_code == 202


def test_an_export_makes_an_archive_that_can_be_taken_away(site: SessionSite, owner: Client, archives: Path) -> None:
    site.write("a.txt", "taken")
    assert _send(owner, "get", site, "/archive").json()["error"]["code"] == "no_archive"
    assert _send(owner, "post", site, "/export").status_code == 202
    site.pump.run()

    answer = _send(owner, "get", site, "/archive")
    assert answer.headers["Content-Type"] == "application/gzip"
    assert f'filename="{site.workspace.public_id}-000000-' in answer.headers["Content-Disposition"]
    content = background.run(_read(answer))
    with tarfile.open(fileobj=io.BytesIO(content)) as files:
        found = files.extractfile("workspace/a.txt")
        assert found is not None
        assert found.read() == b"taken"
    actions = set(AuditEntry.objects.values_list("action", flat=True))
    assert {"workspace.export", "workspace.download"} <= actions


def test_it_can_be_exported_while_its_days_last_and_sleeps_again(
    site: SessionSite, owner: Client, archives: Path
) -> None:
    site.write("a.txt", "x")
    _send(owner, "delete", site)
    site.pump.run()
    _send(owner, "post", site, "/export")
    site.pump.run()
    assert len(stored(archives)) == 1
    assert _container(site) != SandboxState.RUNNING
    assert _row(site).state == Removing


def test_when_its_days_are_over_everything_of_it_goes(site: SessionSite, owner: Client, archives: Path) -> None:
    site.script(calls(COUNT), text("Done."))
    site.run_prompt(session=site.open_session(allow=("bash",)))
    assert len(stored(archives)) == 1
    _send(owner, "delete", site)
    site.pump.run()
    assert enqueue_due_deletions(timezone.now()) == 0
    _days_are_over()
    site_housekeeping()
    site.pump.run()

    assert not Workspace.objects.exists()
    assert not Session.objects.exists()
    assert not site.files.exists()
    assert stored(archives) == []
    assert AuditEntry.objects.filter(action="workspace.deleted", subject=site.workspace.public_id).count() == 1


@pytest.mark.parametrize("broken", ["delete_marker", "delete_old", "delete_workspace_rows"])
def test_a_crash_in_the_middle_of_deleting_only_repeats_it(
    site: SessionSite, owner: Client, archives: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    site.open_session()
    site.write("a.txt", "x")
    archive(site.workspace.pk, wanted=True, node=site.settings.NODE_NAME)
    _send(owner, "delete", site)
    _days_are_over()
    site.pump.lose()

    def crash(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    enqueue_due_deletions(timezone.now())
    with monkeypatch.context() as patched:
        patched.setattr(f"sessions_app.workers.sandbox.workspace_deletion.{broken}", crash)
        with pytest.raises(KeyboardInterrupt):
            site.pump.run()
    site.pump.lose()
    assert Workspace.objects.exists()

    enqueue_due_deletions(timezone.now())
    site.pump.run()
    assert not Workspace.objects.exists()
    assert stored(archives) == []


def test_one_that_was_kept_is_not_deleted_by_a_late_wake_up(site: SessionSite, owner: Client) -> None:
    _send(owner, "delete", site)
    _days_are_over()
    enqueue_due_deletions(timezone.now())
    Workspace.objects.update(state=Workspace.State.STOPPED, remove_at=None)
    site.pump.run()
    assert _row(site).state == Workspace.State.STOPPED
