"""Set-up of a workspace: occasions on which its script runs, its permission requests, and the use of its result."""

import json
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from agentsite.base.background import background
from agentsite.tenancy.models import Project
from sessions_app.actions.prompts import abort_turn, submit_prompt
from sessions_app.actions.turns import LeaseLost
from sessions_app.models import (
    PermissionRequest,
    ProjectSetup,
    Session,
    SetupResult,
    ToolCall,
    Turn,
    Workspace,
    WorkspaceNote,
)
from sessions_app.variables.actions import Owner, create_variable
from sessions_app.workers.sandbox import deployment as node
from sessions_app.workers.sandbox import project_files
from sessions_app.workers.sandbox.setup_runs import WorkspaceSetup
from sessions_app.workers.sandbox.workspace_deletion import delete
from sessions_app.workers.sandbox.workspace_setup import prepare
from tests.support.asking import audited, set_policy
from tests.support.builders import browser_of
from tests.support.model_server import calls, text, tool_call
from tests.support.nodes import archives
from tests.support.session_site import SessionSite

__all__ = ["archives"]

COUNTING = "echo installing; echo ran >> ../ran; mkdir -p node_modules; echo 1 > node_modules/a; echo made > .tool"


@pytest.fixture(autouse=True)
def _forgetful(archives: Path) -> None:
    project_files._seen.clear()


def settings_script(site: SessionSite, script: str) -> None:
    ProjectSetup.objects.update_or_create(project=site.project, defaults={"script": script})


def start(site: SessionSite, workspace: Workspace | None = None) -> Workspace:
    """Reset a workspace to the state "new", and prepare it on this node."""
    row = workspace or site.workspace
    Workspace.objects.filter(pk=row.pk).update(seeded=False, state=Workspace.State.NEW)
    prepare(row.pk, node=site.settings.NODE_NAME)
    row.refresh_from_db()
    return row


def another_workspace(site: SessionSite, **files: str) -> Workspace:
    row = Workspace.objects.create(project=site.project, name="second", node=site.settings.NODE_NAME)
    for name, content in files.items():
        background.run(node.runtime_of(row).write(name, content.encode()))
    return start(site, row)


def session_in(site: SessionSite, workspace: Workspace) -> Session:
    site.workspace = workspace
    return site.open_session()


def run_turn(site: SessionSite, *, session: Session | None = None) -> Turn:
    site.script(text("Done."))
    return site.run_prompt(session=session)


def setup_call(turn: Turn) -> ToolCall:
    return ToolCall.objects.get(turn=turn, tool="setup")


def times(site: SessionSite, workspace: Workspace | None = None) -> int:
    counter = site.deployment.files_of((workspace or site.workspace).public_id).parent / "ran"
    return len(counter.read_text().splitlines()) if counter.exists() else 0


def test_the_script_of_the_settings_runs_once_before_the_first_step(site: SessionSite) -> None:
    settings_script(site, COUNTING)
    assert start(site).setup["state"] == "due"
    session = site.open_session()
    turn = run_turn(site, session=session)
    call = setup_call(turn)
    assert (call.state, call.title) == ("completed", "Set up the workspace with the project's settings")
    assert call.output == "installing"
    assert call.metadata["exit_code"] == 0
    site.workspace.refresh_from_db()
    assert site.workspace.setup["state"] == "done"
    assert not ToolCall.objects.filter(turn=run_turn(site, session=session)).exists()
    assert times(site) == 1


def test_the_script_gets_variables_of_team_and_project_but_of_no_person(site: SessionSite) -> None:
    settings_script(site, 'echo "<$ONE><$TWO><$THREE>"')
    for name, owner in (("ONE", site.team), ("TWO", site.project), ("THREE", site.user)):
        create_variable(actor=site.user, owner=Owner(owner), name=name, value=name.lower())
    start(site)
    assert "<one><two><>" in setup_call(run_turn(site)).output


def test_the_next_workspace_gets_its_result_and_runs_nothing(site: SessionSite) -> None:
    settings_script(site, COUNTING)
    start(site)
    run_turn(site)
    result = SetupResult.objects.get()
    second = another_workspace(site)
    assert second.setup["state"] == "reused"
    files = site.deployment.files_of(second.public_id)
    assert (files / "node_modules/a").read_text() == "1\n"
    assert result.size > 0
    assert not ToolCall.objects.filter(turn=run_turn(site, session=session_in(site, second))).exists()
    assert times(site, second) == 0


def test_a_lock_file_that_changed_runs_it_again_at_the_next_turn(site: SessionSite) -> None:
    settings_script(site, COUNTING)
    site.write("package-lock.json", "1")
    start(site)
    session = site.open_session(allow=("edit",))
    run_turn(site, session=session)
    site.write("package-lock.json", "2")
    site.script(calls(tool_call("list")), text("The next call notices."))
    site.run_prompt(session=session)
    assert times(site) == 1
    assert setup_call(run_turn(site, session=session)).state == "completed"
    assert times(site) == 2
    site.script(calls(tool_call("write", filePath="yarn.lock", content="1")), calls(tool_call("list")), text("Ok."))
    site.run_prompt(session=session)
    assert setup_call(run_turn(site, session=session)).state == "completed"


def test_a_workspace_with_another_lock_file_gets_no_result(site: SessionSite) -> None:
    settings_script(site, COUNTING)
    start(site)
    run_turn(site)
    second = another_workspace(site, **{"package-lock.json": "other"})
    assert second.setup["state"] == "due"
    assert not (site.deployment.files_of(second.public_id) / "node_modules").exists()


def test_files_of_the_workspace_are_not_replaced_by_a_result(site: SessionSite) -> None:
    settings_script(site, "echo made > made; echo old > kept")
    start(site)
    run_turn(site)
    files = site.deployment.files_of(another_workspace(site, kept="new").public_id)
    assert ((files / "kept").read_text(), (files / "made").read_text()) == ("new", "made\n")


def test_what_set_up_made_is_not_part_of_the_sessions_changes(site: SessionSite) -> None:
    settings_script(site, COUNTING)
    start(site)
    session = site.open_session(allow=("edit",))
    site.script(calls(tool_call("write", filePath="a.txt", content="a")), text("Done."))
    site.run_prompt(session=session)
    session.refresh_from_db()
    changed = background.run(node.runtime_of(site.workspace).diff(session.baseline))
    assert [diff.path for diff in changed] == ["a.txt"]


def test_a_script_that_fails_leaves_the_session_usable_and_is_not_repeated(site: SessionSite) -> None:
    settings_script(site, "echo broken; exit 3")
    start(site)
    session = site.open_session()
    script = site.script(text("Done."), text("Done."))
    turn = site.run_prompt(session=session)
    call = setup_call(turn)
    assert (turn.state, call.state) == ("completed", "completed")
    assert call.title == "Set-up failed with the project's settings"
    assert call.output == "broken\n\n(Exit code 3.)"
    prompt = script.requests()[0]["body"]["messages"][0]["content"]
    assert "Set-up: the script in the project's settings has failed with exit code 3" in prompt
    assert not ToolCall.objects.filter(turn=site.run_prompt(session=session)).exists()
    assert SetupResult.objects.count() == 0


def test_a_script_of_the_repository_asks_the_first_time_and_whenever_it_changed(site: SessionSite) -> None:
    site.write(".agentsite/setup.sh", COUNTING)
    start(site)
    session = site.open_session()
    turn = run_turn(site, session=session)
    request = site.open_request()
    assert (turn.state, request.needs[0]["permission"]) == ("waiting", "setup")
    assert request.needs[0]["metadata"]["command"] == COUNTING
    site.reply("always", scope="project")
    site.pump.run()
    assert (setup_call(turn).state, times(site)) == ("completed", 1)
    second = another_workspace(site, **{".agentsite/setup.sh": COUNTING, "go.sum": "other"})
    assert setup_call(run_turn(site, session=session_in(site, second))).state == "completed"
    third = another_workspace(site, **{".agentsite/setup.sh": COUNTING + "\ntrue"})
    assert run_turn(site, session=session_in(site, third)).state == "waiting"


def test_a_rule_for_everything_does_not_run_a_script_of_the_repository(site: SessionSite) -> None:
    set_policy(site.team, rules=[{"permission": "*", "pattern": "*", "action": "allow"}])
    site.write(".agentsite/setup.sh", COUNTING)
    start(site)
    assert run_turn(site).state == "waiting"


def test_a_no_goes_on_without_set_up_and_does_not_ask_again(site: SessionSite) -> None:
    site.write(".agentsite/setup.sh", COUNTING)
    start(site)
    session = site.open_session()
    turn = run_turn(site, session=session)
    site.reply("reject")
    site.pump.run()
    turn.refresh_from_db()
    call = setup_call(turn)
    assert (turn.state, call.state) == ("completed", "error")
    assert call.output == "The person rejected this set-up. It was not run. Continue without it."
    assert run_turn(site, session=session).state == "completed"
    assert (PermissionRequest.objects.count(), times(site)) == (1, 0)


def test_a_script_that_changes_while_a_person_thinks_is_asked_about_again(site: SessionSite) -> None:
    site.write(".agentsite/setup.sh", COUNTING)
    start(site)
    run_turn(site)
    site.write(".agentsite/setup.sh", "echo other >> ../ran")
    site.reply("once")
    site.pump.run()
    assert site.open_request().needs[0]["metadata"]["command"] == "echo other >> ../ran"
    assert times(site) == 0


def test_a_turn_that_waits_for_nobody_does_not_run_it_and_says_so(site: SessionSite) -> None:
    site.write(".agentsite/setup.sh", COUNTING)
    start(site)
    script = site.script(text("Done."))
    turn, _ = submit_prompt(actor=site.user, session=site.open_session(), text="Go", wait_for_answers=0)
    site.pump.run()
    turn.refresh_from_db()
    assert (turn.state, times(site), PermissionRequest.objects.count()) == ("completed", 0, 0)
    assert "this turn does not wait for answers. It was not run" in setup_call(turn).output
    prompt = script.requests()[0]["body"]["messages"][0]["content"]
    assert "Set-up: .agentsite/setup.sh has not run" in prompt


def test_a_result_is_kept_only_if_nothing_else_ran_before(site: SessionSite) -> None:
    site.write("README", "")
    start(site)
    session = site.open_session()
    site.script(calls(tool_call("list")), text("Done."))
    site.run_prompt(session=session)
    settings_script(site, COUNTING)
    prepare(site.workspace.pk, node=site.settings.NODE_NAME)
    run_turn(site, session=session)
    assert (times(site), SetupResult.objects.count()) == (1, 0)


@pytest.mark.parametrize(
    ("path", "content", "output"),
    [
        (".devcontainer/devcontainer.json", '{"postCreateCommand": "echo a"} // why', "a"),
        (".devcontainer.json", json.dumps({"postCreateCommand": ["echo", "a  b"]}), "a  b"),
        (".devcontainer.json", json.dumps({"postCreateCommand": {"x": "echo a", "y": ["echo", "b"]}}), "a\nb"),
        (".cursor/environment.json", json.dumps({"install": "echo c"}), "c"),
    ],
)
def test_scripts_of_other_tools_are_found(path: str, content: str, output: str, site: SessionSite) -> None:
    site.write(path, content)
    start(site)
    turn = run_turn(site)
    site.reply("once")
    site.pump.run()
    assert setup_call(turn).output == output


def test_a_kept_result_that_is_gone_is_forgotten_and_set_up_runs(site: SessionSite, archives: Path) -> None:
    settings_script(site, COUNTING)
    start(site)
    run_turn(site)
    (archives / SetupResult.objects.get().archive).unlink()
    assert another_workspace(site).setup["state"] == "due"
    assert SetupResult.objects.count() == 0


def test_sessions_are_told_that_a_result_was_reused(site: SessionSite) -> None:
    settings_script(site, COUNTING)
    start(site)
    run_turn(site)
    second = Workspace.objects.create(project=site.project, name="second", node=site.settings.NODE_NAME)
    session = session_in(site, second)
    start(site, second)
    note = WorkspaceNote.objects.get(session=session, kind="setup")
    assert note.text.startswith("The workspace has the result of an earlier set-up")


def test_a_script_is_changed_over_the_api_and_running_workspaces_notice(site: SessionSite) -> None:
    start(site)
    browser, address = browser_of(site.user), f"/api/v1/projects/{site.project.public_id}/setup"
    first = browser.get(address)
    assert first.json() == {
        "script": "", "services": "", "changed_by": None, "changed_at": None, "network": "none",
        "network_source": "default", "workspaces": [],
    }  # fmt: skip
    saved = browser.put(
        address, {"script": COUNTING}, content_type="application/json", headers={"If-Match": first["ETag"]}
    )
    assert (saved.status_code, saved.json()["script"]) == (200, COUNTING)
    assert saved.json()["changed_by"]["id"] == site.user.public_id
    late = browser.put(address, {"script": ""}, content_type="application/json", headers={"If-Match": first["ETag"]})
    assert late.status_code == 412
    assert [entry.data["bytes"] for entry in audited(site.team, "project.setup_changed")] == [len(COUNTING)]
    site.pump.run()
    assert setup_call(run_turn(site)).state == "completed"


@pytest.mark.parametrize("script", ["a\0b", "é" * 40_000, 5])
def test_a_script_that_is_no_script_is_refused(script: object, site: SessionSite) -> None:
    address = f"/api/v1/projects/{site.project.public_id}/setup"
    body = json.dumps({"script": script})
    assert browser_of(site.user).put(address, body, content_type="application/json").status_code in (400, 422)


def test_runs_are_listed_with_their_output(site: SessionSite) -> None:
    settings_script(site, "echo broken; exit 3")
    start(site)
    run_turn(site)
    browser, address = browser_of(site.user), f"/api/v1/projects/{site.project.public_id}/setup/runs"
    (listed,) = browser.get(address).json()["items"]
    assert (listed["state"], listed["source"], listed["exit_code"]) == ("failed", "settings", 3)
    log = browser.get(f"{address}/{listed['id']}").json()
    assert log == {**listed, "output": "broken\n\n(Exit code 3.)"}


def test_a_person_runs_it_again(site: SessionSite) -> None:
    settings_script(site, COUNTING)
    start(site)
    session = site.open_session()
    run_turn(site, session=session)
    site.script(text("It worked."))
    taken = browser_of(site.user).post(f"/api/v1/sessions/{session.public_id}/setup", content_type="application/json")
    assert taken.status_code == 202
    site.pump.run()
    assert times(site) == 2


def test_a_workspace_without_a_script_cannot_run_it_again(site: SessionSite) -> None:
    session = site.open_session()
    refused = browser_of(site.user).post(f"/api/v1/sessions/{session.public_id}/setup", content_type="application/json")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "no_setup")


def test_a_run_that_a_person_stopped_does_not_start_again_by_itself(site: SessionSite) -> None:
    site.write(".agentsite/setup.sh", COUNTING)
    start(site)
    session = site.open_session()
    run_turn(site, session=session)
    abort_turn(actor=site.user, session=session)
    assert not ToolCall.objects.filter(turn=run_turn(site, session=session)).exists()


def test_a_worker_that_dies_after_the_script_leaves_a_run_that_the_next_one_completes(
    site: SessionSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings_script(site, COUNTING)
    start(site)
    site.script(text("Done."))
    turn = site.prompt(site.open_session())

    async def die(*_: object) -> str:
        raise LeaseLost  # what the worker did until here stays, and nothing follows

    with monkeypatch.context() as dying:
        dying.setattr(WorkspaceSetup, "ended", die)
        site.pump.run()
    assert (setup_call(turn).state, times(site)) == ("running", 1)
    site.abandon()
    site.recover()
    site.pump.run()
    turn.refresh_from_db()
    call = setup_call(turn)
    assert (turn.state, call.state, call.output, times(site)) == ("completed", "completed", "installing", 1)
    assert SetupResult.objects.count() == 1


def test_results_are_deleted_with_the_project(site: SessionSite, archives: Path) -> None:
    settings_script(site, COUNTING)
    start(site)
    run_turn(site)
    kept = archives / SetupResult.objects.get().archive
    assert kept.exists()
    past = timezone.now() - timedelta(days=1)
    Project.objects.filter(pk=site.project.pk).update(remove_at=past)
    Workspace.objects.filter(pk=site.workspace.pk).update(state=Workspace.State.REMOVING, remove_at=past)
    delete(site.workspace.pk, node=site.settings.NODE_NAME)
    assert (kept.exists(), SetupResult.objects.count()) == (False, 0)
