"""Simple instructions become tool calls; the demo model says when it does not understand one."""

import json
from pathlib import Path

import pytest

from deploy.demo_model.conversation import FinishedCall, is_title_request, read_conversation
from deploy.demo_model.planner import title
from deploy.demo_model.tasks import understand
from sessions_app.agent.mentions import call_hint
from tests.unit.demo_model.workbench import Workbench


@pytest.mark.parametrize(
    ("prompt", "tool", "arguments"),
    [
        ("list the files", "list", {"path": "."}),
        ("please list the files in src", "list", {"path": "src"}),
        ("read README.md", "read", {"filePath": "README.md"}),
        ("Show me `notes.txt`.", "read", {"filePath": "notes.txt"}),
        ("run `ls -la | wc -l`", "bash", {"command": "ls -la | wc -l"}),
        ("run `date` and tell me", "bash", {"command": "date"}),
        ("run the tests", "bash", {"command": "python3 -m pytest -q"}),
        ("write notes.txt with hello world", "write", {"filePath": "notes.txt", "content": "hello world\n"}),
        ("create a file called a.md containing `x`", "write", {"filePath": "a.md", "content": "x\n"}),
        ("search for def main(", "grep", {"pattern": "def main\\("}),
        ("find *.py", "glob", {"pattern": "*.py"}),
        ("ask explore to list the files", "task", {"subagent_type": "explore", "prompt": "list the files"}),
        ("let @general: run `ls`", "task", {"subagent_type": "general", "prompt": "run `ls`"}),
        ("@explore list the files", "task", {"subagent_type": "explore", "prompt": "list the files"}),
        ("Please @review/api: read a.py", "task", {"subagent_type": "review/api", "prompt": "read a.py"}),
        (f"@explore run `ls`\n{call_hint('explore')}", "task", {"subagent_type": "explore", "prompt": "run `ls`"}),
        ("replace `a b` with `c` in x.txt", "edit", {"filePath": "x.txt", "oldString": "a b", "newString": "c"}),
    ],
)
def test_an_instruction_becomes_a_call(prompt: str, tool: str, arguments: dict[str, str], tmp_path: Path) -> None:
    bench = Workbench(tmp_path, tools=[tool], refuse=[tool])
    bench.prompt(prompt)
    made = bench.calls_of(tool)[0]
    assert {name: made[name] for name in arguments} == arguments


def test_what_came_back_is_told(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("first line\nsecond line\n")
    last_words = Workbench(tmp_path).prompt("read notes.txt")
    assert "2 lines" in last_words
    assert "first line" in last_words


def test_several_instructions_are_followed_in_order(tmp_path: Path) -> None:
    bench = Workbench(tmp_path)
    bench.prompt("write a.txt with one, then replace one with two in a.txt, then read a.txt")
    assert [name for name, _ in bench.calls] == ["write", "edit", "read"]
    assert bench.read("a.txt") == "two\n"


def test_a_question_is_asked_and_its_answer_used(tmp_path: Path) -> None:
    assert "Tea" in Workbench(tmp_path).prompt("ask me something")


def test_what_a_sub_agent_says_is_told() -> None:
    done = FinishedCall("task", "task_id: ses_1\n<task_result>\nIt is there.\n</task_result>")
    task = understand("ask explore to look for tea")
    assert task is not None
    assert task.report(done) == "The sub-agent says:\n\nIt is there."


def test_a_to_do_list_is_kept(tmp_path: Path) -> None:
    bench = Workbench(tmp_path)
    bench.prompt("todo: buy milk, bake bread")
    assert [todo["content"] for todo in bench.calls_of("todowrite")[0]["todos"]] == ["buy milk", "bake bread"]


def test_a_rejected_call_ends_the_rest(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, refuse=["bash"])
    assert "leave that" in bench.prompt("run `rm -rf /`, then write a.txt with x")
    assert [name for name, _ in bench.calls] == ["bash"]


def test_a_tool_that_is_not_offered_is_named(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, tools=["read"])
    assert "`bash`" in bench.prompt("run `ls`")
    assert not bench.calls


@pytest.mark.parametrize("prompt", ["hello", "Hi there!", "what can you do?"])
def test_a_greeting_is_answered_with_what_it_can_do(prompt: str, tmp_path: Path) -> None:
    assert "demo model" in Workbench(tmp_path).prompt(prompt)


@pytest.mark.parametrize(
    "prompt", ["write me a poem about the sea", "rewrite this in Rust", "", "read a.txt then dance"]
)
def test_what_it_cannot_do_is_admitted(prompt: str, tmp_path: Path) -> None:
    bench = Workbench(tmp_path)
    assert "I do not understand" in bench.prompt(prompt)
    assert not bench.calls


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("fix the failing test", "Fix the failing test"),
        ("Hi, please list all the files in this big old project.", "List all the files in this"),
        ("[script:abc] hello world", "Hello world"),
        ("", "New session"),
    ],
)
def test_titles_are_short_and_say_what_was_asked(prompt: str, expected: str) -> None:
    body = {"messages": [{"role": "system", "content": "You write titles."}, {"role": "user", "content": prompt}]}
    assert title(read_conversation(body)).text == expected


def test_only_a_request_without_tools_asks_for_a_title() -> None:
    body = {"messages": [{"role": "system", "content": "You write the title of a conversation."}]}
    tools = [{"type": "function", "function": {"name": "read"}}]
    assert is_title_request(body)
    assert not is_title_request({**body, "tools": tools})


def test_strange_messages_are_read_without_raising() -> None:
    body = json.loads(
        '{"messages": [1, {"role": "user", "content": [{"text": "list"}, 3]}, {"role": "tool"}], "tools": [{}]}'
    )
    assert read_conversation(body).prompt == "list"
