import asyncio
import json
import os
from dataclasses import replace
from typing import Any

import pytest

from sandbox.errors import SandboxLost
from sandbox.limits import RefusedConnection
from sandbox.ports import HOME, RunRequest, RunResult
from tests.integration.tools_app.conftest import Bench
from tests.support.tool_context import call
from tools_app import chain, truncation
from tools_app.masking import Masks
from tools_app.registry import catalogue
from tools_app.sandbox_paths import TOOL_OUTPUT_DIRECTORY
from tools_app.spec import ToolContext, ToolError, ToolResult
from tools_app.suspension import AwaitAnswer, AwaitPermission


async def test_an_unknown_tool_is_answered_with_the_tools_there_are(bench: Bench) -> None:
    there_are = "bash, .*edit, glob, .*write"
    with pytest.raises(ToolError, match=rf"`fetch` was not made: there is no tool of this name.*{there_are}") as caught:
        await chain.prepare("fetch", "{}", bench.context())
    assert "invalid" not in caught.value.message


async def test_the_lower_cased_name_is_tried(bench: Bench) -> None:
    bench.write("a", "x\n")
    prepared = await chain.prepare("Read", '{"filePath": "a"}', bench.context())
    assert prepared.tool.id == "read"


@pytest.mark.parametrize("raw", ["{", "[]", '"x"', "null", "[" * 100_000, "\ud800"])
async def test_broken_json_is_answered(bench: Bench, raw: str) -> None:
    with pytest.raises(ToolError, match=r"The call of `read` was not made: the arguments .*Rewrite the call"):
        await chain.prepare("read", raw, bench.context())


@pytest.mark.parametrize("depth", [150, 450, 900])
async def test_arguments_without_bottom_are_answered(bench: Bench, depth: int) -> None:
    raw = '{"filePath": ' + "[" * depth + "]" * depth + "}"
    with pytest.raises(ToolError, match="nested more than 100 levels deep"):
        await chain.prepare("read", raw, bench.context())


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({}, "filePath"),
        ({"filePath": 3}, "filePath"),
        ({"filePath": "a", "offset": "many"}, "offset"),
        ({"filePath": "a", "lines": 3}, "lines"),
        ({"filePath": ""}, "filePath"),
    ],
)
async def test_wrong_arguments_are_named(bench: Bench, arguments: dict[str, object], named: str) -> None:
    with pytest.raises(ToolError, match=rf"`read` was not made: .*{named}.*Rewrite"):
        await chain.prepare("read", json.dumps(arguments), bench.context())


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
async def test_text_that_no_file_can_hold_is_refused(bench: Bench, text: str) -> None:
    with pytest.raises(ToolError, match="NUL or half of a character"):
        await chain.prepare("write", json.dumps({"filePath": "a", "content": text}), bench.context())


async def test_a_place_that_nobody_may_reach_is_answered(bench: Bench) -> None:
    with pytest.raises(ToolError):
        await chain.prepare("read", '{"filePath": "/proc/self/environ"}', bench.context())


async def test_a_sandbox_that_is_lost_is_no_fault_of_the_call(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    async def lost(*_: object, **__: object) -> object:
        raise SandboxLost("gone")

    monkeypatch.setattr(bench.runtime, "stat", lost)
    with pytest.raises(SandboxLost):
        await chain.prepare("read", '{"filePath": "a"}', bench.context())


async def test_a_tool_that_takes_too_long_is_ended(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    async def forever(*_: object) -> ToolResult:
        await asyncio.Event().wait()
        raise AssertionError

    context = bench.context()
    prepared = await chain.prepare("todoread", "", context)
    monkeypatch.setattr(type(prepared.tool), "timeout", 0.05)
    monkeypatch.setattr(type(prepared.tool), "run", forever)
    with pytest.raises(ToolError, match=r"`todoread` did not finish within 0\.05 s"):
        await chain.run(prepared, context)


def _answering(monkeypatch: pytest.MonkeyPatch, output: str) -> None:
    async def run(self: object, args: object, ctx: ToolContext) -> ToolResult:
        return ToolResult("Read\0", output, {"text": ["\udcff"]})

    monkeypatch.setattr(type(catalogue()["todoread"]), "run", run)


async def test_what_leaves_can_be_stored(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    _answering(monkeypatch, "a\0b\udcff")
    result = await bench.call("todoread")
    assert (result.title, result.output, result.metadata) == ("Read\ufffd", "a\ufffdb\ufffd", {"text": ["\ufffd"]})


async def test_a_long_answer_is_cut_and_kept(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    full = "".join(f"line {number}\n" for number in range(3000))
    _answering(monkeypatch, full)
    result = await bench.call("todoread")
    assert result.output.startswith("line 0\n")
    assert "(1,000 lines are not shown here. The full text is in /home/agent/.tool-output/call_0.txt" in result.output
    assert (await bench.runtime.read("/home/agent/.tool-output/call_0.txt")).content.decode() == full


async def test_one_endless_line_is_shown_in_part(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    _answering(monkeypatch, "€" * 100_000)
    result = await bench.call("todoread")
    assert result.output.startswith("€€€")
    assert len(result.output.encode()) < 52_000


async def test_where_nothing_can_be_kept_the_answer_still_comes(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    from sandbox.errors import LimitReached

    async def full_disk(*_: object, **__: object) -> object:
        raise LimitReached("No space left.")

    _answering(monkeypatch, "x\n" * 3000)
    monkeypatch.setattr(bench.runtime, "write", full_disk)
    assert "the full text could not be kept" in (await bench.call("todoread")).output


async def test_the_to_do_list_is_replaced_and_read(bench: Bench) -> None:
    todos = [{"content": "a", "status": "completed", "priority": "high"}, {"content": "b", "status": "pending"}]
    result = await bench.call("todowrite", todos=todos)
    assert result.metadata == {"todos": [todos[0], {**todos[1], "priority": "medium"}]}
    assert bench.memory.todos == result.metadata["todos"]
    assert (await bench.call("todoread")).output.startswith("1 of 2 to do.")


async def test_a_question_waits_for_a_person(bench: Bench) -> None:
    question = {"question": "Which?", "header": "Choice", "options": [{"label": "A", "description": "the first"}]}
    with pytest.raises(AwaitAnswer) as caught:
        await bench.call("question", questions=[question])
    assert caught.value.questions == [{**question, "multiple": False}]


async def test_invalid_answers_like_any_call_that_was_not_understood(bench: Bench) -> None:
    result = await call("invalid", '{"tool": "x", "error": "no"}', bench.context())
    assert result.output == "The call of `x` was not made: no. Rewrite the call so that it fits the tool's parameters."


async def test_a_policy_may_let_a_model_read_less(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    _answering(monkeypatch, "x\n" * 100)
    ctx = replace(bench.context(), settings={"output_lines": 60})
    result = await call("todoread", "{}", ctx)
    assert result.output.startswith("x\n" * 59 + "x\n\n(40 lines are not shown here.")


async def test_outputs_of_long_ago_are_removed_when_a_new_one_is_kept(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    _answering(monkeypatch, "x\n" * 3000)
    await bench.call("todoread")
    monkeypatch.setattr(truncation, "KEPT_DAYS", -1)
    await bench.call("todoread")
    left = await bench.runtime.list(TOOL_OUTPUT_DIRECTORY)
    assert [entry.path.rpartition("/")[2] for entry in left] == ["call_1.txt"]


async def test_a_link_in_place_of_the_folder_of_outputs_leads_to_nothing_that_is_removed_or_written(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    _answering(monkeypatch, "x\n" * 3000)
    bench.write("mine/notes.txt", "kept\n")
    os.utime(bench.files / "mine/notes.txt", (0, 0))
    await bench.runtime.run(RunRequest("call_link", f'ln -s "$PWD/mine" {TOOL_OUTPUT_DIRECTORY.replace(HOME, "~")}'))
    assert (await bench.runtime.stat(TOOL_OUTPUT_DIRECTORY)).inside
    result = await bench.call("todoread")
    assert "the full text could not be kept" in result.output
    assert [path.name for path in (bench.files / "mine").iterdir()] == ["notes.txt"]


async def test_a_secret_in_the_name_of_a_refused_host_is_masked_and_not_asked_about(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "S3cr3t-P4ssw0rd"
    names = [secret.lower(), "example.org"]
    real = bench.runtime.run

    async def refused(*arguments: Any, **options: Any) -> RunResult:
        done = await real(*arguments, **options)
        connections = [RefusedConnection(name, f"{name} is refused", may_ask=True) for name in names]
        return replace(done, refused=tuple(connections))

    monkeypatch.setattr(bench.runtime, "run", refused)
    ctx = replace(bench.context(), masks=Masks([("TOKEN", secret)]))
    prepared = await chain.prepare("bash", '{"command": "true"}', ctx)
    with pytest.raises(AwaitPermission) as waiting:
        await chain.run(prepared, ctx)
    asked = waiting.value
    assert [need.patterns for need in asked.needs] == [("example.org",)]
    assert [each.name for each in asked.result.refused] == ["[secret TOKEN]", "example.org"]
    assert "[secret TOKEN] is refused" in asked.result.output
    assert secret.lower() not in f"{asked.title} {asked.result}"
    names.remove("example.org")
    assert "[secret TOKEN] is refused" in (await chain.run(prepared, ctx)).output
