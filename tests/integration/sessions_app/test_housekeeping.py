"""Housekeeping each minute stops idle workspaces, corrects the states in rows, and stores the usage."""

import time
from datetime import timedelta

import pytest
from django.utils import timezone

from agentsite.base.background import background
from sandbox.client.runtime import RunnerRuntime
from sandbox.limits import Gauge, SandboxUsage
from sandbox.ports import BackgroundCall, SandboxState
from sessions_app.models import Session, ToolCall, Workspace
from sessions_app.workers.sandbox import deployment
from sessions_app.workers.sandbox.housekeeping import run_housekeeping
from tests.support.asking import set_policy
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite

GAUGE = Gauge(1, 100)


@pytest.fixture(autouse=True)
def uses(monkeypatch: pytest.MonkeyPatch) -> list[BackgroundCall]:
    """Fake a runner's reports on resource usage and background calls. Return the list of background calls, for tests to
    change."""
    running: list[BackgroundCall] = []

    async def usage(_runtime: RunnerRuntime) -> SandboxUsage:
        return SandboxUsage(GAUGE, GAUGE, GAUGE, GAUGE, GAUGE, cpu_seconds=1.5, cpus=2.0, at=time.time())

    async def background_calls(_runtime: RunnerRuntime) -> list[BackgroundCall]:
        return running

    monkeypatch.setattr(RunnerRuntime, "usage", usage)
    monkeypatch.setattr(RunnerRuntime, "background", background_calls)
    return running


def awake(site: SessionSite, *, idle_minutes: int) -> Session:
    """Open a session in a running workspace that was last used this many minutes ago."""
    session = site.open_session()
    site.pump.run()
    deployment.runtime_of(Workspace.objects.select_related("project").get())
    then = timezone.now() - timedelta(minutes=idle_minutes)
    Workspace.objects.update(last_used_at=then)
    ToolCall.objects.update(moved_at=then)
    return session


def look(site: SessionSite) -> Workspace:
    run_housekeeping(site.settings.NODE_NAME)
    return Workspace.objects.get()


def runs(site: SessionSite) -> bool:
    return background.run(site.deployment.poll(site.workspace.public_id)).state == SandboxState.RUNNING


def said(session: Session) -> list[str]:
    return [note.text for note in session.workspace_notes.all()]


def test_an_idle_workspace_stops_and_says_after_how_long(site: SessionSite) -> None:
    session = awake(site, idle_minutes=31)
    assert look(site).state == Workspace.State.STOPPED
    look(site)
    assert not runs(site)
    assert said(session) == [
        "The workspace stopped after 30 idle minutes. Its files are kept; the next call starts it."
    ]


def test_the_policies_say_how_long_idle_is(site: SessionSite) -> None:
    set_policy(site.team, options={"sandbox": {"idle_minutes": 5}})
    session = awake(site, idle_minutes=6)
    assert look(site).state == Workspace.State.STOPPED
    assert said(session)[0].startswith("The workspace stopped after 5 idle minutes.")


def test_a_workspace_that_was_used_lately_goes_on(site: SessionSite) -> None:
    site.script(calls(tool_call("list")), text("Done."))
    site.run_prompt()
    awake(site, idle_minutes=29)
    assert look(site).state == Workspace.State.RUNNING


def test_a_background_call_keeps_it_running(site: SessionSite, uses: list[BackgroundCall]) -> None:
    awake(site, idle_minutes=60)
    uses.append(BackgroundCall("call_1", "make serve", "ses_1", time.time(), 60.0, 0))
    assert look(site).state == Workspace.State.RUNNING
    uses[:] = [BackgroundCall("call_1", "make serve", "ses_1", time.time(), 0.0, 0, end="exited", exit_code=0)]
    assert look(site).state == Workspace.State.STOPPED


def test_a_call_that_runs_keeps_it_running(site: SessionSite) -> None:
    site.script(calls(tool_call("list")), text("Done."))
    turn = site.run_prompt()
    awake(site, idle_minutes=60)
    ToolCall.objects.filter(turn=turn).update(state=ToolCall.State.RUNNING)
    assert look(site).state == Workspace.State.RUNNING


def test_what_is_used_is_kept_on_the_row(site: SessionSite) -> None:
    awake(site, idle_minutes=1)
    row = look(site)
    assert (row.usage["memory"], row.usage["cpu_seconds"]) == ({"used": 1, "limit": 100}, 1.5)


def test_a_container_that_ended_by_itself_is_told_once(site: SessionSite) -> None:
    session = awake(site, idle_minutes=0)
    background.run(site.deployment.stop(site.workspace.public_id))
    assert look(site).state == Workspace.State.STOPPED
    look(site)
    kept = "Its files are kept; the next call starts it."
    assert said(session) == [f"The workspace's container ended, either with the site or on its own. {kept}"]


def test_a_row_that_was_left_behind_by_a_killed_worker_becomes_true(site: SessionSite) -> None:
    session = awake(site, idle_minutes=0)
    Workspace.objects.update(state=Workspace.State.STOPPED)
    assert look(site).state == Workspace.State.RUNNING
    assert said(session) == []
