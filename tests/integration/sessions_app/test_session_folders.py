"""A session in a folder of a monorepo: configuration, agents, rules and skills of that folder apply to it alone."""

import json
from typing import Any

import pytest

from deploy.demo_model.scripts import ScriptedCall
from sessions_app.actions.sessions import update_session
from sessions_app.agents import effective_agents
from sessions_app.configuration.folders import MAX_FOLDERS
from sessions_app.models import Session, Turn, Workspace
from sessions_app.workers.sandbox import deployment, project_files
from sessions_app.workers.sandbox.project_files import refresh_project_files
from tests.support.builders import browser_of
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite

API = "packages/api"
AGENT = "---\ndescription: Ships\nmode: primary\n---\nShip it."
SKILL = "---\nname: {name}\ndescription: {text}\n---\n{text}"


@pytest.fixture
def monorepo(site: SessionSite) -> SessionSite:
    """Write the files of a monorepo: the root and two packages."""
    project_files._seen.clear()
    deployment.runtime_of(site.workspace)
    put(site, "AGENTS.md", "Root rules.")
    put(site, "opencode.json", {"compaction": {"reserved": 10}, "permission": {"list": "ask"}})
    put(site, ".claude/skills/tidy/SKILL.md", SKILL.format(name="tidy", text="Tidies all"))
    put(site, "packages/AGENTS.md", "Package rules.")
    put(site, f"{API}/AGENTS.md", "Api rules.")
    put(site, f"{API}/opencode.json", {
        "compaction": {"reserved": 20}, "instructions": ["docs/*.md"], "permission": {"bash": {"rm *": "deny"}},
        "default_agent": "ship",
    })  # fmt: skip
    put(site, f"{API}/docs/style.md", "Api style.")
    put(site, f"{API}/.opencode/agent/ship.md", AGENT)
    put(site, f"{API}/.opencode/command/deploy.md", "Deploy $1.")
    put(site, f"{API}/.claude/skills/tidy/SKILL.md", SKILL.format(name="tidy", text="Tidies the api"))
    put(site, "packages/web/AGENTS.md", "Web rules.")
    put(site, "packages/web/opencode.json", {"permission": {"*": "deny"}})
    return site


def put(site: SessionSite, path: str, content: Any) -> None:
    target = site.files / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(content if isinstance(content, str) else json.dumps(content))


def opened(site: SessionSite, folder: str, **fields: Any) -> Session:
    """Open a session in the folder over REST, after the site has read the folder's files."""
    answer = created(site, folder, **fields)
    assert answer.status_code == 201, answer.content
    assert answer.json()["folder"] == folder
    refresh(site)
    return Session.objects.select_related("workspace", "project__team").by_public_id(answer.json()["id"])


def created(site: SessionSite, folder: str, **fields: Any) -> Any:
    body = {"workspace_id": site.workspace.public_id, "folder": folder, **fields}
    path = f"/api/v1/projects/{site.project.public_id}/sessions"
    return browser_of(site.user).post(path, body, content_type="application/json")


def refresh(site: SessionSite) -> Workspace:
    workspace = Workspace.objects.select_related("project").get(pk=site.workspace.pk)
    refresh_project_files(workspace, deployment.runtime_of(workspace))
    return workspace


def get(site: SessionSite, session: Session, what: str) -> Any:
    answer = browser_of(site.user).get(f"/api/v1/sessions/{session.public_id}/{what}")
    assert answer.status_code == 200, answer.content
    return answer.json()


def allow(session: Session, *names: str) -> None:
    session.rules = [{"permission": name, "pattern": "*", "action": "allow"} for name in names]
    session.save(update_fields=["rules"])


def values(site: SessionSite, session: Session) -> dict[str, Any]:
    return {each["key"]: each["value"] for each in get(site, session, "config")["items"]}


def test_the_nearest_folder_wins_and_other_packages_do_not_count(monorepo: SessionSite) -> None:
    api, root = opened(monorepo, API), opened(monorepo, "")
    assert (values(monorepo, api)["compaction.reserved"], values(monorepo, root)["compaction.reserved"]) == (20, 10)
    assert "ship" in effective_agents(api)
    assert "ship" not in effective_agents(root)
    assert "deploy" in {each["name"] for each in get(monorepo, api, "commands")["items"]}
    assert "deploy" not in {each["name"] for each in get(monorepo, root, "commands")["items"]}
    assert [each["path"] for each in get(monorepo, api, "rules")["project_files"]] == [
        "opencode.json", f"{API}/opencode.json",
    ]  # fmt: skip
    assert [each["path"] for each in get(monorepo, root, "rules")["project_files"]] == ["opencode.json"]


def test_the_model_reads_the_folders_instructions_once_and_commands_run_there(monorepo: SessionSite) -> None:
    session = opened(monorepo, API)
    skill, here = ScriptedCall("skill", {"name": "tidy"}), tool_call("bash", command="pwd", description="Where")
    read_it = tool_call("read", filePath=f"{API}/docs/style.md")
    model = monorepo.script(calls(skill), calls(here), calls(read_it), text("Done."))
    allow(session, "bash", "skill", "read")
    turn = monorepo.run_prompt(session=session)
    system = model.requests()[0]["body"]["messages"][0]["content"]
    for words in ("Root rules.", "Package rules.", "Api rules.", "Api style.", f"Folder of this session: {API};"):
        assert system.count(words) == 1, words
    assert "Web rules." not in system
    loaded, where, read = [call.output for call in monorepo.calls(turn)]
    assert "Tidies the api" in loaded
    assert where.strip().endswith(API)
    assert "Api rules." not in read


def test_what_is_written_into_the_folder_counts_from_the_next_look_on(monorepo: SessionSite) -> None:
    session = opened(monorepo, API)
    put(monorepo, f"{API}/opencode.json", {"compaction": {"reserved": 30}})
    refresh(monorepo)
    assert values(monorepo, session)["compaction.reserved"] == 30


def test_a_link_in_the_folder_leads_nowhere(monorepo: SessionSite) -> None:
    put(monorepo, "private/AGENTS.md", "A secret.")
    (monorepo.files / "packages/web/AGENTS.md").unlink()
    (monorepo.files / "packages/web/AGENTS.md").symlink_to("../../private/AGENTS.md")
    (monorepo.files / "packages/linked").symlink_to("../private")
    opened(monorepo, "packages/web")
    opened(monorepo, "packages/linked")
    assert "A secret." not in str(refresh(monorepo).instructions)


def test_forks_and_sub_agents_stay_in_the_folder(monorepo: SessionSite) -> None:
    session = opened(monorepo, API)
    task = tool_call("task", description="Look", prompt="Look around.", subagent_type="general")
    monorepo.script(calls(task), text("I looked."), text("Done."))
    allow(session, "task")
    monorepo.run_prompt(session=session)
    assert Session.objects.get(parent=session).folder == API
    path = f"/api/v1/sessions/{session.public_id}/fork"
    forked = browser_of(monorepo.user).post(path, {}, content_type="application/json")
    assert forked.json()["session"]["folder"] == API


@pytest.mark.parametrize("folder", ["../x", "/etc", "a/*"])
def test_a_text_that_names_no_folder_is_refused(site: SessionSite, folder: str) -> None:
    answer = created(site, folder)
    assert (answer.status_code, answer.json()["error"]["fields"]) == (400, {"folder": "is not a folder of a workspace"})


def test_a_workspace_has_a_limited_number_of_folders(site: SessionSite) -> None:
    answers = [created(site, f"p{number}").status_code for number in range(MAX_FOLDERS + 1)]
    assert answers == [201] * MAX_FOLDERS + [400]


def test_the_first_session_in_a_folder_gets_the_agent_of_its_files(monorepo: SessionSite) -> None:
    first = opened(monorepo, API)
    assert first.agent == "ship"
    chosen = opened(monorepo, "packages/web", agent="build")
    assert (chosen.agent, chosen.agent_by_default) == ("build", False)


def test_a_session_that_has_worked_or_whose_agent_was_chosen_keeps_it(monorepo: SessionSite) -> None:
    refresh(monorepo)
    worked, chosen, waiting = (monorepo.open_session() for _ in range(3))
    Session.objects.update(agent_by_default=True)
    Turn.objects.create(session=worked, started_by=monorepo.user, state=Turn.State.COMPLETED, step_count=1)
    update_session(actor=monorepo.user, session=chosen, agent="build")
    put(monorepo, ".opencode/agent/sail.md", AGENT)
    put(monorepo, "opencode.json", {"default_agent": "sail"})
    refresh(monorepo)
    agents = [Session.objects.get(pk=session.pk).agent for session in (worked, chosen, waiting)]
    assert agents == ["build", "build", "sail"]
