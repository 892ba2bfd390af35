"""Secrets that the door (the network proxy) adds to requests, and secret variables of commands: rights to set them and
to read them."""

import asyncio
import json
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from agentsite.tenancy.door_encryption import DOOR
from agentsite.tenancy.encryption import CannotUnseal, make_pair
from agentsite.tenancy.models import AuditEntry
from agentsite.tenancy.variable_encryption import VARIABLES
from sessions_app.models import Session, ToolCall, Turn, Variable
from sessions_app.variables import given
from sessions_app.variables.actions import Owner, change_variable, create_variable
from sessions_app.variables.given import given_variables
from sessions_app.variables.told import told_variables
from sessions_app.variables.uses import RequestPlace
from sessions_app.workers.door.secrets import SecretsWatch, WorkspaceSecrets, load_secrets, note_uses
from tests.support.asking import set_policy
from tests.support.builders import browser_of, make_project
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite
from tools_app.web.address import parse_address

VALUE = "s3cr3t-p4ss-w0rd"
HOST = "api.example.com"


@pytest.fixture
def session(site: SessionSite) -> Session:
    return site.open_session(allow=("bash",))


def path_of(site: SessionSite) -> str:
    return f"/api/v1/projects/{site.project.public_id}/variables"


def post(browser: Client, path: str, **body: Any) -> Any:
    fields = {"name": "API_TOKEN", "value": VALUE, "secret": True, "used_for": "requests", "hosts": [HOST]}
    return browser.post(path, {**fields, **body}, content_type="application/json")


def add(site: SessionSite, *, team: bool = False, name: str = "API_TOKEN", value: str = VALUE) -> Variable:
    owner = Owner(site.team if team else site.project)
    place = RequestPlace([HOST])
    return create_variable(
        actor=site.user, owner=owner, name=name, value=value, secret=True, used_for="requests", place=place
    )


def give_to_commands(site: SessionSite) -> Variable:
    owner = Owner(site.project)
    return create_variable(
        actor=site.user, owner=owner, name="API_TOKEN", value=VALUE, secret=True, used_for="commands"
    )


def printed(site: SessionSite, session: Session, command: str = 'echo "<$API_TOKEN>"') -> str:
    site.script(calls(tool_call("bash", command=command)), text("Done."))
    return ToolCall.objects.get(turn=site.run_prompt(session=session)).output


# added to requests


def test_only_the_door_reads_it_and_neither_commands_nor_set_up_get_it(site: SessionSite, session: Session) -> None:
    row = add(site)
    assert (row.value, row.sealed) == ("", "")
    assert DOOR.unseal(row.sealed_for_door) == VALUE
    with pytest.raises(CannotUnseal):
        VARIABLES.unseal(row.sealed_for_door)
    assert printed(site, session) == "<>"
    assert given_variables(team_id=site.team.pk, project_id=site.project.pk, stage="setup").values == {}


def test_the_door_loads_the_secrets_of_the_workspaces_project_and_team(site: SessionSite) -> None:
    add(site, team=True, name="OF_TEAM", value="of-the-team")
    create_variable(
        actor=site.user, owner=Owner(site.team), name="API_TOKEN", value="overridden-1", secret=True,
        used_for="requests", place=RequestPlace(["api.example.com:8443"]),
    )  # fmt: skip
    add(site)
    other = Owner(make_project(site.team))
    create_variable(
        actor=site.user, owner=other, name="OTHER", value=VALUE, secret=True, used_for="requests",
        place=RequestPlace(["other.example.com"]),
    )  # fmt: skip
    (secrets,) = load_secrets([site.workspace.public_id, "wsp_0000", "lost+found"]).values()
    assert [(each.name, each.value) for each in secrets] == [("OF_TEAM", "of-the-team"), ("API_TOKEN", VALUE)]


def test_looking_for_changes_costs_one_statement(site: SessionSite, django_assert_num_queries: Any) -> None:
    watch, wanted = SecretsWatch(), frozenset({site.workspace.public_id})
    with django_assert_num_queries(1):
        assert watch._changed(wanted) == {}
    row = add(site)
    with django_assert_num_queries(3):
        assert [each.value for each in watch._changed(wanted)[site.workspace.public_id]] == [VALUE]
    with django_assert_num_queries(1):
        assert watch._changed(wanted) == {}
    change_variable(actor=site.user, variable=row, value="an0ther-value")
    assert [each.value for each in watch._changed(wanted)[site.workspace.public_id]] == ["an0ther-value"]
    row.delete()
    assert watch._changed(wanted) == {site.workspace.public_id: ()}


def test_its_use_is_stored(site: SessionSite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(given, "_noted", {})
    row = add(site)
    secrets = WorkspaceSecrets(site.workspace.public_id)
    assert secrets.replace(load_secrets([site.workspace.public_id])[site.workspace.public_id])
    assert secrets.find(parse_address("https://other.example.com/")) is None
    assert secrets.find(parse_address(f"https://{HOST}:8443/")) is None
    host = secrets.find(parse_address(f"https://{HOST}/"))
    assert host is not None
    host.used(host.secrets())
    asyncio.run(note_uses([secrets]))
    assert row.uses.get().workspace == site.workspace
    assert browser_of(site.user).get(f"/api/v1/variables/{row.public_id}").json()["last_used_at"]


def test_it_is_created_over_rest_and_never_shown_again(site: SessionSite) -> None:
    browser = browser_of(site.user)
    made = post(
        browser,
        path_of(site),
        hosts=["API.Example.com.", "git.example.com:8443"],
        added_as="header",
        added_name="X-Key",
    )
    shown = made.json()
    assert made.status_code == 201, shown
    assert (shown["used_for"], shown["hosts"]) == ("requests", [HOST, "git.example.com:8443"])
    assert (shown["added_as"], shown["added_name"], shown["value"]) == ("header", "X-Key", "")
    one = f"/api/v1/variables/{shown['id']}"
    changed = browser.patch(one, {"hosts": [HOST]}, content_type="application/json").json()
    assert (changed["hosts"], changed["added_as"]) == ([HOST], "bearer")
    entry = AuditEntry.objects.get(action="variable.changed")
    assert (entry.data["used_for"], entry.data["hosts"]) == ("requests", [HOST])
    everything = (made, browser.get(one), *Variable.objects.values(), *AuditEntry.objects.values())
    assert not any(VALUE in str(getattr(each, "content", each)) for each in everything)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"hosts": []}, "name 1 to 20 hosts"),
        ({"hosts": ["*.example.com"]}, "without wildcards"),
        ({"hosts": ["https://api.example.com/v1"]}, "not a host"),
        ({"hosts": ["api.example.com/v1"]}, "not a host"),
        ({"hosts": ["10.0.0.1"]}, "not the full name of a host"),
        ({"hosts": ["localhost"]}, "not the full name of a host"),
        ({"added_as": "header", "added_name": "Host"}, "part of the connection"),
        ({"added_as": "header", "added_name": "X Key"}, "letters, digits and hyphens"),
        ({"added_as": "query", "added_name": "a&b"}, "a parameter's name"),
        ({"added_name": "X-Key"}, "only for a header or a parameter"),
        ({"added_as": "basic"}, "user:password"),
        ({"value": "line one\nline two"}, "visible ASCII"),
        ({"value": "schlüssel-wort"}, "visible ASCII"),
        ({"secret": False}, "Only a secret variable"),
        ({"used_for": "setup"}, "added to requests"),
    ],
)
def test_what_cannot_be_added_is_refused_with_a_reason(
    site: SessionSite, fields: dict[str, Any], sentence: str
) -> None:
    answer = post(browser_of(site.user), path_of(site), **fields)
    assert (answer.status_code, sentence in str(answer.json())) == (400, True), answer.json()


def test_a_second_secret_in_the_same_place_is_refused(site: SessionSite) -> None:
    browser = browser_of(site.user)
    assert post(browser, path_of(site)).status_code == 201
    again = post(browser, path_of(site), name="OTHER", added_as="header", added_name="authorization")
    assert (again.status_code, "'API_TOKEN' is already added" in str(again.json())) == (400, True)
    assert post(browser, path_of(site), name="OTHER", added_as="header", added_name="X-Key").status_code == 201


def test_its_use_cannot_become_one_inside(site: SessionSite) -> None:
    row = add(site)
    answer = browser_of(site.user).patch(
        f"/api/v1/variables/{row.public_id}", {"used_for": "setup"}, content_type="application/json"
    )
    assert (answer.status_code, "another process" in str(answer.json())) == (400, True)


def test_after_a_rotation_of_keys_it_is_encrypted_with_the_newest(site: SessionSite) -> None:
    row = add(site)
    private, site.settings.DOOR_PUBLIC_KEY = make_pair()
    site.settings.DOOR_PRIVATE_KEYS = [private, *site.settings.DOOR_PRIVATE_KEYS]
    call_command("reseal_secrets")
    site.settings.DOOR_PRIVATE_KEYS = [private]
    row.refresh_from_db()
    assert DOOR.unseal(row.sealed_for_door) == VALUE


# given to commands


def test_a_policy_has_to_allow_secrets_in_commands(site: SessionSite, session: Session) -> None:
    browser = browser_of(site.user)
    refused = browser.post(
        path_of(site),
        {"name": "API_TOKEN", "value": VALUE, "secret": True, "used_for": "commands"},
        content_type="application/json",
    )
    assert (refused.status_code, "no policy allows it" in str(refused.json())) == (403, True), refused.json()
    set_policy(site.team, options={"sandbox": {"secrets_in_commands": True}})
    row = give_to_commands(site)
    assert printed(site, session) == "<[secret API_TOKEN]>"
    assert printed(site, session, 'echo -n "$API_TOKEN" | md5sum') != printed(site, session, "echo -n | md5sum")
    set_policy(site.project, options={"sandbox": {"secrets_in_commands": False}})
    assert printed(site, session) == "<>"
    change_variable(actor=site.user, variable=row, used_for="setup")


def test_it_is_masked_however_a_command_prints_it(site: SessionSite, session: Session) -> None:
    set_policy(site.team, options={"sandbox": {"secrets_in_commands": True}})
    give_to_commands(site)
    script = (
        'printf %s "${API_TOKEN:0:6}"; sleep 0.3; echo "${API_TOKEN:6}"; echo -n "user:$API_TOKEN" | base64; '
        "python3 -c 'import json, os; print(json.dumps(json.dumps(dict(os.environ))))'"
    )
    site.script(calls(tool_call("bash", command=script)), text("Done."))
    turn = site.run_prompt(session=session)
    if turn.state == Turn.State.WAITING:
        site.reply("once")
        site.pump.run()
    output = ToolCall.objects.get(turn=turn).output
    assert output.count("[secret API_TOKEN]") >= 3, output
    assert VALUE not in output


# what the model is told


def test_the_prompt_names_variables_and_never_a_value(site: SessionSite, session: Session) -> None:
    add(site)
    create_variable(actor=site.user, owner=Owner(site.team), name="DATABASE_URL", value="postgres://local")
    create_variable(actor=site.user, owner=Owner(site.user), name="MY_OWN", value="mine")
    create_variable(actor=site.user, owner=Owner(site.project), name="LICENCE", value=VALUE, secret=True)
    script = site.script(text("Done."))
    site.run_prompt(session=session)
    asked = json.dumps(script.requests(at_least=1)[0]["body"])
    assert "environment of commands: DATABASE_URL" in asked
    assert f"send no credentials: API_TOKEN for {HOST}" in asked
    assert "only set-up has: LICENCE" in asked
    assert not any(word in asked for word in ("MY_OWN", "postgres://local", VALUE))


def test_a_secret_for_commands_is_told_as_the_policies_have_it(site: SessionSite, session: Session) -> None:
    set_policy(site.team, options={"sandbox": {"secrets_in_commands": True}})
    give_to_commands(site)
    assert [(each.name, each.use) for each in told_variables(session)] == [("API_TOKEN", "masked")]
    set_policy(site.project, options={"sandbox": {"secrets_in_commands": False}})
    assert [(each.name, each.use) for each in told_variables(session)] == [("API_TOKEN", "setup")]
