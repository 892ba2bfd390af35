"""Services of a workspace: permission to use them, their start, and their state for commands and people."""

import json
from pathlib import Path
from typing import Any

import pytest

from agentsite.base.background import background
from sandbox.ports import Runtime
from sessions_app.models import ProjectSetup, SandboxImage, ToolCall, Turn, Workspace
from sessions_app.variables.actions import Owner, create_variable
from sessions_app.workers.sandbox import deployment as node
from sessions_app.workers.sandbox import project_files, services
from sessions_app.workers.sandbox.workspace_setup import prepare
from tests.support.asking import audited, set_policy
from tests.support.builders import browser_of
from tests.support.deadline import wait_until
from tests.support.model_server import calls, text, tool_call
from tests.support.nodes import archives
from tests.support.session_site import SessionSite

__all__ = ["archives"]

COUNTER = '[counter]\ncommand = "echo up >> ../starts; exec sleep 600"\nready = "test -e ../starts"\n'
SECRET = "s3cr3t-p4ssw0rd"
ENDS = '[broken]\ncommand = "echo why it ended; exit 4"\nready = "false"\n'


@pytest.fixture(autouse=True)
def _forgetful(archives: Path) -> None:
    project_files._seen.clear()
    services._ready.clear()


def declare(site: SessionSite, text: str) -> None:
    ProjectSetup.objects.update_or_create(project=site.project, defaults={"services": text})


def start(site: SessionSite) -> Workspace:
    set_policy(site.team, options={"incomplete_commands": "allow"})
    Workspace.objects.filter(pk=site.workspace.pk).update(seeded=False, state=Workspace.State.NEW)
    prepare(site.workspace.pk, node=site.settings.NODE_NAME)
    site.workspace.refresh_from_db()
    return site.workspace


def run(site: SessionSite, *commands: str) -> list[str]:
    """Run commands in one turn; return the outputs of all its calls, beginning with the call of `setup`."""
    site.script(*(calls(tool_call("bash", command=command)) for command in commands), text("Done."))
    turn = site.run_prompt(session=site.open_session(allow=("*",)))
    return [call.output for call in site.calls(turn)]


def starts(site: SessionSite) -> int:
    counter = site.files.parent / "starts"
    return len(counter.read_text().splitlines()) if counter.exists() else 0


def runtime(site: SessionSite) -> Runtime:
    return node.runtime_of(site.workspace)


def states(site: SessionSite) -> dict[str, str]:
    site.workspace.refresh_from_db()
    return {name: state["state"] for name, state in site.workspace.setup["services"]["states"].items()}


def test_services_of_the_settings_run_before_commands_and_only_once(site: SessionSite) -> None:
    declare(site, COUNTER)
    start(site)
    setup, first, second = run(site, "cat ../starts", "cat ../starts")
    assert "Service counter: echo runs while commands do; log: ~/.cache/services/counter/log" in setup
    assert (first, second, starts(site)) == ("up", "up", 1)
    assert states(site) == {"counter": "ready"}
    assert background.run(runtime(site).background()) == []  # sessions neither see nor end it


def test_a_service_that_was_killed_runs_again_for_the_next_command(site: SessionSite) -> None:
    declare(site, COUNTER)
    start(site)
    run(site, "true")
    call = site_call(site)
    background.run(runtime(site).abort(call))
    run(site, "true")
    wait_until(lambda: starts(site) == 2, "the service started again")
    assert states(site) == {"counter": "ready"}


def site_call(site: SessionSite) -> str:
    site.workspace.refresh_from_db()
    found: str = site.workspace.setup["services"]["states"]["counter"]["call"]
    return found


def test_services_run_again_in_a_new_container(site: SessionSite) -> None:
    declare(site, COUNTER)
    start(site)
    run(site, "true")
    background.run(node.deployment().stop(site.workspace.public_id))
    run(site, "true")
    assert starts(site) == 2


def test_a_service_that_ends_is_named_with_its_log_and_commands_run(site: SessionSite) -> None:
    declare(site, ENDS)
    start(site)
    setup, output = run(site, "echo went on")
    assert output == "went on"
    assert "Service broken: does not run. echo ended 3 times. Its log ends: why it ended" in setup
    assert states(site) == {"broken": "failed"}


def test_a_secret_in_the_log_of_a_service_that_ends_is_masked(site: SessionSite) -> None:
    create_variable(actor=site.user, owner=Owner(site.project), name="DB_PASSWORD", value=SECRET, secret=True)
    declare(site, ENDS.replace("why it ended", f"{SECRET} is wrong"))
    start(site)
    setup, _ = run(site, "true")
    assert "Its log ends: [secret DB_PASSWORD] is wrong" in setup
    site.workspace.refresh_from_db()
    message = site.workspace.setup["services"]["states"]["broken"]["message"]
    assert (SECRET in message, "[secret DB_PASSWORD]" in message) == (False, True)


def test_a_missing_program_is_named_with_the_image_to_choose(
    site: SessionSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tools_app.services.REDIS", ("agentsite-has-no-such-server",))
    declare(site, "[redis]\n")
    start(site)
    assert "The image default has no Redis, and no other image that is registered." in run(site, "true")[0]
    trial = {"n1": {"programs": ["agentsite-has-no-such-server"]}}
    SandboxImage.objects.create(name="servers", kind="tag", source="x", trials=trial)
    browser_of(site.user).post(
        f"/api/v1/sessions/{site.open_session().public_id}/setup", content_type="application/json"
    )
    site.script(text("Done."))
    site.pump.run()
    again = ToolCall.objects.filter(tool="setup").latest("id")
    assert "The image default has no Redis. Choose servers in the project's settings." in again.output


def test_services_of_the_repository_ask_and_run_only_if_they_are_allowed(site: SessionSite) -> None:
    site.write(".agentsite/services.toml", COUNTER)
    start(site)
    session = site.open_session(allow=("*",))
    site.script(calls(tool_call("bash", command="true")), text("Done."))
    turn = site.run_prompt(session=session)
    request = site.open_request()
    assert (turn.state, request.needs[0]["metadata"]["command"]) == ("waiting", COUNTER)
    site.reply("once")
    site.pump.run()
    assert starts(site) == 1
    site.write(".agentsite/services.toml", COUNTER + "# changed\n")
    site.script(calls(tool_call("bash", command="true")), calls(tool_call("bash", command="true")), text("Done."))
    site.run_prompt(session=session)
    assert starts(site) == 1


def test_a_no_keeps_them_from_running(site: SessionSite) -> None:
    site.write(".agentsite/services.toml", COUNTER)
    start(site)
    script = site.script(calls(tool_call("bash", command="true")), text("Done."))
    site.run_prompt(session=site.open_session(allow=("*",)))
    site.reply("reject")
    site.pump.run()
    assert starts(site) == 0
    prompt = script.requests()[0]["body"]["messages"][0]["content"]
    assert "Services: those of .agentsite/services.toml do not run, because nobody has allowed them." in prompt


def test_a_file_that_cannot_be_read_is_named_and_nothing_asks(site: SessionSite) -> None:
    site.write(".agentsite/services.toml", "[postgres")
    start(site)
    script = site.script(text("Done."))
    turn: Turn = site.run_prompt()
    assert turn.state == "completed"
    assert "cannot be used. It is not valid TOML" in script.requests()[0]["body"]["messages"][0]["content"]


def test_a_changed_declaration_ends_the_old_service(site: SessionSite) -> None:
    declare(site, COUNTER)
    start(site)
    run(site, "true")
    old = site_call(site)
    declare(site, COUNTER.replace("600", "601"))
    prepare(site.workspace.pk, node=site.settings.NODE_NAME)
    run(site, "true")
    assert background.run(runtime(site).peek(old)).call.end == "aborted"
    assert starts(site) == 2


def test_services_are_part_of_no_change_and_no_archive(site: SessionSite) -> None:
    declare(site, COUNTER)
    start(site)
    before = background.run(runtime(site).archive_state())
    background.run(runtime(site).snapshot())
    run(site, "true")
    assert background.run(runtime(site).archive_state()) == before


def test_services_are_saved_over_the_api_with_their_states(site: SessionSite) -> None:
    start(site)
    browser, address = browser_of(site.user), f"/api/v1/projects/{site.project.public_id}/setup"

    def put(**body: object) -> Any:
        return browser.put(address, json.dumps({"script": "", **body}), content_type="application/json")

    assert put(services=COUNTER).status_code == 200
    site.pump.run()
    run(site, "true")
    shown = browser.get(address).json()
    (workspace,) = shown["workspaces"]
    assert (shown["services"], workspace["source"], workspace["allowed"]) == (COUNTER, "settings", True)
    assert workspace["services"] == [
        {"name": "counter", "program": "echo", "place": "", "state": "ready", "message": ""}
    ]
    refused = put(services="[postgres")
    assert refused.status_code in {400, 422}
    assert "not valid TOML" in refused.json()["error"]["fields"]["services"]
    assert put().json()["services"] == COUNTER
    assert put(services="").json()["services"] == ""
    assert [entry.data.get("services") for entry in audited(site.team, "project.setup_changed")] == ["counter", None]
