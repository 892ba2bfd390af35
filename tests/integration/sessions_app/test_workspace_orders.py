"""Workspaces are started, stopped, restarted, rebuilt and checked over the API. Each operation is executed once and
reported in plain words."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from agentsite.base.background import background
from agentsite.base.ids import to_public
from agentsite.tenancy.roles import Role
from sandbox.client.runtime import RunnerRuntime
from sandbox.client.unix_socket import UnixSocketCarrier
from sandbox.errors import CheckFailed
from sandbox.ports import Runtime, SandboxSpec, SandboxState
from sandbox.reports import CheckItem, CheckReport
from sessions_app.actions.sessions import create_session
from sessions_app.models import Session, ToolCall, Turn, Workspace, WorkspaceNote
from tests.support.asking import audited, set_policy
from tests.support.builders import make_project
from tests.support.deadline import wait_until
from tests.support.model_server import calls, text, tool_call
from tests.support.rest_api import RestApi as Api
from tests.support.session_site import BreakableDeployment, SessionSite, snapshot_of, verify_events
from tests.support.threads import at_work

SLOW = 0.2  # seconds
SLEEP = tool_call("bash", command="touch begun; sleep 300", timeout=15_000)


def report_of(*failed: str) -> CheckReport:
    items = tuple(CheckItem(name, name not in failed, f"what {name} is") for name in ("uid map", "seccomp"))
    return CheckReport(not failed, "runc", "6.1", items, 1_700_000_000.0)


@pytest.fixture
def api(site: SessionSite) -> Api:
    return Api(site.user)


def order(site: SessionSite, api: Api, verb: str, *, times: int = 1, query: str = "") -> dict[str, Any]:
    """Request an operation on the workspace, deliver its task `times` times, and return the workspace as the API
    describes it."""
    path = f"/workspaces/{site.workspace.public_id}"
    api("post", f"{path}/{verb}{query}", {}, expect=202)
    site.pump.run(times=times)
    found: dict[str, Any] = api("get", path)
    return found


def said(session: Session) -> list[tuple[str, str]]:
    rows = WorkspaceNote.objects.filter(session=session).order_by("id")
    return [(row.kind, row.text) for row in rows]


def kinds(session: Session) -> list[str]:
    return [kind for kind, _ in said(session)]


def runs(site: SessionSite) -> bool:
    status = background.run(site.deployment.poll(site.workspace.public_id))
    return status.state == SandboxState.RUNNING


def busy_turn(site: SessionSite) -> Turn:
    site.script(calls(SLEEP), text("I look."))
    return site.prompt(site.open_session(allow=("bash",)))


def running(site: SessionSite) -> bool:
    return (site.files / "begun").exists() and ToolCall.objects.filter(state=ToolCall.State.RUNNING).exists()


# start and stop


def test_a_stopped_workspace_starts_again_and_says_so_once_with_the_time_it_took(site: SessionSite, api: Api) -> None:
    session = site.open_session()
    site.pump.run()
    name = site.user.name or site.user.email
    assert order(site, api, "stop", times=2)["state"] == "stopped"
    assert not runs(site)
    assert order(site, api, "start", times=2)["state"] == "running"
    assert runs(site)
    stopped, started = said(session)
    assert stopped == ("stopped", f"{name} stopped the workspace. Its files are kept; the next call starts it.")
    assert started[0] == "started"
    assert started[1].startswith("The workspace started (0.")


def test_the_time_that_is_told_is_the_time_until_it_answers(
    site: SessionSite, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reported start time, in seconds, includes the wait until the workspace answers. After the container died,
    `ensure` returns the known runtime at once, and the first request to this runtime starts the container."""
    session = site.open_session()
    site.pump.run()
    order(site, api, "stop")
    start = site.deployment.ensure

    async def start_slowly(spec: SandboxSpec) -> Runtime:
        await asyncio.sleep(SLOW)
        return await start(spec)

    async def give_known(spec: SandboxSpec) -> Runtime:
        socket = site.files.parent / "runner" / "socket"
        return RunnerRuntime(UnixSocketCarrier(socket), lambda: start_slowly(spec))

    monkeypatch.setattr(site.deployment, "ensure", give_known)
    order(site, api, "start")

    note = WorkspaceNote.objects.get(session=session, kind="started")
    assert note.data["seconds"] >= SLOW


def test_a_workspace_that_runs_already_is_not_told_to_have_started(site: SessionSite, api: Api) -> None:
    session = site.open_session()
    site.pump.run()
    assert order(site, api, "start")["state"] == "running"
    assert said(session) == []


def test_a_fresh_session_is_told_one_thing_at_most(site: SessionSite) -> None:
    project = make_project(site.team)
    session = create_session(actor=site.user, project=project)
    site.pump.run(times=2)
    assert kinds(session) == ["started"]


def test_the_next_call_starts_a_stopped_workspace_and_says_so(site: SessionSite, api: Api) -> None:
    site.script(calls(tool_call("list"), tool_call("list", path=".")), text("Done."))
    session = site.open_session()
    site.pump.run()
    order(site, api, "stop")
    before = snapshot_of(session.id)
    assert site.run_prompt(session=session).state == Turn.State.COMPLETED
    assert kinds(session) == ["stopped", "started"]
    verify_events(session.id, before)


def test_a_workspace_in_which_calls_run_is_not_stopped_by_mistake(site: SessionSite, api: Api) -> None:
    turn = busy_turn(site)
    with at_work(site.pump.run):
        wait_until(lambda: running(site), "the command runs", seconds=12)
        error = api.error("post", f"/workspaces/{site.workspace.public_id}/stop", {}, expect=409)
        assert (error["code"], error["message"]) == ("workspace_busy", "1 tool call runs in this workspace.")
        assert runs(site)
        stop_by_force(site, api)
    turn.refresh_from_db()
    assert turn.state == Turn.State.COMPLETED
    assert audited(site.team, "workspace.stop")
    (call,) = site.calls(turn)
    assert "it may have run partly" in call.output
    (stopped, *later) = said(turn.session)
    assert stopped[1].endswith(" 1 running call ended and may have run partly.")
    assert [kind for kind, _ in later if kind == "lost"] == []


def stop_by_force(site: SessionSite, api: Api) -> None:
    api("post", f"/workspaces/{site.workspace.public_id}/stop?force=true", {}, expect=202)
    wait_until(lambda: "sessions.change_workspace" in site.pump.names(), "the order is on its way")
    site.pump.deliver("sessions.change_workspace")


def test_what_is_being_removed_takes_no_orders(site: SessionSite, api: Api) -> None:
    Workspace.objects.update(state=Workspace.State.REMOVING)
    path = f"/workspaces/{site.workspace.public_id}"
    for verb in ("start", "stop", "restart", "rebuild", "check"):
        assert api.error("post", f"{path}/{verb}", {}, expect=409)["code"] == "workspace_removing"
    assert api("get", path)["may"] == ["export", "download", "keep"]
    assert list(site.pump.waiting) == []


# restart and rebuild


@pytest.mark.parametrize(("verb", "kind"), [("restart", "restarted"), ("rebuild", "rebuilt")])
def test_a_container_is_made_anew_with_the_same_files_once(site: SessionSite, api: Api, verb: str, kind: str) -> None:
    session = site.open_session()
    site.write("a.txt", "still here\n")
    before = background.run(runtime(site).ping()).boot_id
    assert order(site, api, verb, times=2)["state"] == "running"
    assert background.run(runtime(site).ping()).boot_id != before
    assert (site.files / "a.txt").read_text() == "still here\n"
    ((told, words),) = said(session)
    assert told == kind
    assert words.startswith(f"{site.user.name or site.user.email} {kind} the workspace (")
    (entry,) = audited(site.team, f"workspace.{verb}")
    assert (entry.subject, entry.data["running_calls"]) == (site.workspace.public_id, 0)


def runtime(site: SessionSite) -> Runtime:
    spec = SandboxSpec(workspace_id=site.workspace.public_id, image="local")
    return background.run(site.deployment.ensure(spec))


def test_a_restart_that_cannot_start_again_says_why(site: SessionSite, api: Api) -> None:
    site.open_session()
    site.pump.run()
    site.deployment.away = True
    view = order(site, api, "restart")
    assert (view["state"], view["detail"]) == ("failed", "The engine does not answer.")


def test_new_limits_come_with_the_next_container_and_the_page_says_so_until_then(site: SessionSite, api: Api) -> None:
    site.open_session()
    order(site, api, "restart")
    set_policy(site.team, options={"sandbox": {"memory_mib": 512}})
    path = f"/workspaces/{site.workspace.public_id}"
    view = api("get", path)
    assert (view["outdated"], view["limits"]["memory_mib"]) == (True, {"value": 512, "source": "team"})
    assert made_with(site) == 1024
    view = order(site, api, "rebuild")
    assert view["outdated"] is False
    assert made_with(site) == 512


def made_with(site: SessionSite) -> int:
    """Return the memory limit that the newest container was created with, in MiB."""
    spec = site.deployment.specs[-1]
    return spec.limits.memory_mib


# check


def test_what_a_check_finds_is_kept_and_shown(site: SessionSite, api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    session = site.open_session()
    site.pump.run()
    finds(monkeypatch, report_of())
    view = order(site, api, "check")
    assert view["state"] == "running"
    assert view["self_check"]["passed"]
    assert [item["name"] for item in view["self_check"]["items"]] == ["uid map", "seccomp"]
    assert said(session) == []


def test_a_container_whose_check_fails_is_gone_and_its_sessions_know_why(
    site: SessionSite, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = site.open_session()
    site.pump.run()
    finds(monkeypatch, report_of("seccomp"))
    view = order(site, api, "check", times=2)
    assert (view["state"], view["detail"]) == ("failed", "The self-check failed: seccomp.")
    assert not runs(site)
    ((kind, words),) = said(session)
    assert kind == "refused"
    assert "seccomp" in words


def finds(monkeypatch: pytest.MonkeyPatch, report: CheckReport) -> None:
    async def check(_runtime: RunnerRuntime) -> CheckReport:
        return report

    monkeypatch.setattr(RunnerRuntime, "check", check)


def test_a_new_workspace_that_fails_its_check_ends_the_turn_that_waits_for_it(
    site: SessionSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(_deployment: BreakableDeployment, _spec: SandboxSpec) -> Runtime:
        raise CheckFailed("The sandbox is not what it must be: uid map, seccomp.", report_of("uid map", "seccomp"))

    Workspace.objects.update(state=Workspace.State.NEW, seeded=False, node="")
    monkeypatch.setattr(BreakableDeployment, "ensure", refuse)
    turn = site.run_prompt()
    assert turn.state == Turn.State.FAILED
    assert turn.error is not None
    assert turn.error["code"] == "sandbox_check_failed"
    row = Workspace.objects.get()
    assert (row.state, row.self_check["passed"]) == (Workspace.State.FAILED, False)
    assert [note.data["items"] for note in turn.session.workspace_notes.all()] == [["uid map", "seccomp"]]


def test_a_call_that_meets_a_failed_check_has_it_said_once_however_often_it_tries(
    site: SessionSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(_deployment: BreakableDeployment, _spec: SandboxSpec) -> Runtime:
        raise CheckFailed("The sandbox is not what it must be: seccomp.", report_of("seccomp"))

    site.script(calls(tool_call("list")), text("Never said."))
    session = site.open_session()
    site.pump.run()
    monkeypatch.setattr(BreakableDeployment, "ensure", refuse)
    turn = site.prompt(session)
    for _ in range(5):
        site.pump.run()
        site.skip_waits()
        site.recover()
    turn.refresh_from_db()
    assert turn.state == Turn.State.FAILED
    assert kinds(session) == ["refused"]


# how many


def test_a_team_has_as_many_workspaces_as_its_policies_allow(site: SessionSite, api: Api) -> None:
    set_policy(site.team, options={"sandbox": {"workspaces": 2}})
    other = make_project(site.team)
    assert api("post", f"/projects/{other.public_id}/workspaces", {"name": "two"}, expect=201)
    error = api.error("post", f"/projects/{other.public_id}/workspaces", {"name": "three"}, expect=409)
    assert error["code"] == "workspace_limit"
    assert error["message"] == "This team has 2 workspaces, the maximum that its policies allow."
    leaving = {"state": Workspace.State.REMOVING, "remove_at": timezone.now() + timedelta(days=1)}
    Workspace.objects.filter(pk=site.workspace.pk).update(**leaving)
    assert api("post", f"/projects/{other.public_id}/workspaces", {"name": "three"}, expect=201)
    error = api.error("post", f"/workspaces/{site.workspace.public_id}/keep", {}, expect=409)
    assert error["code"] == "workspace_limit"


# background calls


def test_a_background_call_of_another_workspace_is_not_there(site: SessionSite, api: Api) -> None:
    other = Workspace.objects.create(project=site.project, name="other", node=site.workspace.node)
    site.script(calls(tool_call("list")), text("Done."))
    (call,) = site.calls(site.run_prompt())
    api.error("post", f"/workspaces/{other.public_id}/background/{call.public_id}/stop", {}, expect=404)
    unknown = to_public("call", site.workspace.pk)
    api.error("post", f"/workspaces/{site.workspace.public_id}/background/{unknown}/stop", {}, expect=404)
    api("post", f"/workspaces/{site.workspace.public_id}/background/{call.public_id}/stop", {}, expect=202)
    assert site.pump.names() == ["sessions.end_tool_call"]


@pytest.mark.parametrize(
    ("role", "may"),
    [
        (Role.VIEWER, []),
        (Role.MEMBER, ["stop", "restart", "rebuild", "check", "export", "download", "stop_background"]),
        (Role.ADMIN, ["stop", "restart", "rebuild", "check", "export", "download", "stop_background", "remove"]),
    ],
)
def test_the_view_says_what_one_may_do(site: SessionSite, role: Role, may: list[str]) -> None:
    view = Api(site.member(role))("get", f"/workspaces/{site.workspace.public_id}")
    assert view["may"] == may
