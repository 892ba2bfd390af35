"""Every tool runs through web server, workers and a real container; permission requests and questions are answered."""

import json
from collections.abc import Iterator
from typing import Any, Final

import pytest

from agentsite.client import Answered, Once
from deploy.demo_model.scripts import ScriptedCall, Step
from tests.support.api_client import ApiClient
from tests.support.model_server import ModelServer, calls, text, tool_call
from tests.support.running_site import RunningSite

PATCH: Final = """*** Begin Patch
*** Add File: story/new.txt
+from a patch
*** Update File: story/a.txt
@@
-beta
+gamma
*** End Patch"""
TODOS: Final = [{"content": "Tell the story", "status": "in_progress", "priority": "high"}]
QUESTIONS: Final = [{"question": "Which?", "header": "Which", "options": [{"label": "This"}, {"label": "That"}]}]
SKILL: Final = "---\nname: telling\ndescription: Tells stories.\n---\nBegin at the beginning.\n"
EACH: Final[list[tuple[str, dict[str, Any], str]]] = [
    ("write", {"filePath": "story/a.txt", "content": "alpha\n"}, "story/a.txt"),
    ("read", {"filePath": "story/a.txt"}, "1: alpha"),
    ("edit", {"filePath": "story/a.txt", "oldString": "alpha", "newString": "alpha\nbeta"}, "story/a.txt"),
    ("multiedit", {"filePath": "story/a.txt", "edits": [{"oldString": "alpha", "newString": "first"}]}, "story/a.txt"),
    ("apply_patch", {"patchText": PATCH}, "story/new.txt"),
    (
        "patch",
        {"patchText": PATCH.replace("new.txt", "newer.txt").replace("-beta\n+gamma", "-gamma\n+delta")},
        "story/newer.txt",
    ),
    ("bash", {"command": "cat story/*.txt"}, "first\ndelta\nfrom a patch"),
    ("glob", {"pattern": "story/*.txt"}, "story/newer.txt"),
    ("grep", {"pattern": "from a patch", "path": "story"}, "story/new.txt"),
    ("list", {"path": "story"}, "newer.txt"),
    ("todowrite", {"todos": TODOS}, "Tell the story"),
    ("todoread", {}, "Tell the story"),
    ("memory", {"action": "add", "text": "Stories are in story/."}, "is kept"),
    ("question", {"questions": QUESTIONS}, "This"),
    ("websearch", {"query": "ruff"}, "Installing ruff"),
    ("codesearch", {"query": "use it", "tokensNum": 2000}, "use(it)"),
    ("write", {"filePath": ".agentsite/skills/telling/SKILL.md", "content": SKILL}, "SKILL.md"),
    ("skill", {"name": "telling"}, "Begin at the beginning."),
    ("batch", {"calls": [{"tool": "todoread", "parameters": {}}, {"tool": "list", "parameters": {}}]}, "2"),
    ("nonsense", {}, "nonsense"),
    ("plan_enter", {}, "plan"),
    ("plan_exit", {}, "build"),
]
"""Each tool with its arguments and a part of its answer to the model."""


@pytest.fixture
def client(scripted_site: RunningSite) -> Iterator[ApiClient]:
    with ApiClient(scripted_site.address) as client:
        yield client


def run(client: ApiClient, session: str, words: str, **more: Any) -> dict[str, Any]:
    """Run a prompt and return its ended turn. Permission requests are allowed and questions are answered, also those of
    sub-agents."""
    done = client.site.session(session).run(
        words, on_permission=lambda _: Once(), on_question=lambda _: Answered([["This"]]), timeout=90, **more
    )
    return done.turn.model_dump()


def made(client: ApiClient, session: str) -> list[dict[str, Any]]:
    return [call for call in client.snapshot(session)["calls"] if not call["outer_id"]]


def script_of(model: ModelServer, *steps: Step) -> str:
    return model.script(*steps, by="conversation").marker


def test_every_tool_does_its_work_and_answers_the_model(client: ApiClient, model: ModelServer) -> None:
    session = client.open_session()
    steps = [calls(ScriptedCall(tool, arguments)) for tool, arguments, _ in EACH]

    run(client, session, f"Tell it. {script_of(model, *steps, text('The end.'))}")

    answers = [(call["tool"], call["output"]) for call in made(client, session)]
    assert len(answers) == len(EACH)
    for (tool, _, expected), (_, output) in zip(EACH, answers, strict=True):
        assert expected in output, f"{tool}: {output[:500]}"


def test_a_page_is_fetched_where_the_site_allows_its_host(client: ApiClient, model: ModelServer) -> None:
    session = client.open_session()
    address = f"{model.base_url}/models"

    run(client, session, f"Look. {script_of(model, calls(tool_call('webfetch', url=address)), text('Seen.'))}")

    (call,) = made(client, session)
    assert (call["state"], call["metadata"]["status"]) == ("completed", 200)


def test_a_command_goes_on_in_the_background_until_it_is_stopped(client: ApiClient, model: ModelServer) -> None:
    session = client.open_session()
    start = calls(tool_call("bash", command="echo ready; sleep 300", background=True))
    run(client, session, f"Start. {script_of(model, start, text('It runs.'))}")
    handle = made(client, session)[0]["metadata"]["handle"]

    read, stop = calls(tool_call("bash_output", handle=handle)), calls(tool_call("bash_stop", handle=handle))
    run(client, session, f"Stop it. {script_of(model, read, stop, text('Stopped.'))}")

    shown, stopped = made(client, session)[1:]
    assert "ready" in shown["output"]
    assert stopped["state"] == "completed"


def test_a_sub_agent_works_in_the_same_workspace(client: ApiClient, model: ModelServer) -> None:
    session = client.open_session()
    child = script_of(model, calls(tool_call("write", filePath="child.txt", content="made\n")), text("It is made."))
    ask = tool_call("task", description="Make it", prompt=f"Make the file. {child}", subagent_type="general")
    look = calls(tool_call("read", filePath="child.txt"))

    run(client, session, f"Have it made. {script_of(model, calls(ask), look, text('There.'))}")

    task, read = made(client, session)
    assert "It is made." in task["output"]
    assert "1: made" in read["output"]


def test_an_answer_comes_in_the_form_that_was_asked_for(client: ApiClient, model: ModelServer) -> None:
    session = client.open_session()
    schema = {"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]}

    marker = script_of(model, calls(tool_call("StructuredOutput", sum=5)), text("Five."))
    turn = run(client, session, f"Add. {marker}", output_schema=schema)

    assert json.dumps(turn["output"]) == '{"sum": 5}'
