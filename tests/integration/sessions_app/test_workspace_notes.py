"""Notes about a workspace in its sessions: stored once, bounded, in plain words, and in the right sessions."""

import pytest
from django.utils import timezone

from agentsite.base.background import background
from deploy.demo_model.scripts import ScriptedCall
from sandbox.limits import LimitHit
from sessions_app.actions import workspace_notes
from sessions_app.actions.workspace_notes import note_workspace
from sessions_app.models import Session, Turn, Workspace, WorkspaceNote
from sessions_app.workers.sandbox.container_start import note_lost
from tests.support.deadline import wait_until
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite, snapshot_of, verify_events
from tests.support.threads import at_work, race
from tools_app.builtin.bash import BashTool
from tools_app.spec import ToolContext, ToolError, ToolResult

pytestmark = pytest.mark.one_database


def sleep(mark: str) -> ScriptedCall:
    return tool_call("bash", command=f"touch {mark}; sleep 300", timeout=15_000)


MEMORY = LimitHit("memory", "Memory limit reached: 1,024 MiB are in use and a process was ended.", 1_700_000_000.0)


def kinds(session: Session) -> list[str]:
    return list(WorkspaceNote.objects.filter(session=session).order_by("id").values_list("kind", flat=True))


def test_every_open_session_is_told_and_an_archived_one_is_not(site: SessionSite) -> None:
    first, second, archived = (site.open_session() for _ in range(3))
    Session.objects.filter(pk=archived.pk).update(archived=True)
    before = snapshot_of(first.id)
    assert note_workspace(site.workspace.id, "stopped", "It stopped.") == 2
    assert [kinds(session) for session in (first, second, archived)] == [["stopped"], ["stopped"], []]
    verify_events(first.id, before)


def test_a_note_of_a_call_is_told_in_its_session_once_for_each_limit(site: SessionSite) -> None:
    session, other = site.open_session(), site.open_session()
    for limit in ("memory", "pids", "memory"):
        note_workspace(
            site.workspace.id, "limit", "Enough.", data={"limit": limit}, call_id="call_1", session_id=session.id
        )
    assert [note.data["limit"] for note in session.workspace_notes.all()] == ["memory", "pids"]
    assert kinds(other) == []


def test_that_it_was_refused_is_news_again_only_after_something_else(site: SessionSite) -> None:
    session = site.open_session()
    for kind in ("refused", "refused", "started", "refused"):
        note_workspace(site.workspace.id, kind, "Why.")
    assert kinds(session) == ["refused", "started", "refused"]


def test_a_text_is_clipped_and_clean(site: SessionSite) -> None:
    session = site.open_session()
    note_workspace(site.workspace.id, "limit", "a\0b\n" + "x" * 600, data={"limit": "\0"})
    note = session.workspace_notes.get()
    assert len(note.text) == workspace_notes.MAX_NOTE_CHARACTERS
    assert note.text.startswith("a\ufffdb x")
    assert note.text.endswith("…")


def test_only_the_newest_notes_are_kept(site: SessionSite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace_notes, "MAX_NOTES_PER_SESSION", 3)
    session = site.open_session()
    for number in range(5):
        note_workspace(site.workspace.id, "started", f"Start {number}.")
    assert [note.text for note in session.workspace_notes.all()] == ["Start 2.", "Start 3.", "Start 4."]
    assert len(snapshot_of(session.id)["workspace_notes"]) == 3


def test_notes_written_at_once_are_all_told_and_leave_no_gap(site: SessionSite) -> None:
    session = site.open_session()
    race(*(lambda: note_workspace(site.workspace.id, "started", "It started.") for _ in range(5)))
    assert kinds(session) == ["started"] * 5


# under a call


def test_a_container_that_is_gone_under_a_call_is_told(site: SessionSite) -> None:
    site.script(calls(sleep("begun")), text("I look."))
    session = site.open_session(allow=("bash",))
    turn = site.prompt(session)
    with at_work(site.pump.run):
        wait_until((site.files / "begun").exists, "the command runs", seconds=12)
        background.run(site.deployment.stop(site.workspace.public_id))
    turn.refresh_from_db()
    assert turn.state == Turn.State.COMPLETED
    assert kinds(session) == ["lost"]
    assert "may have run partly" in session.workspace_notes.get().text
    assert Workspace.objects.get().state == Workspace.State.STOPPED


def test_several_calls_that_find_the_container_gone_tell_it_once_and_a_late_one_not_again(site: SessionSite) -> None:
    first, second = site.open_session(), site.open_session()
    began = timezone.now()
    race(*(lambda: note_lost(site.workspace.id, session_id=first.id, since=began) for _ in range(3)))
    Workspace.objects.update(state=Workspace.State.RUNNING)  # the next call has started it
    note_lost(site.workspace.id, session_id=second.id, since=began)
    assert [kinds(session) for session in (first, second)] == [["lost"], ["lost"]]
    assert Workspace.objects.get().state == Workspace.State.RUNNING


def test_a_command_that_is_found_lost_afterwards_is_told_in_its_session(
    site: SessionSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def find_lost(_tool: BashTool, _args: object, _ctx: ToolContext) -> ToolResult:
        raise ToolError("Interrupted: it may have run partly.", lost=True)

    monkeypatch.setattr(BashTool, "run", find_lost)
    site.script(calls(tool_call("bash", command="make")), text("I look."))
    session, other = site.open_session(allow=("bash",)), site.open_session()
    site.run_prompt(session=session)
    assert [kinds(session), kinds(other)] == [["lost"], []]
    assert Workspace.objects.get().state == Workspace.State.RUNNING


def test_a_limit_that_a_command_meets_is_told_while_it_runs(site: SessionSite, monkeypatch: pytest.MonkeyPatch) -> None:
    run = BashTool.run

    async def meet(tool: BashTool, args: object, ctx: ToolContext) -> ToolResult:
        ctx.limit(MEMORY)
        ctx.limit(MEMORY)
        return await run(tool, args, ctx)  # type: ignore[arg-type]

    monkeypatch.setattr(BashTool, "run", meet)
    site.script(calls(tool_call("bash", command="touch begun; while [ ! -e go ]; do sleep 0.02; done")), text("Done."))
    session = site.open_session(allow=("bash",))
    turn = site.prompt(session)
    with at_work(site.pump.run):
        wait_until(lambda: kinds(session) == ["limit"], "the limit is told", seconds=10)
        assert (site.files / "begun").exists()
        (site.files / "go").touch()
    (call,) = site.calls(turn)
    note = session.workspace_notes.get()
    assert (note.text, note.data, note.call_id) == (MEMORY.message, {"limit": "memory"}, call.public_id)
