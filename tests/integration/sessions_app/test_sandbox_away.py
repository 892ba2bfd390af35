"""If a sandbox is unavailable, not ready or dies, there is an error with a reason, and a retry works afterwards."""

import pytest

from agentsite.base.background import background
from sandbox.client.runtime import RunnerRuntime
from sandbox.errors import LimitReached, SandboxRefused
from sessions_app.actions.workspaces import start_workspace
from sessions_app.models import Session, ToolCall, Turn, Workspace
from sessions_app.workers.sandbox.tool_call import RETRY_DELAYS
from tests.support.deadline import wait_until
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite, snapshot_of, verify_events
from tests.support.threads import at_work

pytestmark = pytest.mark.one_database

LOOK = tool_call("list")


def wait_over(site: SessionSite, turn: Turn) -> Turn:
    site.skip_waits()
    site.recover()
    site.pump.run()
    turn.refresh_from_db()
    return turn


def unprepared(site: SessionSite) -> None:
    Workspace.objects.update(state=Workspace.State.NEW, seeded=False, node="")


def workspace_of(site: SessionSite) -> Workspace:
    return Workspace.objects.get(pk=site.workspace.pk)


def test_a_call_waits_three_times_for_the_sandbox_and_then_the_turn_fails_with_the_reason(site: SessionSite) -> None:
    script = site.script(calls(LOOK), text("Never said."))
    session = site.open_session()
    site.pump.lose()
    before = snapshot_of(session.id)
    site.deployment.away = True
    turn = site.run_prompt(session=session)
    for attempt in range(len(RETRY_DELAYS)):
        assert turn.state == Turn.State.RUNNING
        (call,) = site.calls(turn)
        assert (call.state, call.attempts) == (ToolCall.State.PENDING, attempt + 1)
        wait_over(site, turn)
    assert turn.state == Turn.State.FAILED
    assert turn.error is not None
    assert turn.error["code"] == "sandbox_unavailable"
    assert turn.error["message"] == "The engine does not answer."
    assert "Nothing is lost" in turn.error["hint"]
    assert site.calls(turn)[0].state == ToolCall.State.ERROR
    assert workspace_of(site).state == Workspace.State.FAILED
    assert len(script.requests()) == 1
    verify_events(session.id, before)


def test_the_tries_come_after_growing_pauses(site: SessionSite) -> None:
    site.script(calls(LOOK))
    site.deployment.away = True
    turn = site.run_prompt()
    for _ in RETRY_DELAYS:
        wait_over(site, turn)
    assert [one.delay for one in site.pump.done if one.delay] == list(RETRY_DELAYS)


def test_nobody_tries_before_the_pause_is_over(site: SessionSite) -> None:
    site.script(calls(LOOK))
    site.deployment.away = True
    turn = site.run_prompt()
    site.pump.run()
    assert site.calls(turn)[0].attempts == 1


def test_a_sandbox_that_comes_back_in_time_is_not_noticed(site: SessionSite) -> None:
    site.script(calls(LOOK), text("Done."))
    site.deployment.away = True
    turn = site.run_prompt()
    site.deployment.away = False
    assert wait_over(site, turn).state == Turn.State.COMPLETED
    assert workspace_of(site).state == Workspace.State.RUNNING
    assert workspace_of(site).detail == ""


def test_after_the_failure_sending_again_works(site: SessionSite) -> None:
    site.script(calls(LOOK), calls(LOOK), text("Done."))
    session = site.open_session()
    site.deployment.away = True
    turn = site.run_prompt(session=session)
    for _ in RETRY_DELAYS:
        wait_over(site, turn)
    assert turn.state == Turn.State.FAILED
    site.deployment.away = False
    again = site.run_prompt("Try again.", session=session)
    assert again.state == Turn.State.COMPLETED
    assert workspace_of(site).state == Workspace.State.RUNNING


def test_stopping_a_call_whose_sandbox_is_away_does_no_harm(site: SessionSite) -> None:
    site.script(calls(tool_call("bash", command="touch begun; sleep 300")))
    turn = site.prompt(site.open_session(allow=("bash",)))
    from sessions_app.actions.prompts import abort_turn

    with at_work(site.pump.run):
        wait_until((site.files / "begun").exists, "the command runs")
        site.deployment.away = True
        assert abort_turn(actor=site.user, session=turn.session)
    site.pump.run()
    turn.refresh_from_db()
    assert turn.state == Turn.State.ABORTED


# a workspace that is not ready yet


def test_a_turn_waits_for_a_new_workspace_which_then_wakes_it(site: SessionSite) -> None:
    unprepared(site)
    site.project.template = "demo"
    site.project.save()
    site.script(calls(tool_call("read", filePath="AGENTS.md")), text("Done."))
    session = site.open_session()
    before = snapshot_of(session.id)
    turn = site.prompt(session)
    assert turn.state == Turn.State.QUEUED
    assert "sessions.advance_turn" not in site.pump.names()
    site.pump.run()
    turn.refresh_from_db()
    assert turn.state == Turn.State.COMPLETED
    assert (site.files / ".git").is_dir()
    workspace = workspace_of(site)
    assert (workspace.state, workspace.seeded, workspace.node) == ("running", True, site.settings.NODE_NAME)
    verify_events(session.id, before)


def test_what_a_projects_people_wrote_for_agents_reaches_the_model(site: SessionSite) -> None:
    unprepared(site)
    site.write("AGENTS.md", "Always drink tea.")
    script = site.script(text("Yes."))
    site.run_prompt()
    system = script.requests(at_least=1)[0]["body"]["messages"][0]["content"]
    assert "from AGENTS.md:\nAlways drink tea." in system


def test_preparing_twice_leaves_the_files_alone(site: SessionSite) -> None:
    unprepared(site)
    site.project.template = "demo"
    site.project.save()
    site.open_session()
    site.pump.run(times=2)
    site.write("README.md", "mine now")
    Workspace.objects.update(seeded=False)
    start_workspace(actor=site.user, workspace=workspace_of(site))
    site.pump.run()
    assert (site.files / "README.md").read_text() == "mine now"
    assert workspace_of(site).seeded


def test_a_workspace_that_cannot_be_made_fails_the_waiting_turn_with_a_next_step(site: SessionSite) -> None:
    unprepared(site)
    site.deployment.away = True
    site.script(text("Never said."))
    session = site.open_session()
    before = snapshot_of(session.id)
    turn = site.run_prompt(session=session)
    assert turn.state == Turn.State.FAILED
    assert turn.error is not None
    assert turn.error["message"] == "The engine does not answer."
    assert "send the message again" in turn.error["hint"]
    workspace = workspace_of(site)
    assert (workspace.state, workspace.detail) == (Workspace.State.FAILED, "The engine does not answer.")
    assert Session.objects.get(pk=session.pk).status == Session.Status.IDLE
    verify_events(session.id, before)


def test_when_the_engine_is_back_sending_again_prepares_the_workspace(site: SessionSite) -> None:
    unprepared(site)
    site.deployment.away = True
    session = site.open_session()
    site.script(text("Here I am."))
    site.run_prompt("Begin.", session=session)
    site.deployment.away = False
    assert site.run_prompt("Again.", session=session).state == Turn.State.COMPLETED
    assert workspace_of(site).detail == ""


def test_seeding_that_fails_is_told(site: SessionSite, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(runtime: object, *, workspace_id: str, template: str) -> None:
        raise SandboxRefused("The project's repository could not be created: no space left")

    monkeypatch.setattr("sessions_app.workers.sandbox.restore.seed_workspace", fail)
    unprepared(site)
    turn = site.run_prompt()
    assert turn.state == Turn.State.FAILED
    assert turn.error is not None
    assert "no space left" in turn.error["message"]


def test_a_lost_wake_up_of_a_workspace_is_sent_again(site: SessionSite) -> None:
    unprepared(site)
    site.script(text("Done."))
    turn = site.prompt(site.open_session())
    site.pump.lose()
    assert site.recover()["workspaces"] == 1
    site.pump.run()
    turn.refresh_from_db()
    assert turn.state == Turn.State.COMPLETED


def test_a_workspace_of_another_node_is_left_to_it(site: SessionSite) -> None:
    site.script(calls(LOOK), text("Done."))
    turn = site.prompt(site.open_session())
    site.pump.run(until=ToolCall.objects.exists)
    Workspace.objects.update(node="elsewhere")
    site.pump.run()
    (call,) = site.calls(turn)
    assert (call.state, call.lease_until) == (ToolCall.State.PENDING, None)
    site.recover()
    assert [one.queue for one in site.pump.waiting] == ["sandbox.elsewhere"]


# the sandbox dies


def test_a_command_whose_sandbox_dies_ends_with_the_word_that_it_may_have_run_partly(site: SessionSite) -> None:
    script = site.script(calls(tool_call("bash", command="touch begun; sleep 300")), text("I look."))
    session = site.open_session(allow=("bash",))
    before = snapshot_of(session.id)
    turn = site.prompt(session)
    with at_work(site.pump.run):
        wait_until((site.files / "begun").exists, "the command runs")
        background.run(site.deployment.stop(site.workspace.public_id))
    turn.refresh_from_db()
    assert turn.state == Turn.State.COMPLETED
    (call,) = site.calls(turn)
    assert call.state == ToolCall.State.ERROR
    assert "it may have run partly" in call.output
    assert "it may have run partly" in script.requests(at_least=2)[1]["body"]["messages"][-1]["content"]
    verify_events(session.id, before)


def test_the_next_call_after_a_death_finds_a_new_sandbox_with_the_same_files(site: SessionSite) -> None:
    site.write("a.txt", "still here\n")
    background.run(site.deployment.stop(site.workspace.public_id))
    script = site.script(calls(tool_call("read", filePath="a.txt")), text("Done."))
    assert site.run_prompt().state == Turn.State.COMPLETED
    assert "still here" in script.requests(at_least=2)[1]["body"]["messages"][-1]["content"]


def test_a_workspace_that_cannot_be_recorded_can_still_be_worked_in(
    site: SessionSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def too_many(runtime: RunnerRuntime) -> str:
        raise LimitReached("The workspace has more than 100000 files that are not ignored.")

    monkeypatch.setattr(RunnerRuntime, "snapshot", too_many)
    site.script(calls(tool_call("list")), text("Done."))
    turn = site.run_prompt()
    assert turn.state == Turn.State.COMPLETED
    assert [call.state for call in site.calls(turn)] == [ToolCall.State.COMPLETED]
    assert Session.objects.get(pk=turn.session_id).baseline == ""
