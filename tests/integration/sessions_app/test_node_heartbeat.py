"""The workspaces of a lost node continue on another one, nothing runs twice, and reports of the lost node are
ignored."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from sessions_app.actions.calls import find_call
from sessions_app.actions.nodes import LOST_AFTER
from sessions_app.actions.recover import recover
from sessions_app.actions.workspaces import report_workspace, save_facts
from sessions_app.models import Node, ToolCall, Turn, Workspace, WorkspaceNote
from sessions_app.storage.archives import archive_storage
from sessions_app.workers.sandbox.archives import archive
from sessions_app.workers.sandbox.node_heartbeat import remove_moved_workspaces
from sessions_app.workers.sandbox.workspace_markers import all_markers, write_marker
from sessions_app.workers.sandbox.workspace_setup import prepare
from tests.support.model_server import calls, text
from tests.support.nodes import archives, in_a_while, lose_node, on_node, seen
from tests.support.session_site import SessionSite, snapshot_of, verify_events
from tests.support.workers import COUNT, acquire, complete, runs, taken, token, until_called

__all__ = ["archives"]
A, B = "local", "other"


def _row(site: SessionSite) -> Workspace:
    return Workspace.objects.get(pk=site.workspace.pk)


def _lose(site: SessionSite) -> None:
    lose_node(A, to=B)


def _go_on(site: SessionSite) -> None:
    with on_node(site, B):
        site.pump.run()
        recover(in_a_while())
        site.pump.run()


def _worked_in(site: SessionSite) -> Turn:
    """Run a turn whose command counts its runs. The workspace is archived after the turn."""
    site.script(calls(COUNT), text("Done."))
    prepare(site.workspace.pk, node=A)
    return site.run_prompt(session=site.open_session(allow=("bash",)))


# who is lost


@pytest.mark.parametrize(
    ("silent_for", "other_up_for", "lost"),
    [(61, 3600, True), (59, 3600, False), (3600, 3600, True), (3600, 50, False)],
)
def test_a_node_is_lost_when_it_was_silent_while_another_was_there(
    site: SessionSite, silent_for: float, other_up_for: float, lost: bool
) -> None:
    seen(A, ago=silent_for)
    seen(B, up_for=other_up_for)
    assert recover(timezone.now())["lost"] == lost
    assert (_row(site).state == Workspace.State.LOST) == lost
    assert (Node.objects.get(name=A).lost_at is not None) == lost


def test_a_node_without_another_is_waited_for(site: SessionSite) -> None:
    seen(A, ago=24 * 3600)
    assert recover(timezone.now())["lost"] == 0
    assert _row(site).node == A


def test_after_the_whole_site_was_down_nobody_is_lost(site: SessionSite) -> None:
    seen(A, ago=600)
    seen(B, ago=600)
    assert recover(timezone.now())["lost"] == 0


def test_a_node_that_is_back_is_not_lost_any_more(site: SessionSite) -> None:
    _lose(site)
    seen(A)
    assert Node.objects.get(name=A).lost_at is None
    assert Node.objects.get(name=A).seen_at > timezone.now() - LOST_AFTER


# what becomes of its workspaces


def test_a_workspace_comes_back_elsewhere_with_its_files_and_its_session_goes_on(
    site: SessionSite, archives: Path
) -> None:
    turn = _worked_in(site)
    before = snapshot_of(turn.session_id)
    site.script(calls(COUNT), text("Again."))
    (site.files / "not-archived").write_text("of the old node")
    _lose(site)
    again = site.prompt(turn.session)
    _go_on(site)

    again.refresh_from_db()
    row = _row(site)
    assert (again.state, row.state, row.node, row.generation) == (Turn.State.COMPLETED, "running", B, 1)
    assert runs(site) == 2
    assert not (site.files / "not-archived").exists()
    kinds = list(WorkspaceNote.objects.order_by("id").values_list("kind", flat=True))
    assert kinds[-3:-1] == ["lost", "restored"] or kinds[-2:] == ["lost", "restored"]
    verify_events(turn.session_id, before)


def test_what_had_begun_ends_with_the_word_for_it_and_what_had_not_runs_once_elsewhere(
    site: SessionSite, archives: Path
) -> None:
    prepare(site.workspace.pk, node=A)
    archive(site.workspace.pk, wanted=True, node=A)
    site.script(calls(COUNT, COUNT), text("Done."))
    turn = site.prompt(site.open_session(allow=("bash",)))
    site.pump.run(until=ToolCall.objects.exists)
    site.pump.lose()
    begun, waiting = site.calls(turn)
    taken(begun)
    _lose(site)
    begun.refresh_from_db()
    waiting.refresh_from_db()
    assert (begun.state, waiting.state) == (ToolCall.State.ERROR, ToolCall.State.PENDING)
    assert "may have run partly" in begun.output
    assert "node" in begun.output

    _go_on(site)

    turn.refresh_from_db()
    assert turn.state == Turn.State.COMPLETED
    assert runs(site) == 1
    assert [call.state for call in site.calls(turn)] == ["error", "completed"]


def test_a_call_that_began_while_the_node_was_given_up_is_ended_before_anything_runs_elsewhere(
    site: SessionSite, archives: Path
) -> None:
    prepare(site.workspace.pk, node=A)
    archive(site.workspace.pk, wanted=True, node=A)
    site.script(calls(COUNT), text("Done."))
    call = until_called(site, site.open_session(allow=("bash",)))
    _lose(site)
    ToolCall.objects.filter(pk=call.pk).update(state=ToolCall.State.RUNNING, started_at=timezone.now())

    _go_on(site)

    call.refresh_from_db()
    assert call.state == ToolCall.State.ERROR
    assert runs(site) == 0


def test_a_workspace_that_nobody_worked_in_is_made_anew(site: SessionSite, archives: Path) -> None:
    site.project.template = "demo"
    site.project.save()
    _lose(site)
    _go_on(site)
    assert _row(site).state == Workspace.State.RUNNING
    assert (site.files / "README.md").exists()


def test_without_an_archive_the_workspace_says_what_is_known_and_its_turns_end(
    site: SessionSite, archives: Path
) -> None:
    turn = _worked_in(site)
    Workspace.objects.update(archive="", archived_at=None)
    _lose(site)
    again = site.prompt(turn.session)
    _go_on(site)
    again.refresh_from_db()
    assert (_row(site).state, again.state) == (Workspace.State.FAILED, Turn.State.FAILED)
    assert "before its files were archived" in _row(site).detail
    assert again.error is not None
    assert again.error["code"] == "workspace_lost"


def test_an_archive_that_cannot_be_read_ends_what_waits_with_the_reason(site: SessionSite, archives: Path) -> None:
    turn = _worked_in(site)
    archive_storage().delete(_row(site).archive)
    _lose(site)
    again = site.prompt(turn.session)
    _go_on(site)
    again.refresh_from_db()
    assert (_row(site).state, again.state) == (Workspace.State.FAILED, Turn.State.FAILED)
    assert "could not be restored" in _row(site).detail


def test_a_lost_wake_up_of_a_restore_is_sent_again(site: SessionSite, archives: Path) -> None:
    _worked_in(site)
    _lose(site)
    site.pump.lose()
    recover(in_a_while())
    assert "sessions.prepare_workspace" in site.pump.names()
    _go_on(site)
    assert _row(site).state == Workspace.State.RUNNING


# the old node


def test_the_old_worker_can_neither_take_nor_complete_nor_report(site: SessionSite, archives: Path) -> None:
    site.script(calls(COUNT, COUNT), text("Done."))
    turn = site.prompt(site.open_session(allow=("bash",)))
    site.pump.run(until=ToolCall.objects.exists)
    site.pump.lose()
    first, second = site.calls(turn)
    running, looked_at = taken(first), find_call(second.id, token=token(), now=timezone.now())
    assert looked_at is not None
    _lose(site)

    assert not complete(running, "I did it")
    assert not acquire(looked_at)
    assert not complete(looked_at, "I did it")
    assert not report_workspace(site.workspace.pk, state=Workspace.State.RUNNING, seeded=True)
    assert (_row(site).state, _row(site).seeded) == (Workspace.State.LOST, False)


def test_a_node_that_takes_its_own_workspace_back_has_the_files_as_they_were(site: SessionSite, archives: Path) -> None:
    _worked_in(site)
    (site.files / "newest").write_text("after the last archive")
    _lose(site)
    site.pump.run()
    assert (_row(site).state, _row(site).node) == (Workspace.State.RUNNING, A)
    assert (site.files / "newest").exists()


def test_a_node_that_is_back_keeps_old_files_until_they_are_safe_elsewhere(site: SessionSite, archives: Path) -> None:
    _worked_in(site)
    _lose(site)
    with on_node(site, B):
        site.pump.run()
    remove_moved_workspaces(A)
    assert [place.generation for place in all_markers()] == [0]
    archive(site.workspace.pk, wanted=True, node=B)
    remove_moved_workspaces(A)
    assert list(all_markers()) == []


def test_files_of_a_workspace_that_was_deleted_are_removed(site: SessionSite, archives: Path) -> None:
    write_marker("wsp_" + "0" * 32, 0)
    remove_moved_workspaces(A)
    assert list(all_markers()) == []


def test_a_database_that_knows_no_workspace_has_no_files_removed(site: SessionSite, archives: Path) -> None:
    """No files are removed if the database contains no workspace at all, because it is probably empty or the
    wrong one."""
    write_marker("wsp_" + "0" * 32, 0)
    Workspace.objects.all().delete()
    remove_moved_workspaces(A)
    assert len(list(all_markers())) == 1


def test_what_the_old_node_sees_of_a_workspace_is_not_kept(site: SessionSite) -> None:
    Workspace.objects.update(node=B)
    save_facts(site.workspace.pk, usage={"at": 1.0})
    assert _row(site).usage == {}
    with on_node(site, B):
        save_facts(site.workspace.pk, usage={"at": 1.0})
    assert _row(site).usage == {"at": 1.0}


def test_a_workspace_without_an_archive_is_taken_back_by_the_node_that_has_its_files(
    site: SessionSite, archives: Path
) -> None:
    _worked_in(site)
    (site.files / "only-here").write_text("x")
    Workspace.objects.update(archive="", archived_at=None)
    _lose(site)
    kept = (site.files / "only-here").read_text()
    site.pump.lose()
    Workspace.objects.update(node=B, state=Workspace.State.FAILED)
    remove_moved_workspaces(A)
    site.pump.run()
    assert (_row(site).node, _row(site).state) == (A, Workspace.State.RUNNING)
    assert (site.files / "only-here").read_text() == kept


def test_a_workspace_that_is_being_removed_goes_nowhere(site: SessionSite, archives: Path) -> None:
    Workspace.objects.update(state=Workspace.State.REMOVING, remove_at=timezone.now() + timedelta(days=1))
    _lose(site)
    assert (_row(site).state, _row(site).node, _row(site).seeded) == (Workspace.State.REMOVING, "", False)
    assert recover(in_a_while())["workspaces"] == 0
