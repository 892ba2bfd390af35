"""What sessions are told about their workspace: once, in plain words, bounded, and where it belongs."""

import pytest

from agentsite.background import background
from sandbox.ports import LimitHit
from sessions_app.actions import notes
from sessions_app.actions.notes import note_workspace
from sessions_app.models import Session, Turn, Workspace, WorkspaceNote
from tests.support.deadline import wait_until
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite, snapshot_of, verify_events
from tests.support.threads import at_work, race
from tools_app.builtin.bash import BashTool
from tools_app.spec import ToolContext, ToolResult

SLEEP = tool_call("bash", command="touch begun; sleep 300")
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
    assert len(note.text) == notes.LONGEST_TEXT
    assert note.text.startswith("a\ufffdb x")
    assert note.text.endswith("…")


def test_only_the_newest_notes_are_kept(site: SessionSite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notes, "MOST_NOTES", 3)
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


def test_a_container_that_is_gone_under_two_calls_is_told_once(site: SessionSite) -> None:
    site.script(calls(SLEEP, tool_call("bash", command="touch too; sleep 300")), text("I look."))
    session = site.open_session(allow=("bash",))
    turn = site.prompt(session)
    with at_work(lambda: deliver_at_once(site)):
        wait_until(lambda: all((site.files / name).exists() for name in ("begun", "too")), "both commands run")
        background.run(site.deployment.stop(site.workspace.public_id))
    turn.refresh_from_db()
    assert turn.state == Turn.State.COMPLETED
    assert kinds(session)[0] == "lost"
    assert kinds(session).count("lost") == 1
    assert Workspace.objects.get().state in (Workspace.State.STOPPED, Workspace.State.RUNNING)


def deliver_at_once(site: SessionSite) -> None:
    """Both calls at the same time, then everything else."""
    site.pump.run(until=lambda: site.pump.names().count("sessions.execute_tool_call") == 2)
    race(site.pump.step, site.pump.step)
    site.pump.run()


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
