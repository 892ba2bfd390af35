"""Variables of teams, projects and people: the values that commands get, rights to set them, and refusals."""

import base64
from typing import Any, cast

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from agentsite.tenancy.encryption import SECRETS, CannotUnseal, make_pair
from agentsite.tenancy.models import AuditEntry, Project, Team, User
from agentsite.tenancy.roles import Role
from agentsite.tenancy.variable_encryption import VARIABLES
from sessions_app.actions.calls import HeldCall
from sessions_app.actions.prompts import submit_prompt
from sessions_app.models import Session, ToolCall, Turn, Variable, VariableUse
from sessions_app.queries.questions import ReviewQuestion
from sessions_app.variables import given
from sessions_app.variables.actions import Owner, change_variable, create_variable, remove_variable
from sessions_app.variables.given import given_variables, note_use
from sessions_app.webhooks.actions import create_webhook
from sessions_app.webhooks.event_types import webhook_events
from sessions_app.webhooks.models import Delivery
from sessions_app.workers.sandbox import workspace_queries
from sessions_app.workers.sandbox.call_keeper import CallKeeper
from tests.support.builders import browser_of, make_project
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite
from tests.support.tenancy_world import our_models

PRINT = tool_call("bash", command='echo "<$GREETING>"')


@pytest.fixture(autouse=True)
def _nothing_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(given, "_noted", {})


@pytest.fixture
def session(site: SessionSite) -> Session:
    return site.open_session(allow=("bash",))


def give(site: SessionSite, target: Team | Project | User, value: str, *, name: str = "GREETING") -> Variable:
    actor = target if isinstance(target, User) else site.user
    return create_variable(actor=actor, owner=Owner(target), name=name, value=value)


def printed(site: SessionSite, session: Session, *, by: User | None = None) -> str:
    """Run a new turn; return the output of its command."""
    site.script(calls(PRINT), text("Done."))
    turn = submit_prompt(actor=by or site.user, session=session, text="Print it.")[0]
    site.pump.run()
    return ToolCall.objects.get(turn=turn).output


def as_json(browser: Client, method: str, path: str, **body: Any) -> Any:
    return getattr(browser, method)(f"/api/v1{path}", body, content_type="application/json")


def test_a_command_gets_the_nearest_of_several_variables(site: SessionSite, session: Session) -> None:
    assert printed(site, session) == "<>"
    give(site, site.team, "of the team")
    assert printed(site, session) == "<of the team>"
    give(site, site.project, "of the project")
    assert printed(site, session) == "<of the project>"
    own = give(site, site.user, "of the person")
    assert printed(site, session) == "<of the person>"
    remove_variable(actor=site.user, variable=own)
    assert printed(site, session) == "<of the project>"


def test_a_background_command_gets_variables(site: SessionSite, session: Session) -> None:
    give(site, site.project, "hello")
    start = tool_call("bash", command='echo "$GREETING" > greeting.txt', background=True)
    site.script(calls(start), text("Done."))
    site.run_prompt(session=session)
    site.script(calls(tool_call("bash", command="until grep . greeting.txt; do sleep 0.05; done")), text("Done."))
    turn = site.run_prompt(session=session)
    assert ToolCall.objects.get(turn=turn).output == "hello"


def test_variables_of_a_person_are_given_to_that_persons_turns_alone(site: SessionSite, session: Session) -> None:
    colleague = site.member()
    give(site, colleague, "of the colleague")
    assert printed(site, session) == "<>"
    assert printed(site, session, by=colleague) == "<of the colleague>"


def test_a_turn_in_which_somebody_else_prompts_gets_no_variables_of_a_person(
    site: SessionSite, session: Session
) -> None:
    colleague = site.member()
    give(site, colleague, "of the colleague")
    site.script(calls(PRINT), text("Done."))
    turn = submit_prompt(actor=colleague, session=session, text="Print it.")[0]
    submit_prompt(actor=site.user, session=session, text="And more.")
    site.pump.run()
    assert ToolCall.objects.get(turn=turn).output == "<>"


def test_variables_of_other_projects_and_teams_are_not_given(site: SessionSite, session: Session) -> None:
    give(site, make_project(site.team), "of another project")
    assert printed(site, session) == "<>"


def test_a_repeated_request_for_a_command_finds_it_after_a_variable_changed(
    site: SessionSite, session: Session
) -> None:
    """A call that is repeated after a variable has changed still gets the result of its command. A worker died after
    the command, and the next worker asks the runner for the result."""
    give(site, site.team, "before")
    site.script(calls(PRINT), text("Done."))
    turn = site.prompt(session)
    site.pump.run(until=lambda: ToolCall.objects.filter(turn=turn, state="completed").exists())
    call = ToolCall.objects.get(turn=turn)
    Variable.objects.update(value="after")
    ToolCall.objects.filter(pk=call.pk).update(
        state="running", output="", ended_at=None, lease_token="gone", lease_until=timezone.now()
    )
    Turn.objects.filter(pk=turn.pk).update(state="running")
    site.recover()
    site.pump.run()
    call.refresh_from_db()
    assert call.output == "<before>"


def test_last_use_is_stored_once_in_a_while(
    site: SessionSite, session: Session, django_assert_num_queries: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    variable = give(site, site.team, "hello")
    printed(site, session)
    first = variable.uses.get()
    assert first.workspace == site.workspace
    shown = browser_of(site.user).get(f"/api/v1/variables/{variable.public_id}").json()
    assert shown["last_used_at"]
    printed(site, session)
    assert variable.uses.get().used_at == first.used_at
    monkeypatch.setattr(given, "USE_NOTED_EVERY", 0.0)
    printed(site, session)
    assert variable.uses.get().used_at > first.used_at


def test_the_use_of_a_removed_variable_harms_nobody(site: SessionSite) -> None:
    variable = give(site, site.team, "hello")
    found = given_variables(team_id=site.team.pk, project_id=site.project.pk)
    remove_variable(actor=site.user, variable=variable)
    note_use(found.rows, site.workspace.pk)
    assert not VariableUse.objects.exists()


# secrets

SECRET = "s3cr3t-p4ss/w0rd"


def secret_of(site: SessionSite, value: str = SECRET) -> Variable:
    return create_variable(actor=site.user, owner=Owner(site.project), name="API_TOKEN", value=value, secret=True)


def test_commands_do_not_get_a_secret_and_set_up_does(site: SessionSite, session: Session) -> None:
    secret_of(site)
    site.script(calls(tool_call("bash", command='echo "<$API_TOKEN>"')), text("Done."))
    turn = site.run_prompt(session=session)
    assert ToolCall.objects.get(turn=turn).output == "<>"
    given = given_variables(team_id=site.team.pk, project_id=site.project.pk, stage="setup")
    assert given.values == {"API_TOKEN": SECRET}


def test_no_part_of_a_secret_in_a_file_gets_out_of_the_sandbox(site: SessionSite, session: Session) -> None:
    """No part of a secret in a file leaves the sandbox. An agent reads and prints a file with the secret, such as
    ~/.npmrc from a set-up, in every possible way. The checked tables include the tables of webhooks and search."""
    secret_of(site)
    events = list(webhook_events())
    create_webhook(actor=site.user, team=site.team, name="CI", url="https://ci.example.org/", events=events)
    encoded = base64.b64encode(f"user:{SECRET}".encode()).decode()
    site.write("npmrc", f"token={SECRET}\nbasic {encoded}\n")
    site.script(
        calls(tool_call("read", filePath="npmrc")),
        calls(tool_call("grep", pattern="token", path=".")),
        calls(tool_call("bash", command="cat npmrc")),
        calls(tool_call("edit", filePath="npmrc", oldString="basic", newString="Basic")),
        calls(tool_call("edit", filePath="npmrc", oldString="not there", newString="x")),
        calls(tool_call("bash", command="cat npmrc", background=True)),
        text("Done."),
    )
    turn = site.run_prompt(session=session)
    if turn.state == Turn.State.WAITING:
        site.reply("once")
        site.pump.run()
    outputs = [call.output for call in ToolCall.objects.filter(turn=turn)]
    assert sum("[secret API_TOKEN]" in output for output in outputs) >= 3, outputs
    found = [model.__name__ for model in our_models() for row in model._base_manager.values() if SECRET in str(row)]
    assert not found
    assert encoded[8:20] not in "".join(outputs)
    assert Delivery.objects.exists()
    browser, path = browser_of(site.user), f"/api/v1/sessions/{session.public_id}"
    for address in ("/export", "/export?format=markdown", "/snapshot"):
        answer = browser.get(f"{path}{address}").content.decode()
        assert "[secret API_TOKEN]" in answer, address
        assert not any(part in answer for part in (SECRET, encoded[8:20])), address


def test_a_secret_is_masked_in_the_changes_of_a_session(site: SessionSite, session: Session) -> None:
    secret_of(site)
    site.script(calls(tool_call("bash", command=f"echo {SECRET[:8]}''{SECRET[8:]} > new.txt")), text("Done."))
    site.run_prompt(session=session)
    session.refresh_from_db()
    answer = workspace_queries._answer(site.workspace, ReviewQuestion(base=session.baseline))
    assert "[secret API_TOKEN]" in str(answer)
    assert SECRET not in str(answer)


def test_live_output_never_shows_a_secret_that_arrives_in_pieces(site: SessionSite, session: Session) -> None:
    keeper = CallKeeper(cast(HeldCall, None))
    secret_of(site)
    keeper.mask_with(given_variables(team_id=site.team.pk, project_id=site.project.pk).masks)
    for piece in ("before ", SECRET[:5], SECRET[5:], " after\n"):
        keeper.progress(output=piece)
        assert SECRET[:5] not in keeper._output
    assert keeper._output == "before [secret API_TOKEN] after\n"


def test_a_replaced_secret_is_masked_too(site: SessionSite) -> None:
    variable = secret_of(site)
    change_variable(actor=site.user, variable=variable, value="an0ther-secret")
    given = given_variables(team_id=site.team.pk, project_id=site.project.pk, stage="setup")
    assert given.values == {"API_TOKEN": "an0ther-secret"}
    assert given.masks.mask(f"{SECRET} an0ther-secret") == "[secret API_TOKEN] [secret API_TOKEN]"


def test_a_secret_is_written_and_never_read(site: SessionSite) -> None:
    path, browser = f"/projects/{site.project.public_id}/variables", browser_of(site.user)
    made = as_json(browser, "post", path, name="API_TOKEN", value=SECRET, secret=True)
    shown = made.json()
    assert (shown["secret"], shown["value"]) == (True, "")
    changed = as_json(browser, "patch", f"/variables/{shown['id']}", value=f"{SECRET}2")
    listed = browser.get(f"/api/v1{path}")
    assert not any(SECRET in answer.content.decode() for answer in (made, changed, listed))
    assert not any(SECRET in str(row) for row in (*Variable.objects.values(), *AuditEntry.objects.values()))


def test_short_secrets_and_secrets_of_people_are_refused_with_a_reason(site: SessionSite) -> None:
    browser, path = browser_of(site.user), f"/projects/{site.project.public_id}/variables"
    short = as_json(browser, "post", path, name="PIN", value="1234567", secret=True)
    assert (short.status_code, "at least 8 characters" in str(short.json())) == (400, True)
    own = as_json(browser, "post", "/me/variables", name="TOKEN", value=SECRET, secret=True)
    assert (own.status_code, "cannot be secret" in str(own.json())) == (400, True)


def test_only_the_sandbox_workers_keys_open_a_secret(site: SessionSite) -> None:
    variable = secret_of(site)
    with pytest.raises(CannotUnseal):
        SECRETS.unseal(variable.sealed)
    with pytest.raises(CannotUnseal):
        VARIABLES.unseal(SECRETS.seal("a provider's key"))


def test_after_a_rotation_of_keys_secrets_are_encrypted_with_the_newest(site: SessionSite) -> None:
    variable = secret_of(site)
    private, site.settings.VARIABLES_PUBLIC_KEY = make_pair()
    site.settings.VARIABLES_PRIVATE_KEYS = [private, *site.settings.VARIABLES_PRIVATE_KEYS]
    call_command("reseal_secrets")
    site.settings.VARIABLES_PRIVATE_KEYS = [private]
    variable.refresh_from_db()
    assert VARIABLES.unseal(variable.sealed) == SECRET


# over REST


@pytest.mark.parametrize("level", ["team", "project", "me"])
def test_a_variable_is_created_read_changed_and_removed(site: SessionSite, level: str) -> None:
    browser = browser_of(site.user)
    path = {
        "team": f"/teams/{site.team.public_id}/variables",
        "project": f"/projects/{site.project.public_id}/variables",
        "me": "/me/variables",
    }[level]
    made = as_json(browser, "post", path, name="GREETING", value="hello").json()
    assert (made["name"], made["value"], made["version"], made["last_used_at"]) == ("GREETING", "hello", 1, None)
    assert browser.get(f"/api/v1{path}").json()["items"] == [made]
    changed = as_json(browser, "patch", f"/variables/{made['id']}", value="bye", base_version=1).json()
    assert (changed["value"], changed["version"]) == ("bye", 2)
    stale = as_json(browser, "patch", f"/variables/{made['id']}", value="late", base_version=1)
    assert (stale.status_code, stale.json()["error"]["code"]) == (409, "stale_variable")
    assert browser.delete(f"/api/v1/variables/{made['id']}").status_code == 204
    assert browser.get(f"/api/v1/variables/{made['id']}").status_code == 404
    recorded = AuditEntry.objects.filter(action__startswith="variable.").order_by("seq")
    assert [entry.action for entry in recorded] == ["variable.created", "variable.changed", "variable.removed"]
    assert not any(value in str(entry.data) for entry in recorded for value in ("hello", "bye"))


def test_a_second_variable_of_one_name_is_refused(site: SessionSite) -> None:
    path, browser = f"/teams/{site.team.public_id}/variables", browser_of(site.user)
    as_json(browser, "post", path, name="ONE", value="1")
    other = as_json(browser, "post", path, name="TWO", value="2").json()
    again = as_json(browser, "post", path, name="ONE", value="3")
    assert (again.status_code, again.json()["error"]["code"]) == (409, "variable_exists")
    renamed = as_json(browser, "patch", f"/variables/{other['id']}", name="ONE")
    assert (renamed.status_code, renamed.json()["error"]["code"]) == (409, "variable_exists")


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"name": "PATH"}, "it changes which programs a command runs"),
        ({"name": "GIT_SSH_COMMAND"}, "it changes which programs a command runs"),
        ({"name": "HTTPS_PROXY"}, "the site sets it"),
        ({"name": "1ST"}, "does not begin with a digit"),
        ({"name": "A=B"}, "letters, digits and underscores"),
        ({"value": "x" * 40_000}, "at most 32 KiB"),
    ],
)
def test_what_is_not_allowed_is_refused_with_a_reason(site: SessionSite, fields: dict[str, str], sentence: str) -> None:
    path = f"/teams/{site.team.public_id}/variables"
    answer = as_json(browser_of(site.user), "post", path, **{"name": "GREETING", "value": "x", **fields})
    assert (answer.status_code, sentence in str(answer.json())) == (400, True), answer.json()


def test_all_values_of_a_place_together_are_limited(site: SessionSite) -> None:
    for number in range(4):
        give(site, site.team, "x" * 32_000, name=f"LONG_{number}")
    path = f"/teams/{site.team.public_id}/variables"
    answer = as_json(browser_of(site.user), "post", path, name="ONE_MORE", value="x" * 32_000)
    assert (answer.status_code, "128 KiB together" in str(answer.json())) == (400, True)


def test_a_person_cannot_see_or_change_the_variables_of_another(site: SessionSite) -> None:
    variable = give(site, site.member(), "mine")
    browser = browser_of(site.user)
    assert browser.get(f"/api/v1/variables/{variable.public_id}").status_code == 404
    assert as_json(browser, "patch", f"/variables/{variable.public_id}", value="x").status_code == 404


def test_members_read_variables_and_admins_change_them(site: SessionSite) -> None:
    variable = give(site, site.team, "hello")
    for role, status in ((Role.VIEWER, 403), (Role.MEMBER, 403), (Role.ADMIN, 200)):
        browser = browser_of(site.member(role))
        shown = browser.get(f"/api/v1/variables/{variable.public_id}").json()
        assert (shown["value"], shown["can_edit"]) == ("hello", status == 200)
        assert as_json(browser, "patch", f"/variables/{variable.public_id}", value="hello").status_code == status
