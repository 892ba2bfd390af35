"""The configuration of a session: its levels, the applied keys, and the reasons why other keys do not apply."""

import json
from typing import Any

import pytest
from django.utils import timezone

from deploy.demo_model.scripts import ScriptedCall
from sessions_app.configured import compaction_of, configuration_of
from sessions_app.model_endpoints import default_models
from sessions_app.models import Configuration, Session, Variable, Workspace
from sessions_app.policy import session_layers
from sessions_app.toolset import offer_context
from sessions_app.workers.sandbox import deployment, project_files
from sessions_app.workers.sandbox.project_files import refresh_project_files
from tests.support.asking import set_policy
from tests.support.builders import browser_of
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite, open_child_session

pytestmark = pytest.mark.one_database


@pytest.fixture(autouse=True)
def _forgetful() -> None:
    project_files._seen.clear()


def put(site: SessionSite, path: str, content: Any) -> None:
    target = site.files / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(content if isinstance(content, str) else json.dumps(content))


def refreshed(site: SessionSite) -> Workspace:
    workspace = Workspace.objects.select_related("project").get(pk=site.workspace.pk)
    refresh_project_files(workspace, deployment.runtime_of(workspace))
    return Workspace.objects.get(pk=workspace.pk)


def config_of(site: SessionSite, session: Session) -> dict[str, Any]:
    answer = browser_of(site.user).get(f"/api/v1/sessions/{session.public_id}/config")
    assert answer.status_code == 200, answer.content
    found: dict[str, Any] = answer.json()
    return found


def by_key(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {each["key"]: each for each in found["items"]}


@pytest.fixture
def opened(site: SessionSite) -> SessionSite:
    deployment.runtime_of(site.workspace)
    return site


def test_each_value_has_its_source_and_what_it_replaced(opened: SessionSite) -> None:
    put(opened, "opencode.json", {"compaction": {"reserved": 10}, "instructions": ["docs/a.md"], "theme": "dark"})
    put(opened, ".opencode/opencode.jsonc", '{"compaction": {"reserved": 20,},} // ours')
    put(opened, ".opencode/command/tidy.md", "---\ndescription: Tidies\n---\nTidy $1.")
    put(opened, "docs/a.md", "Be kind.")
    refreshed(opened)
    session = opened.open_session()
    found = by_key(config_of(opened, session))
    assert found["compaction.reserved"]["value"] == 20
    assert found["compaction.reserved"]["sources"] == [{"origin": "file", "name": ".opencode/opencode.jsonc"}]
    assert found["compaction.reserved"]["overridden"] == [{"origin": "file", "name": "opencode.json", "value": 10}]
    assert found["command.tidy.template"]["sources"][0]["name"] == ".opencode/command/tidy.md"
    assert (found["theme"]["status"], found["theme"]["reason"]) == (
        "elsewhere", "It is a setting of OpenCode's terminal; this site is used in a browser.",
    )  # fmt: skip
    assert found["model"]["sources"] == [{"origin": "site", "name": "site"}]


def test_instruction_files_reach_the_model_and_change_while_a_turn_runs(opened: SessionSite) -> None:
    put(opened, "opencode.json", {"instructions": ["docs/*.md", "missing.md", "/etc/passwd"]})
    put(opened, "docs/one.md", "Say ONE.")
    put(opened, "AGENTS.md", "Root rules.")
    refreshed(opened)
    session = opened.open_session(allow=("edit",))
    posted = opened.script(
        calls(tool_call("write", filePath="docs/two.md", content="Say TWO.")), calls(tool_call("list")), text("ok")
    )
    opened.run_prompt(session=session)
    systems = [request["body"]["messages"][0]["content"] for request in posted.requests(at_least=3)]
    assert "Say ONE." in systems[0]
    assert "Root rules." in systems[0]
    assert "Say TWO." in systems[-1]
    problems = {each["place"]: each["problem"] for each in config_of(opened, session)["problems"]}
    assert problems["instructions: /etc/passwd"] == "Only files of the workspace can be instructions."
    assert "missing.md" in problems["instructions: missing.md"]


def test_stored_instructions_come_before_those_of_files(opened: SessionSite) -> None:
    put(opened, "AGENTS.md", "Root rules.")
    refreshed(opened)
    Configuration.objects.create(
        place=opened.team.public_id, team=opened.team, instructions="Team rules.", changed_at=timezone.now()
    )
    posted = opened.script(text("ok"))
    opened.run_prompt(session=opened.open_session())
    system = posted.requests(at_least=1)[0]["body"]["messages"][0]["content"]
    assert "Instructions from the configuration of the team:\nTeam rules." in system
    assert system.index("Team rules.") < system.index("Root rules.")


def test_secrets_are_no_instructions(opened: SessionSite) -> None:
    put(opened, "opencode.json", {"instructions": [".env", "link.md"]})
    put(opened, ".env", "KEY=secret")
    (opened.files / "link.md").symlink_to("/etc/passwd")
    assert refreshed(opened).instructions == []


def test_a_model_of_a_file_is_used_if_it_is_offered(opened: SessionSite) -> None:
    opened.settings.MODEL_CHOICES = ["demo-other"]
    put(opened, "opencode.json", {"model": "demo-other", "small_model": "nowhere/x"})
    refreshed(opened)
    session = opened.open_session()
    session = Session.objects.select_related("project", "workspace").get(pk=session.pk)
    assert default_models(session) == ("demo-other", "demo-other")
    found = by_key(config_of(opened, session))
    assert found["model"]["value"] == "demo-other"
    assert any(
        each["key"] == "small_model" and each["status"] == "refused" for each in config_of(opened, session)["items"]
    )


def test_a_disabled_provider_is_not_used(opened: SessionSite) -> None:
    opened.settings.MODEL_CHOICES = ["demo/other"]
    put(opened, "opencode.json", {"disabled_providers": ["demo"]})
    refreshed(opened)
    session = opened.open_session()
    answer = browser_of(opened.user).patch(
        f"/api/v1/sessions/{session.public_id}", {"model": "demo/other"}, content_type="application/json"
    )
    assert answer.status_code == 400
    assert "`disabled_providers` in opencode.json names 'demo'" in answer.json()["error"]["message"]


def test_compaction_and_output_limits_come_from_files(opened: SessionSite) -> None:
    put(opened, "opencode.json", {"compaction": {"auto": False, "prune": False}, "tool_output": {"max_lines": 60}})
    put(opened, "long.txt", "\n".join(map(str, range(500))))
    refreshed(opened)
    session = opened.open_session(allow=("bash",))
    opened.script(calls(tool_call("bash", command="cat long.txt")), text("ok"))
    turn = opened.run_prompt(session=session)
    (call,) = opened.calls(turn)
    assert "440 lines are not shown" in call.output
    fresh = Session.objects.select_related("project", "workspace").get(pk=session.pk)
    assert (compaction_of(fresh).auto, compaction_of(fresh).prune) == (False, False)


def test_policies_limit_what_documents_say(opened: SessionSite) -> None:
    put(opened, "opencode.json", {"subagent_depth": 3, "tool_output": {"max_lines": 1000}})
    refreshed(opened)
    set_policy(opened.project, options={"tool_output": {"lines": 100}})
    found = by_key(config_of(opened, opened.open_session()))
    assert (found["subagent_depth"]["value"], found["subagent_depth"]["sources"][0]["origin"]) == (1, "policy")
    assert (found["tool_output.max_lines"]["value"], found["tool_output.max_lines"]["reason"]) == (
        100, "The policy's limit is stricter.",
    )  # fmt: skip


def test_share_can_be_switched_off_by_a_file(opened: SessionSite) -> None:
    put(opened, "opencode.json", {"share": "disabled"})
    refreshed(opened)
    session = opened.open_session()
    answer = browser_of(opened.user).post(
        f"/api/v1/sessions/{session.public_id}/share-links", {"reach": "team"}, content_type="application/json"
    )
    assert answer.status_code == 403
    assert "opencode.json" in answer.json()["error"]["message"]


def test_the_export_is_a_document_without_keys(opened: SessionSite) -> None:
    put(
        opened,
        "opencode.json",
        {
            "provider": {"openai": {"options": {"apiKey": "sk-planted"}}},
            "agent": {"review": {"description": "Reviews", "mode": "subagent", "permission": {"edit": "deny"}}},
            "command": {"tidy": {"template": "Tidy."}},
            "permission": {"bash": {"rm *": "deny"}},
        },
    )
    refreshed(opened)
    answer = browser_of(opened.user).get(f"/api/v1/sessions/{opened.open_session().public_id}/config/export")
    assert "sk-planted" not in answer.content.decode()
    found = answer.json()
    assert found["command"]["tidy"]["template"] == "Tidy."
    assert found["agent"]["review"]["mode"] == "subagent"
    assert found["permission"]["bash"]["rm *"] == "deny"
    assert "opencode.json" in answer["Content-Disposition"]


def test_keys_in_files_are_not_shown(opened: SessionSite) -> None:
    put(opened, "opencode.json", {"provider": {"openai": {"options": {"apiKey": "sk-planted"}}}})
    refreshed(opened)
    session = opened.open_session()
    answer = browser_of(opened.user).get(f"/api/v1/sessions/{session.public_id}/config")
    assert "sk-planted" not in answer.content.decode()
    assert by_key(answer.json())["provider.openai.options.apiKey"]["status"] == "refused"


def test_a_document_that_cannot_be_parsed_is_named(opened: SessionSite) -> None:
    put(opened, "opencode.json", "{")
    put(opened, ".opencode/command/bad.md", "---\n: [\n---\nx")
    refreshed(opened)
    problems = config_of(opened, opened.open_session())["problems"]
    assert {each["place"] for each in problems} >= {"opencode.json", ".opencode/command/bad.md"}


def test_hostile_files_break_nothing(opened: SessionSite) -> None:
    put(opened, "opencode.json", "[" * 60_000)
    put(opened, "opencode.jsonc", '{"a":' * 10_000)
    put(opened, "agentsite.json", " " * 10_000_000)
    put(opened, ".opencode/opencode.json", {"command": {f"c{n}": {"template": ""} for n in range(2_100)}})
    for number in range(300):
        put(opened, f".agentsite/commands/c{number}.md", "x")
    workspace = refreshed(opened)
    found = config_of(opened, opened.open_session())
    assert sum(len(each["text"]) for each in workspace.configuration["documents"]) < 300_000
    assert {"opencode.json", "opencode.jsonc", "agentsite.json"} <= {each["place"] for each in found["problems"]}
    merged = configuration_of(Session.objects.select_related("project", "workspace").get())
    assert [merged.value("command", name, "template") for name in ("c0", "c1999", "c2050")] == ["x", "", None]
    assert any("2,000" in each.reason for each in merged.unapplied)


def test_skills_of_further_folders_are_found(opened: SessionSite) -> None:
    put(opened, "opencode.json", {"skills": {"paths": ["tools/skills", "/etc", "../x"]}})
    put(opened, "tools/skills/deploy/SKILL.md", "---\ndescription: How to deploy\n---\nDo it.")
    assert [skill["name"] for skill in refreshed(opened).skills] == ["deploy"]
    opened.script(calls(ScriptedCall("skill", {"name": "deploy"})), text("Done."))
    (loaded,) = opened.calls(opened.run_prompt(session=opened.open_session(allow=("skill",))))
    assert "Do it." in loaded.output


def test_references_in_files_are_replaced_and_refused_ones_named(opened: SessionSite) -> None:
    common = {"project": opened.project, "place": opened.project.public_id, "changed_at": timezone.now()}
    Variable.objects.create(name="TICKETS", value="https://tickets.example", **common)
    Variable.objects.create(name="SEALED", secret=True, **common)
    template = "See {env:TICKETS}, {env:SEALED}, {env:MODEL_API_KEY}, {file:/etc/passwd}, {file:../.env}, {file:a.txt}"
    document = {
        "command": {"tidy": {"template": template}},
        "agent": {"tea": {"prompt": "Ask {env:TICKETS}.", "mode": "primary"}},
        "permission": {"bash": {"{file:a.txt} *": "deny", "curl *": "ask"}},
    }
    put(opened, ".opencode/opencode.json", document)
    put(opened, ".opencode/a.txt", "plain\n")
    put(opened, ".env", "KEY=secret")
    workspace = refreshed(opened)
    session = opened.open_session()
    found = config_of(opened, session)
    assert by_key(found)["command.tidy.template"]["value"] == (
        "See https://tickets.example, {env:SEALED}, {env:MODEL_API_KEY}, {file:/etc/passwd}, {file:../.env}, plain"
    )
    (problem,) = [each["problem"] for each in found["problems"] if each["place"] == ".opencode/opencode.json"]
    assert all(f"`{name}`" in problem for name in ("{env:SEALED}", "{env:MODEL_API_KEY}", "{file:/etc/passwd}"))
    assert "secret, and everybody" in problem
    assert workspace.project_agents["agents"][0]["fields"]["prompt"] == "Ask https://tickets.example."
    put(opened, ".opencode/a.txt", "changed, and longer")
    refreshed(opened)
    changed = by_key(config_of(opened, session))["command.tidy.template"]["value"]
    assert changed.endswith("changed, and longer")


def test_switches_of_tools_become_rules(opened: SessionSite) -> None:
    put(opened, "opencode.json", {"tools": {"write": False}, "permission": {"bash": "ask"}})
    (file,) = refreshed(opened).project_files
    assert file["rules"] == [
        {"permission": "edit", "pattern": "*", "action": "deny"},
        {"permission": "bash", "pattern": "*", "action": "ask"},
    ]


def test_rules_of_the_second_generation_count(opened: SessionSite) -> None:
    put(opened, "opencode.json", {"permissions": [{"action": "shell", "resource": "rm *", "effect": "deny"}]})
    (file,) = refreshed(opened).project_files
    assert file["rules"] == [{"permission": "bash", "pattern": "rm *", "action": "deny"}]


def test_sub_agents_do_not_get_the_tools_of_primary_agents(opened: SessionSite) -> None:
    put(opened, "opencode.json", {"experimental": {"primary_tools": ["webfetch", "write"]}})
    refreshed(opened)
    parent = opened.open_session()
    child = open_child_session(actor=opened.user, parent=parent, agent="general")
    rows = Session.objects.select_related("project", "workspace")
    _, limits = session_layers(rows.get(pk=child.pk))
    rules = [rule for layer in limits if layer.name == "tools of primary agents" for rule in layer.rules]
    assert [(rule.permission, rule.action) for rule in rules] == [("webfetch", "deny"), ("edit", "deny")]
    _, limits = session_layers(rows.get(pk=parent.pk))
    assert "tools of primary agents" not in {layer.name for layer in limits}


@pytest.mark.parametrize(
    ("permission", "denied"), [({}, True), ({"*": "allow"}, True), ({"todowrite": "allow"}, False)]
)
def test_sub_agents_have_no_to_do_list_unless_their_agent_is_allowed_one(
    opened: SessionSite, permission: dict[str, str], denied: bool
) -> None:
    put(opened, "opencode.json", {"agent": {"helper": {"prompt": "You help.", "permission": permission}}})
    refreshed(opened)
    parent = opened.open_session()
    Session.objects.filter(pk=parent.pk).update(agent="helper")
    child = open_child_session(actor=opened.user, parent=parent, agent="helper")
    rows = Session.objects.select_related("project", "workspace")
    found = [{layer.name for layer in session_layers(rows.get(pk=row.pk))[1]} for row in (parent, child)]
    assert ["to-do lists of sub-agents" in names for names in found] == [False, denied]


def test_files_can_lower_the_depth_of_sub_agents(opened: SessionSite) -> None:
    put(opened, "opencode.json", {"subagent_depth": 0})
    refreshed(opened)
    session = Session.objects.select_related("project", "workspace").get(pk=opened.open_session().pk)
    assert "sub-agent limits" in {layer.name for layer in session_layers(session)[1]}


def test_formatters_and_language_servers_can_be_off(opened: SessionSite) -> None:
    put(opened, "opencode.json", {"formatter": False, "lsp": {"pyright": {"disabled": True}}})
    refreshed(opened)
    session = Session.objects.select_related("project", "workspace").get(pk=opened.open_session().pk)
    settings = offer_context(session, "").settings
    assert (settings["formatter_off"], settings["lsp_off"]) == ({"*"}, {"pyright"})
