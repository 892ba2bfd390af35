"""Programs of a workspace use the network through the door (the proxy): refusals, permission requests, and the answers
to them."""

from collections.abc import Iterator
from typing import NoReturn

import pytest
from django.db import OperationalError

from agentsite.base.background import background
from sandbox.ports import RunRequest
from sessions_app.actions.permissions import expire_requests
from sessions_app.actions.prompts import submit_prompt
from sessions_app.models import Grant, PermissionRequest, ProjectSetup, RefusedHost, Session, ToolCall, Turn
from sessions_app.variables.actions import Owner, create_variable, remove_variable
from sessions_app.variables.uses import RequestPlace
from sessions_app.workers.door import rules
from sessions_app.workers.door.serving import serve
from sessions_app.workers.sandbox import deployment as node
from sessions_app.workers.sandbox.workspace_setup import prepare
from tests.support.asking import set_policy
from tests.support.deadline import wait_until
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite
from tests.support.web_server import WebServer, page, serving


@pytest.fixture
def server(site: SessionSite) -> Iterator[WebServer]:
    """Run a web server at an address that the operators exempted, so that only the policies decide whether programs
    reach it."""
    opened = serving({"/": page("the page", "text/plain")})
    started = background.run(opened.__aenter__())
    site.settings.NETWORK_ALLOW = [started.place]
    yield started
    background.run(opened.__aexit__(None, None, None))


@pytest.fixture
def door(site: SessionSite, server: WebServer) -> Iterator[None]:
    """Run the door (the network proxy), linked to the workspace."""
    serving_door = background.start(serve(site.files.parent.parent))
    numbers = iter(range(1000))

    def is_linked() -> bool:
        asked = RunRequest(f"linked-{next(numbers)}", "echo $HTTP_PROXY")
        return b"http" in background.run(node.runtime_of(site.workspace).run(asked)).output

    wait_until(is_linked, "the door is linked", seconds=20)
    yield
    serving_door.cancel()


pytestmark = pytest.mark.usefixtures("door")


def curl(server: WebServer) -> str:
    """Return a curl command for the server. It overrides NO_PROXY, because programs use no proxy for local
    addresses."""
    return f"curl -sS -m 20 --noproxy '' http://{server.place}/"


def open_network(site: SessionSite, mode: str) -> None:
    set_policy(site.team, options={"sandbox": {"network": mode}})


def run_curl(site: SessionSite, server: WebServer, *, times: int = 1, session: Session | None = None) -> Turn:
    site.script(*(calls(tool_call("bash", command=curl(server))) for _ in range(times)), text("Done."))
    return site.run_prompt(session=session or site.open_session(allow=("bash",)))


def has_to_wait(turn: Turn) -> bool:
    return ToolCall.objects.filter(turn=turn, state="waiting").exists()


def test_a_host_that_no_rule_allows_is_asked_about_after_the_command_ran(site: SessionSite, server: WebServer) -> None:
    open_network(site, "allowlist")
    turn = run_curl(site, server)
    call = site.calls(turn)[0]
    request = site.open_request()
    assert [(need["permission"], need["patterns"]) for need in request.needs] == [("egress", [server.place])]
    assert request.title == f"Connect to {server.place}"
    assert (call.state, call.waits_for) == ("waiting", "permission")
    assert f"{server.place} is refused: the network mode is allowlist (the policy of the team)" in call.output
    assert server.asked == []


def test_a_refused_host_is_stored_once_for_its_call(site: SessionSite, server: WebServer) -> None:
    open_network(site, "allowlist")
    turn = run_curl(site, server)
    site.reply("reject")
    site.pump.run()
    row = RefusedHost.objects.get()
    assert (row.session_id, row.name, row.times, row.cause) == (turn.session_id, server.place, 1, "rules")


@pytest.mark.parametrize(
    ("address", "cause"), [("http://127.0.0.1:8080/", "address"), ("http://nowhere.invalid/", "unreachable")]
)
def test_a_host_that_no_rule_can_help_is_stored_with_the_cause(address: str, cause: str, site: SessionSite) -> None:
    open_network(site, "open")
    site.script(calls(tool_call("bash", command=f"curl -sS -m 20 --noproxy '' {address}")), text("Done."))
    site.run_prompt(session=site.open_session(allow=("bash",)))
    assert RefusedHost.objects.get().cause == cause


def test_once_allows_the_host_until_the_turn_ends(site: SessionSite, server: WebServer) -> None:
    open_network(site, "allowlist")
    session = site.open_session(allow=("bash",))
    turn = run_curl(site, server, times=2, session=session)
    site.reply("once")
    site.pump.run()
    first, second = site.calls(turn)
    assert first.output.endswith(f"({server.place} is allowed now. Run the command again if it needs it.)")
    assert (second.state, second.output) == ("completed", "the page")
    wait_until(lambda: has_to_wait(run_curl(site, server)), "the next turn has to ask again", seconds=10)


def test_always_allows_the_host_for_the_project(site: SessionSite, server: WebServer) -> None:
    open_network(site, "allowlist")
    run_curl(site, server)
    site.reply("always", scope="project")
    site.pump.run()
    grant = Grant.objects.get()
    assert (grant.permission, grant.pattern, grant.scope) == ("egress", server.place, "project")
    assert site.calls(run_curl(site, server))[0].output == "the page"


@pytest.mark.parametrize("message", ["", "Use the copy in the repository."])
def test_a_no_keeps_the_commands_result_and_the_turn_goes_on(
    message: str, site: SessionSite, server: WebServer
) -> None:
    open_network(site, "allowlist")
    turn = run_curl(site, server)
    site.reply("reject", message=message)
    site.pump.run()
    call = site.calls(turn)[0]
    turn.refresh_from_db()
    assert (call.state, turn.state) == ("completed", "completed")
    assert "response 403" in call.output or "is refused" in call.output
    assert "(A person refused this. Continue without it." in call.output
    assert message in call.output


def test_a_request_that_nobody_answers_keeps_the_result_too(site: SessionSite, server: WebServer) -> None:
    open_network(site, "allowlist")
    turn = run_curl(site, server)
    request = site.open_request()
    assert expire_requests(request.expires_at.replace(year=request.expires_at.year + 1)) == 1
    site.pump.run()
    call = site.calls(turn)[0]
    assert call.state == "completed"
    assert "Nobody answered the permission request for this in time." in call.output


def test_an_unattended_turn_gets_the_refusal_and_goes_on(site: SessionSite, server: WebServer) -> None:
    open_network(site, "allowlist")
    site.script(calls(tool_call("bash", command=curl(server))), text("Done."))
    session = site.open_session(allow=("bash",))
    turn, _ = submit_prompt(actor=site.user, session=session, text="Go", wait_for_answers=0)
    site.pump.run()
    turn.refresh_from_db()
    assert (turn.state, PermissionRequest.objects.count()) == ("completed", 0)
    assert "is refused" in site.calls(turn)[0].output


def test_the_mode_none_refuses_with_whose_policy_it_is_and_asks_nobody(site: SessionSite, server: WebServer) -> None:
    turn = run_curl(site, server)
    assert f"({server.place} is refused: workspaces have no network here (the site's default).)" in (
        site.calls(turn)[0].output
    )
    assert PermissionRequest.objects.count() == 0


def test_set_up_has_a_network_mode_of_its_own(site: SessionSite, server: WebServer) -> None:
    set_policy(site.team, options={"sandbox": {"network": "none", "setup_network": "open"}})
    ProjectSetup.objects.create(project=site.project, script=curl(server))
    site.script(text("Done."))
    prepare(site.workspace.pk, node=site.settings.NODE_NAME)
    session = site.open_session(allow=("bash",))
    assert site.calls(site.run_prompt(session=session))[0].output == "the page"
    wait_until(
        lambda: "no network here" in site.calls(run_curl(site, server, session=session))[0].output,
        "it ends",
        seconds=10,
    )


def test_a_changed_policy_applies_to_the_next_connection(site: SessionSite, server: WebServer) -> None:
    open_network(site, "open")
    assert site.calls(run_curl(site, server))[0].output == "the page"
    open_network(site, "none")
    wait_until(lambda: "is refused" in site.calls(run_curl(site, server))[0].output, "it applies", seconds=10)


def test_a_limit_of_the_team_holds_against_a_grant(site: SessionSite, server: WebServer) -> None:
    set_policy(
        site.team,
        options={"sandbox": {"network": "open"}},
        enforced=[{"permission": "egress", "pattern": server.place, "action": "deny"}],
    )
    Grant.objects.create(team=site.team, scope="team", permission="egress", pattern="*")
    output = site.calls(run_curl(site, server))[0].output
    assert f"({server.place} is refused by a rule (team limits).)" in output


def test_a_stopped_turn_keeps_what_the_waiting_command_wrote(site: SessionSite, server: WebServer) -> None:
    from sessions_app.actions.prompts import abort_turn

    open_network(site, "allowlist")
    turn = run_curl(site, server)
    abort_turn(actor=site.user, session=turn.session)
    call = ToolCall.objects.get(turn=turn)
    assert call.state == "aborted"
    assert "is refused" in call.output


def test_rules_that_cannot_be_read_refuse_with_that_reason(
    site: SessionSite, server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: str) -> NoReturn:
        raise OperationalError("the database is away")

    open_network(site, "open")
    monkeypatch.setattr(rules, "load_rules", fail)
    output = site.calls(run_curl(site, server))[0].output
    assert "The rules of the site cannot be read just now. Try again in a moment." in output
    assert PermissionRequest.objects.count() == 0


def test_programs_trust_the_door_while_the_project_has_a_secret_for_a_host(site: SessionSite) -> None:
    numbers = iter(range(1000))

    def trusted() -> str:
        asked = RunRequest(f"trusted-{next(numbers)}", 'echo "$GIT_SSL_CAINFO"; tail -c 30 "$GIT_SSL_CAINFO"')
        return background.run(node.runtime_of(site.workspace).run(asked)).output.decode()

    assert trusted().split("\n")[0] == ""
    variable = create_variable(
        actor=site.user, owner=Owner(site.project), name="API_TOKEN", value="s3cr3t-p4ss-w0rd", secret=True,
        used_for="requests", place=RequestPlace(["api.example.com"]),
    )  # fmt: skip
    wait_until(lambda: "END CERTIFICATE" in trusted(), "programs trust the door", seconds=10)
    remove_variable(actor=site.user, variable=variable)
    wait_until(lambda: trusted().split("\n")[0] == "", "they trust it no more", seconds=10)
