"""Commands of the prompt box, also over the API: arguments, files, shell commands under the rules, agents and
sub-agents."""

import json
from typing import Any

import pytest

from agentsite.tenancy.roles import Role
from sessions_app.actions.alternatives import resend_edited, try_again
from sessions_app.actions.commands import run_command, run_shell
from sessions_app.actions.prompts import submit_prompt
from sessions_app.models import Message, Part, Session, ToolCall, Turn, Workspace
from sessions_app.workers.sandbox import deployment, project_files
from sessions_app.workers.sandbox.project_files import refresh_project_files
from tests.support.asking import set_policy
from tests.support.builders import browser_of
from tests.support.model_server import text
from tests.support.session_site import SessionSite

pytestmark = pytest.mark.one_database


@pytest.fixture(autouse=True)
def _forgetful() -> None:
    project_files._seen.clear()


@pytest.fixture
def opened(site: SessionSite) -> SessionSite:
    deployment.runtime_of(site.workspace)
    return site


def put(site: SessionSite, path: str, content: Any) -> None:
    target = site.files / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(content if isinstance(content, str) else json.dumps(content))
    workspace = Workspace.objects.select_related("project").get(pk=site.workspace.pk)
    refresh_project_files(workspace, deployment.runtime_of(workspace))


def fresh(session: Session) -> Session:
    return Session.objects.select_related("project", "workspace", "created_by").get(pk=session.pk)


def run(site: SessionSite, session: Session, name: str, arguments: str = "") -> Turn:
    outcome = run_command(actor=site.user, session=fresh(session), name=name, arguments=arguments)
    site.pump.run()
    assert outcome.turn is not None
    outcome.turn.refresh_from_db()
    return outcome.turn


def sent(posted: Any, at_least: int = 1) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [each["body"] for each in posted.requests(at_least=at_least)]
    return found


def test_a_command_of_a_file_reads_files_and_runs_its_shell_parts_first(opened: SessionSite) -> None:
    put(opened, "src/a.py", "print(1)\n")
    put(
        opened, ".opencode/command/look.md", "---\ndescription: Looks\n---\nLook at @$1 in $2 steps. !`echo from-shell`"
    )
    session = opened.open_session(allow=("bash",))
    posted = opened.script(text("Looked."))
    turn = run(opened, session, "look", "src/a.py 3")
    assert turn.state == "completed"
    assert [(call.tool, call.state) for call in opened.calls(turn)] == [("bash", "completed"), ("read", "completed")]
    (request,) = [each for each in sent(posted) if each.get("tools")]
    user = next(each for each in request["messages"] if each["role"] == "user")
    assert "Look at @src/a.py in 3 steps." in json.dumps(user["content"])
    results = [each["content"] for each in request["messages"] if each["role"] == "tool"]
    assert "from-shell" in results[0]
    assert "print(1)" in results[1]
    prompt = Part.objects.get(message__turn=turn, message__role="user", type="text")
    assert prompt.text == "/look src/a.py 3"


def test_the_shell_part_of_a_repositorys_command_asks_like_any_call(opened: SessionSite) -> None:
    put(opened, ".opencode/command/look.md", "Look. !`touch made`")
    set_policy(opened.project, rules=[{"permission": "bash", "pattern": "*", "action": "ask"}])
    opened.script(text("Looked."))
    turn = run(opened, opened.open_session(), "look")
    assert turn.state == "waiting"
    assert opened.open_request().call.raw_arguments == '{"command": "touch made"}'
    assert not (opened.files / "made").exists()
    opened.reply("once")
    opened.pump.run()
    turn.refresh_from_db()
    assert turn.state == "completed"
    assert (opened.files / "made").exists()


def test_a_command_can_be_a_task_of_a_sub_agent(opened: SessionSite) -> None:
    put(
        opened,
        ".opencode/command/review.md",
        "---\nagent: explore\nsubtask: true\ndescription: Reviews\n---\nReview $1. !`echo in-the-child`",
    )
    session = opened.open_session(allow=("bash",))
    opened.script(text("Reviewed."), text("It is reviewed."))
    turn = run(opened, session, "review", "src/a.py")
    assert turn.state == "completed", turn.error
    (call,) = opened.calls(turn)
    assert (call.tool, call.state, call.arguments["subagent_type"]) == ("task", "completed", "explore")
    child = Session.objects.get(parent=session)
    (inner,) = ToolCall.objects.filter(session=child)
    assert (inner.tool, inner.arguments) == ("bash", {"command": "echo in-the-child"})


def test_a_review_by_a_sub_agent_with_its_own_model_asks_for_its_shell_part(opened: SessionSite) -> None:
    reviewer = opened.model_server.script(text("One fault."))
    opened.settings.MODEL_CHOICES = [reviewer.model]
    put(opened, "src/a.py", "print(1)\n")
    fields = f"agent: general\nmodel: {reviewer.model}\nsubtask: true\ndescription: Reviews"
    put(opened, ".opencode/command/review.md", f"---\n{fields}\n---\nReview @$1 in $2 steps. !`git diff`")
    set_policy(opened.project, rules=[{"permission": "bash", "pattern": "git diff*", "action": "ask"}])
    own = opened.script(text("There is one fault."))
    session = opened.open_session()
    turn = run(opened, session, "review", "src/a.py 3")
    assert turn.state == "waiting"
    request = opened.open_request()
    assert request.session.parent_id == session.pk
    assert request.call.raw_arguments == '{"command": "git diff"}'
    opened.reply("once")
    opened.pump.run()
    turn.refresh_from_db()
    assert turn.state == "completed", turn.error
    asked = next(each for each in sent(reviewer) if each.get("tools"))
    assert "Review @src/a.py in 3 steps." in json.dumps(asked["messages"])
    assert any("One fault." in json.dumps(each["messages"]) for each in sent(own) if each.get("tools"))


def test_a_command_names_its_agent_and_model(opened: SessionSite) -> None:
    opened.settings.MODEL_CHOICES = ["demo-other"]
    put(opened, "opencode.json", {"command": {"think": {"template": "Think.", "agent": "plan"}}})
    session = opened.open_session()
    posted = opened.script(text("Thought."))
    opened.settings.MODEL_CHOICES = [posted.model]
    turn = run(opened, session, "think")
    assert fresh(session).agent == "plan"
    assert turn.command == {"name": "think", "model": "", "variant": ""}


@pytest.mark.parametrize(
    ("fields", "words"),
    [({"agent": "nobody"}, "does not exist here"), ({"model": "nowhere/x"}, "cannot be used")],
)
def test_what_a_command_names_must_exist(opened: SessionSite, fields: dict[str, str], words: str) -> None:
    put(opened, "opencode.json", {"command": {"think": {"template": "Think.", **fields}}})
    session = opened.open_session()
    answer = browser_of(opened.user).post(
        f"/api/v1/sessions/{session.public_id}/commands", {"command": "think"}, content_type="application/json"
    )
    assert answer.status_code == 400
    assert words in answer.json()["error"]["message"]


def test_commands_are_listed_with_their_sources(opened: SessionSite) -> None:
    put(opened, ".claude/commands/tidy.md", "Tidy.")
    session = opened.open_session()
    answer = browser_of(opened.user).get(f"/api/v1/sessions/{session.public_id}/commands")
    found = {each["name"]: each for each in answer.json()["items"]}
    assert {"init", "review", "compact", "undo", "share", "help", "tidy"} <= set(found)
    assert found["tidy"]["source"] == {"origin": "file", "name": ".claude/commands/tidy.md"}
    assert found["compact"]["kind"] == "action"


def test_an_unknown_command_is_404(opened: SessionSite) -> None:
    answer = browser_of(opened.user).post(
        f"/api/v1/sessions/{opened.open_session().public_id}/commands",
        {"command": "no"},
        content_type="application/json",
    )
    assert answer.status_code == 404
    assert "/help" in answer.json()["error"]["hint"]


def test_actions_say_what_happened(opened: SessionSite) -> None:
    session = opened.open_session()
    assert "/init" in run_command(actor=opened.user, session=fresh(session), name="help").text
    assert "/shared/" in run_command(actor=opened.user, session=fresh(session), name="share").text
    opened.script(text("ok"))
    opened.run_prompt(session=session)
    assert run_command(actor=opened.user, session=fresh(session), name="compact").turn is not None
    opened.pump.run()
    assert "taken back" in run_command(actor=opened.user, session=fresh(session), name="undo").text


def test_a_typed_shell_command_runs_without_a_model_and_is_read_with_the_next_prompt(opened: SessionSite) -> None:
    set_policy(opened.project, rules=[{"permission": "bash", "pattern": "*", "action": "ask"}])
    posted = opened.script(text("I saw it."))
    session = opened.open_session()
    outcome = run_shell(actor=opened.user, session=fresh(session), command="echo typed > made; cat made")
    opened.pump.run()
    assert outcome.turn is not None
    outcome.turn.refresh_from_db()
    assert outcome.turn.state == "completed"
    (call,) = opened.calls(outcome.turn)
    assert (call.state, "typed" in call.output) == ("completed", True)
    assert not [each for each in sent(posted, 0) if each.get("tools")]
    opened.run_prompt("What was it?", session=session)
    request = next(each for each in sent(posted) if each.get("tools"))
    assert any("typed" in str(each["content"]) for each in request["messages"] if each["role"] == "tool")


def test_who_may_not_approve_is_asked_about_what_they_typed(opened: SessionSite) -> None:
    member = opened.member(Role.MEMBER, may_approve=False)
    set_policy(opened.project, rules=[{"permission": "bash", "pattern": "*", "action": "ask"}])
    session = opened.open_session()
    outcome = run_shell(actor=member, session=fresh(session), command="touch made")
    opened.pump.run()
    assert outcome.turn is not None
    outcome.turn.refresh_from_db()
    assert outcome.turn.state == "waiting"


def test_limits_apply_to_typed_commands(opened: SessionSite) -> None:
    set_policy(opened.project, enforced=[{"permission": "bash", "pattern": "touch *", "action": "deny"}])
    outcome = run_shell(actor=opened.user, session=fresh(opened.open_session()), command="touch made")
    opened.pump.run()
    assert outcome.turn is not None
    (call,) = opened.calls(outcome.turn)
    assert call.state == "error"
    assert not (opened.files / "made").exists()


def test_paths_of_a_prompt_are_read_before_the_answer(opened: SessionSite) -> None:
    put(opened, "src/a.py", "print(1)\n")
    posted = opened.script(text("Seen."))
    session = opened.open_session()
    turn, _ = submit_prompt(
        actor=opened.user, session=session, text="See @src/a.py and @src/", paths=["src/a.py", "src/"]
    )
    opened.pump.run()
    assert [(call.tool, call.state) for call in opened.calls(turn)] == [("read", "completed")] * 2
    request = next(each for each in sent(posted) if each.get("tools"))
    assert any("print(1)" in str(each["content"]) for each in request["messages"] if each["role"] == "tool")


def test_a_command_that_is_tried_again_makes_its_calls_again(opened: SessionSite) -> None:
    put(opened, ".opencode/command/look.md", "Look. !`echo hi`")
    session = opened.open_session(allow=("bash",))
    opened.script(text("One."), text("Two."))
    turn = run(opened, session, "look")
    answer = browser_of(opened.user).post(f"/api/v1/turns/{turn.public_id}/retry", {}, content_type="application/json")
    assert answer.status_code in (200, 201, 202), answer.content
    opened.pump.run()
    again = Turn.objects.filter(session=session).order_by("-id").first()
    assert again is not None
    assert again.pk != turn.pk
    assert [call.tool for call in opened.calls(again)] == ["bash"]


def test_a_prompt_that_is_tried_again_reads_its_paths_again(opened: SessionSite) -> None:
    put(opened, "src/a.py", "print(1)\n")
    put(opened, "src/b.py", "print(2)\n")
    opened.script(text("One."), text("Two."), text("Three."))
    session = opened.open_session()
    turn, _ = submit_prompt(
        actor=opened.user, session=session, text="See @src/a.py and @src/b.py", paths=["src/a.py", "src/b.py"]
    )
    opened.pump.run()
    again = try_again(actor=opened.user, turn=turn)
    opened.pump.run()
    assert [call.arguments["filePath"] for call in opened.calls(again)] == ["src/a.py", "src/b.py"]
    prompt = Message.objects.get(turn=again, role="user")
    edited = resend_edited(actor=opened.user, message=prompt, text="See only @src/b.py")
    opened.pump.run()
    assert [call.arguments["filePath"] for call in opened.calls(edited)] == ["src/b.py"]
