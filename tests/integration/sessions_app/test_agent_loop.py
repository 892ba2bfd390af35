"""The effects of an agent's definition in its loop: model, sampling, options, rules, steps, planning and mentions by
name."""

from typing import Any

import pytest

from sessions_app.actions.agents import create_agent
from sessions_app.actions.prompts import submit_prompt
from sessions_app.agent.context import last_step_message
from sessions_app.agent.overrides import AgentDocument
from sessions_app.models import Agent, Message, Part, PermissionRequest, Session, ToolCall, Turn
from sessions_app.workers.sandbox import project_files
from sessions_app.workers.sandbox.deployment import runtime_of
from sessions_app.workers.sandbox.markdown_files import MAX_FOLDERS
from sessions_app.workers.sandbox.project_agents import MAX_AGENTS
from sessions_app.workers.sandbox.project_files import refresh_project_files
from tests.support.asking import go_on, set_policy
from tests.support.builders import browser_of
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite, snapshot_of, verify_events
from tests.support.sub_agents import ask, child_of, scripts_of
from tools_app.policies.scopes import PolicyScope

pytestmark = pytest.mark.one_database

DENY_READ = [{"permission": "read", "pattern": "*", "action": "deny"}]


@pytest.fixture(autouse=True)
def _forgetful() -> None:
    project_files._seen.clear()


def say(site: SessionSite, name: str, **document: Any) -> Agent:
    fields = AgentDocument.model_validate(document)
    return create_agent(actor=site.user, place=PolicyScope("team", site.team), name=name, document=fields)


def refresh(site: SessionSite) -> None:
    refresh_project_files(site.workspace, runtime_of(site.workspace))


def test_the_model_is_asked_as_the_agent_says(site: SessionSite) -> None:
    script = site.script(text("Reviewed."))
    chosen = script.model
    site.settings.MODEL_NAME, site.settings.MODEL_CHOICES = "demo", [chosen]
    say(
        site, "review", mode="primary", model=chosen, prompt="You review.", temperature=0.25, top_p=0.5, variant="low",
        options={"seed": 7}, permission=DENY_READ,
    )  # fmt: skip
    turn = site.run_prompt(session=site.open_session(agent="review"))
    assert turn.state == Turn.State.COMPLETED
    body = script.requests(at_least=1)[0]["body"]
    assert (body["model"], body["temperature"], body["top_p"], body["seed"]) == (chosen, 0.25, 0.5, 7)
    assert body["reasoning_effort"] == "low"
    assert body["messages"][0]["content"].startswith("You review.")
    assert "read" not in {tool["function"]["name"] for tool in body["tools"]}
    answer = site.answers(turn)[0]
    assert (answer.agent, answer.model) == ("review", chosen)


def test_what_an_agent_is_denied_is_denied_in_the_sandbox_too(site: SessionSite) -> None:
    say(site, "review", mode="primary", permission=DENY_READ)
    site.script(calls(tool_call("read", filePath="a.txt")), text("I may not."))
    turn = site.run_prompt(session=site.open_session(agent="review", allow=("read",)))
    (call,) = site.calls(turn)
    assert (call.state, (call.decision or {})["layer"]) == ("error", "agent review")


def test_an_agent_that_is_gone_does_nothing_until_another_is_chosen(site: SessionSite) -> None:
    agent = say(site, "review", mode="primary")
    session = site.open_session(agent="review")
    agent.delete()
    site.script(text("Hello."))
    turn = site.run_prompt(session=session)
    assert turn.state == Turn.State.FAILED
    assert (turn.error or {})["code"] == "agent_missing"
    turn = site.run_prompt(session=_with_agent(site, session, "build"))
    assert turn.state == Turn.State.COMPLETED


def _with_agent(site: SessionSite, session: Session, agent: str) -> Session:
    answer = browser_of(site.user).patch(
        f"/api/v1/sessions/{session.public_id}", {"agent": agent}, content_type="application/json"
    )
    assert answer.status_code == 200
    return Session.objects.get(pk=session.pk)


def test_in_its_last_step_an_agent_has_no_tools_and_comes_to_an_end(site: SessionSite) -> None:
    say(site, "short", mode="primary", steps=2)
    script = site.script(calls(tool_call("todoread")), text("Half of it is done."))
    turn = site.run_prompt(session=site.open_session(agent="short"))
    assert (turn.state, turn.step_count) == (Turn.State.COMPLETED, 2)
    first, second = [request["body"] for request in script.requests(at_least=2)]
    assert first["tools"]
    assert "tools" not in second
    assert second["messages"][-1] == {"role": "user", "content": last_step_message()}


def test_calls_that_a_model_makes_in_its_last_step_are_not_made(site: SessionSite) -> None:
    say(site, "short", mode="primary", steps=1)
    site.script(calls(tool_call("todoread"), text="One more."))
    turn = site.run_prompt(session=site.open_session(agent="short"))
    assert (turn.state, site.calls(turn)) == (Turn.State.COMPLETED, [])


def test_a_last_step_without_words_ends_the_turn_with_the_reason(site: SessionSite) -> None:
    say(site, "short", mode="primary", steps=1)
    site.script(calls(tool_call("todoread")))
    turn = site.run_prompt(session=site.open_session(agent="short"))
    assert (turn.state, (turn.error or {})["code"]) == (Turn.State.FAILED, "step_limit")
    assert "after 1 step" in (turn.error or {})["message"]


def test_an_agent_of_the_repository_works_from_the_next_look_on(site: SessionSite) -> None:
    site.write(
        ".opencode/agent/review.md", "---\nmode: primary\npermission:\n  read: deny\n---\nYou review for {file:x}."
    )
    site.write("opencode.json", '{"agent": {"fast": {"prompt": "{file:./prompts/fast.txt}"}}}')
    site.write("prompts/fast.txt", "You are quick.\n")
    refresh(site)
    session = site.open_session(agent="review")
    found = browser_of(site.user).get(f"/api/v1/sessions/{session.public_id}/agents").json()["items"]
    agents = {item["name"]: item for item in found}
    assert agents["fast"]["prompt"] == "You are quick."
    assert agents["review"]["sources"] == [
        {"origin": "file", "id": "", "path": ".opencode/agent/review.md", "fields": ["mode", "prompt", "permission"]}
    ]
    script = site.script(calls(tool_call("read", filePath="a")), text("No."))
    turn = site.run_prompt(session=session)
    assert script.requests(at_least=1)[0]["body"]["messages"][0]["content"].startswith("You review for {file:x}.")
    assert site.calls(turn)[0].state == "error"


@pytest.mark.parametrize(
    "path", [".agentsite/agents/a.md", ".opencode/agents/deep/er/a.md", ".opencode/mode/a.md", ".opencode/agent/a.md"]
)
def test_files_of_agents_are_seen_when_they_come_change_and_go(site: SessionSite, path: str) -> None:
    def prompts() -> list[str]:
        refresh(site)
        return [agent["fields"]["prompt"] for agent in site.workspace.project_agents.get("agents", ())]

    assert prompts() == []
    site.write(path, "One")
    assert prompts() == ["One"]
    site.write(path, "Another")
    assert prompts() == ["Another"]
    (site.files / path).unlink()
    assert prompts() == []


def test_prompts_give_nothing_away_that_reading_would_be_asked_for(site: SessionSite, tmp_path: Any) -> None:
    outside = tmp_path / "secret.txt"
    outside.write_text("s3cret")
    site.write(".env", "KEY=s3cret")
    (site.files / "link.txt").symlink_to(outside)
    names = (".env", "link.txt", "../../etc/passwd", str(outside), "missing.txt")
    prompt = " ".join(f"{{file:{name}}}" for name in names)
    site.write("opencode.json", f'{{"agent": {{"a": {{"prompt": "P {prompt}"}}}}}}')
    refresh(site)
    (agent,) = site.workspace.project_agents["agents"]
    assert agent["fields"]["prompt"].split() == ["P"]
    assert len(agent["problems"]) == len(names)


def test_a_prompt_holds_no_file_that_the_team_does_not_let_agents_read(site: SessionSite) -> None:
    set_policy(site.team, rules=[{"permission": "read", "pattern": "private/*", "action": "deny"}])
    site.write("private/a.txt", "s3cret")
    site.write("opencode.json", '{"agent": {"a": {"prompt": "P {file:private/a.txt}"}}}')
    refresh(site)
    assert site.workspace.project_agents["agents"][0]["fields"]["prompt"].strip() == "P"


def test_a_repository_with_far_too_many_agents_costs_little_and_says_so(site: SessionSite) -> None:
    for number in range(MAX_AGENTS + 20):
        site.write(f".opencode/agent/a{number}.md", "x")
    for number in range(MAX_FOLDERS + 20):
        (site.files / f".opencode/agents/{number}").mkdir(parents=True)
    refresh(site)
    kept = site.workspace.project_agents["agents"]
    assert len(kept) == MAX_AGENTS + 1
    assert "more than 100 agents" in kept[-1]["problems"][0]
    assert len(project_files._seen[site.workspace.pk].configuration.places) < MAX_AGENTS + MAX_FOLDERS + 20


def test_a_file_that_is_not_understood_is_no_agent_and_is_told(site: SessionSite) -> None:
    site.write(".opencode/agent/review.md", "---\npermission: {edit: deny\n---\nReview.")
    refresh(site)
    found = browser_of(site.user).get(f"/api/v1/projects/{site.project.public_id}/agents").json()
    assert "review" not in {item["name"] for item in found["items"]}
    assert found["problems"][0].startswith(".opencode/agent/review.md: Its front matter was not understood")


def test_agents_are_not_read_through_links(site: SessionSite, tmp_path: Any) -> None:
    (tmp_path / "a.md").write_text("s3cret")
    site.write("agentsite.json", "{}")
    (site.files / ".opencode").mkdir()
    (site.files / ".opencode/agent").symlink_to(tmp_path)
    (site.files / ".agentsite/agent").mkdir(parents=True)
    (site.files / ".agentsite/agent/b.md").symlink_to(tmp_path / "a.md")
    refresh(site)
    assert "s3cret" not in str(site.workspace.project_agents)


def test_planning_is_asked_for_and_ends_with_a_yes(site: SessionSite) -> None:
    script = site.script(
        calls(tool_call("plan_enter")), calls(tool_call("plan_exit"), text="The plan: tea."), text("Made tea.")
    )
    session = site.open_session()
    before = snapshot_of(session.id)
    turn = site.run_prompt(session=session)
    assert turn.state == Turn.State.WAITING
    assert site.open_request().title == "Plan first, before anything is changed"
    site.reply("once")
    turn = go_on(site, turn)
    session.refresh_from_db()
    assert (session.agent, turn.state) == ("plan", Turn.State.WAITING)
    site.reply("once")
    turn = go_on(site, turn)
    session.refresh_from_db()
    assert (session.agent, turn.state) == ("build", Turn.State.COMPLETED)
    planning = {tool["function"]["name"] for tool in script.requests(at_least=3)[1]["body"]["tools"]}
    assert "plan_exit" in planning
    assert not planning & {"edit", "write", "plan_enter"}
    assert [answer.agent for answer in site.answers(turn)] == ["build", "plan", "build"]
    verify_events(session.id, before)


def test_a_plan_that_is_refused_with_words_is_changed(site: SessionSite) -> None:
    script = site.script(calls(tool_call("plan_exit")), text("Then with milk."))
    turn = site.run_prompt(session=site.open_session(agent="plan"))
    site.reply("reject", message="With milk.")
    turn = go_on(site, turn)
    assert turn.state == Turn.State.COMPLETED
    assert "With milk." in script.requests(at_least=2)[1]["body"]["messages"][-1]["content"]
    assert Session.objects.get().agent == "plan"


def test_nobody_goes_over_to_an_agent_that_is_not_there(site: SessionSite) -> None:
    say(site, "build", disable=True)
    site.script(calls(tool_call("plan_exit")), text("I stay."))
    turn = site.run_prompt(session=site.open_session(agent="plan", allow=("plan_exit",)))
    assert "no agent 'build'" in site.calls(turn)[0].output
    assert Session.objects.get().agent == "plan"


def test_a_prompt_may_say_who_works_from_then_on(site: SessionSite) -> None:
    site.script(text("Planned."))
    session = site.open_session()
    browser = browser_of(site.user)
    address = f"/api/v1/sessions/{session.public_id}/prompts"
    for wrong in ("explore", "title", "nobody"):
        answer = browser.post(address, {"text": "x", "agent": wrong}, content_type="application/json")
        assert answer.status_code == 400
    answer = browser.post(address, {"text": "x", "agent": "plan"}, content_type="application/json")
    assert answer.status_code == 202
    assert answer.json()["message"]["agent"] == "plan"
    site.pump.run()
    session.refresh_from_db()
    assert session.agent == "plan"


def test_an_agent_that_is_called_by_name_is_told_to_the_model(site: SessionSite) -> None:
    script = site.script(text("Done."))
    session = site.open_session()
    before = snapshot_of(session.id)
    turn = site.run_prompt("@explore where is the door? Not @build, not me@explore.", session=session)
    parts = Part.objects.filter(message__turn=turn, message__role="user").order_by("index")
    assert [(part.type, part.data) for part in parts] == [("text", {}), ("agent", {"agent": "explore"})]
    prompt = script.requests(at_least=1)[0]["body"]["messages"][-1]["content"]
    assert prompt.startswith("@explore where is the door?")
    assert 'subagent_type "explore"' in prompt
    verify_events(session.id, before)


ASK_TASK = [{"permission": "task", "pattern": "*", "action": "ask"}]


def test_who_is_called_by_name_is_asked_without_a_further_question(site: SessionSite) -> None:
    set_policy(site.team, rules=ASK_TASK)
    parent, _ = scripts_of(site, parent=[calls(ask("explore", "Look")), text("Seen.")], child=[text("It is there.")])
    turn = site.run_prompt(f"@explore where is it? {parent.marker}")
    assert turn.state == Turn.State.COMPLETED
    assert child_of(turn).agent == "explore"
    assert not PermissionRequest.objects.exists()


def test_who_is_not_called_by_name_is_asked_for(site: SessionSite) -> None:
    set_policy(site.team, rules=ASK_TASK)
    parent, _ = scripts_of(site, parent=[calls(ask("general", "Look")), text("Seen.")])
    assert site.run_prompt(f"@explore where is it? {parent.marker}").state == Turn.State.WAITING


def test_what_a_limit_wants_to_be_asked_is_asked_also_of_who_is_called_by_name(site: SessionSite) -> None:
    set_policy(site.team, enforced=ASK_TASK)
    parent, _ = scripts_of(site, parent=[calls(ask("explore", "Look")), text("Seen.")])
    assert site.run_prompt(f"@explore where is it? {parent.marker}").state == Turn.State.WAITING


def test_an_agent_of_the_repository_works_as_a_sub_agent_with_its_own_words_and_bounds(site: SessionSite) -> None:
    site.write(
        ".opencode/agent/tea.md", "---\nmode: subagent\ndescription: Knows tea\ntools:\n  read: false\n---\nTea!"
    )
    refresh(site)
    parent, child = scripts_of(
        site,
        parent=[calls(ask("tea", "Brew")), text("Drunk.")],
        child=[calls(tool_call("read", filePath="a")), text("I may not.")],
    )
    turn = site.run_prompt(parent.marker)
    assert turn.state == Turn.State.COMPLETED
    offered = {tool["function"]["name"]: tool["function"] for tool in parent.requests()[0]["body"]["tools"]}
    assert "- tea: Knows tea" in offered["task"]["description"]
    asked = child.requests()[0]["body"]
    assert asked["messages"][0]["content"].startswith("Tea!")
    assert "read" not in {tool["function"]["name"] for tool in asked["tools"]}
    assert [call.state for call in ToolCall.objects.filter(session=child_of(turn))] == ["error"]


def test_a_hidden_agent_is_called_by_those_who_know_its_name(site: SessionSite) -> None:
    say(site, "inner", mode="subagent", hidden=True)
    parent, _ = scripts_of(site, parent=[calls(ask("inner", "Look")), text("Seen.")], child=[text("Yes.")])
    turn = site.run_prompt(parent.marker)
    assert child_of(turn).agent == "inner"
    assert "inner" not in str(parent.requests()[0]["body"]["tools"])


def test_sub_agents_take_no_more_steps_than_are_left_to_who_called_them(site: SessionSite) -> None:
    say(site, "short", mode="primary", steps=3)
    parent, child = scripts_of(
        site,
        parent=[calls(ask("general", "Look")), text("Half of it.")],
        child=[calls(tool_call("read", filePath="a")), text("As far as I came.")],
    )
    turn = site.run_prompt(parent.marker, session=site.open_session(agent="short"))
    assert turn.state == Turn.State.COMPLETED
    first, second = [request["body"] for request in child.requests()]
    assert first["tools"]
    assert "tools" not in second
    assert "tools" not in parent.requests()[1]["body"]


def test_a_model_that_an_agent_wants_is_asked_for_its_sub_agents_work_only(site: SessionSite) -> None:
    parent, child = scripts_of(site, parent=[calls(ask("general", "Look")), text("Seen.")], child=[text("Yes.")])
    site.settings.MODEL_CHOICES = [child.model]
    say(site, "general", model=child.model)
    turn = site.run_prompt(parent.marker)
    assert [row.model for row in Message.objects.filter(role="assistant").order_by("id")] == [
        "demo",
        child.model,
        "demo",
    ]
    assert turn.state == Turn.State.COMPLETED


def test_an_answer_in_a_form_is_given_in_the_last_step_too(site: SessionSite) -> None:
    say(site, "short", mode="primary", steps=1)
    script = site.script(calls(tool_call("StructuredOutput", tea=1), tool_call("todoread")))
    schema = {"type": "object", "properties": {"tea": {"type": "integer"}}, "required": ["tea"]}
    session = site.open_session(agent="short")
    turn, _ = submit_prompt(actor=site.user, session=session, text="Count.", output_schema=schema)
    site.pump.run()
    turn.refresh_from_db()
    assert (turn.state, turn.output) == (Turn.State.COMPLETED, {"tea": 1})
    (request,) = script.requests()
    assert [tool["function"]["name"] for tool in request["body"]["tools"]] == ["StructuredOutput"]


def test_a_title_is_not_made_by_an_agent_that_is_disabled(site: SessionSite) -> None:
    say(site, "title", disable=True)
    site.script(text("Hello."))
    session = site.open_session(title="")
    site.run_prompt("Please   make tea", session=session)
    session.refresh_from_db()
    assert session.title == "Please make tea"
    assert PermissionRequest.objects.count() == 0


def test_a_policy_can_let_planning_begin_unasked(site: SessionSite) -> None:
    set_policy(site.team, rules=[{"permission": "plan_*", "pattern": "*", "action": "allow"}])
    site.script(calls(tool_call("plan_enter")), calls(tool_call("plan_exit")), text("Done."))
    turn = site.run_prompt()
    assert [(answer.agent) for answer in site.answers(turn)] == ["build", "plan", "build"]
