import asyncio
from pathlib import Path

import pytest

from sandbox.ports import RunRequest
from tests.integration.tools_app.conftest import Bench
from tools_app import chain
from tools_app.builtin.bash import BashArguments
from tools_app.registry import catalogue
from tools_app.spec import ToolError


async def test_output_and_title(bench: Bench) -> None:
    result = await bench.call("bash", command="echo out; echo err >&2")
    assert (result.title, result.output) == ("Ran echo out; echo err >&2", "out\nerr")
    assert result.metadata == {"exit_code": 0, "end": "exited", "dropped": 0}


async def test_an_exit_code_is_information(bench: Bench) -> None:
    result = await bench.call("bash", command="echo no; exit 3")
    assert result.output == "no\n\n(Exit code 3.)"
    assert result.metadata["exit_code"] == 3


async def test_silence_is_said(bench: Bench) -> None:
    assert (await bench.call("bash", command="true")).output == "(no output)"


async def test_output_is_live_and_characters_come_whole(bench: Bench) -> None:
    await bench.call("bash", command=r"printf '\342\202'; sleep 0.1; printf '\254\n'; printf '\377\n'")
    assert bench.progress.output == "€\n\ufffd\n"


async def test_a_timeout_ends_it_and_says_so(bench: Bench) -> None:
    result = await bench.call("bash", command="echo begun; sleep 60", timeout=300)
    assert result.metadata["end"] == "timeout"
    assert result.output == "begun\n\n(Ended after 0.3 s, its time limit. Give a larger timeout if it needs longer.)"


async def test_an_abort_is_said(bench: Bench) -> None:
    context = bench.context()
    prepared = await chain.prepare("bash", '{"command": "echo begun; sleep 60"}', context)
    running = asyncio.create_task(chain.run(prepared, context))
    async with asyncio.timeout(10):
        await bench.progress.heard("begun")
        await bench.runtime.abort(context.call_id)
        result = await running
    assert result.metadata["end"] == "aborted"
    assert "(Aborted by the user" in result.output


async def test_the_same_call_twice_runs_once(bench: Bench) -> None:
    context = bench.context()
    prepared = await chain.prepare("bash", '{"command": "echo x | tee -a log"}', context)
    first, second = await chain.run(prepared, context), await chain.run(prepared, context)
    assert first == second
    assert bench.read("log") == b"x\n"


async def test_a_long_output_shows_its_end_and_keeps_the_whole(bench: Bench) -> None:
    result = await bench.call("bash", command="seq 1 5000")
    assert result.output.startswith("(3,000 lines are not shown here. The full text is in /home/agent/.tool-output/")
    assert result.output.endswith("\n4999\n5000")
    path = result.output.partition("The full text is in ")[2].partition(":")[0]
    shown = await bench.call("read", filePath=path, limit=2)
    assert shown.output.startswith("1: 1\n2: 2\n")


async def test_it_runs_where_it_is_told(bench: Bench) -> None:
    bench.write("src/here", "")
    assert (await bench.call("bash", command="ls", workdir="src")).output == "here"
    with pytest.raises(ToolError, match="workdir nowhere is not a folder"):
        await bench.call("bash", command="ls", workdir="nowhere")


async def test_it_needs_each_command_in_the_text(bench: Bench) -> None:
    (need,) = await bench.needs("bash", command="pytest -q | tail -5", description="Run the tests")
    assert (need.permission, need.patterns) == ("bash", ("pytest -q", "tail -5"))
    assert need.always == ("pytest *", "tail *")
    assert (need.metadata["command"], need.metadata["description"]) == ("pytest -q | tail -5", "Run the tests")
    assert (need.metadata["complete"], need.metadata["reasons"]) == (True, [])
    assert need.metadata["commands"] == ["pytest -q", "tail -5"]


async def test_what_it_reads_and_changes_needs_what_the_file_tools_need(bench: Bench) -> None:
    bench.write(".env", "KEY=1")
    needs = {need.permission: need.patterns for need in await bench.needs("bash", command="cat .env > src/copy.txt")}
    assert (needs["read"], needs["edit"]) == ((".env",), ("src/copy.txt",))


async def test_a_link_that_leads_out_is_outside(bench: Bench, tmp_path: Path) -> None:
    bench.write("a", "")
    (bench.files / "link").symlink_to("/etc")
    for command in ("cat link/passwd", "cat l*/passwd", "cd link && ls"):
        needs = {need.permission: need.patterns for need in await bench.needs("bash", command=command)}
        assert "/etc/*" in needs["external_directory"], command


async def test_a_tree_that_is_read_is_looked_through_for_secrets(bench: Bench) -> None:
    bench.write("config/prod.env", "KEY=1")
    bench.write("src/a.py", "")
    needs = [need for need in await bench.needs("bash", command="grep -r KEY .") if need.permission == "read"]
    assert [need.patterns for need in needs] == [(".", "config/prod.env"), ("*",)]
    tree = {"folder": ".", "names": [], "searched": [], "presets": False}
    assert needs[1].metadata["trees"] == [tree]
    given = await bench.needs("bash", command="grep -r KEY --include='*.py' .")
    assert [need.patterns for need in given if need.permission == "read"] == [(".",), ("*",)]


async def test_git_in_a_folder_that_could_hold_settings_is_not_complete(bench: Bench) -> None:
    bench.write("sub/a", "")
    bench.write("trap/HEAD", "ref: refs/heads/main")
    assert (await bench.needs("bash", command="cd sub && git status"))[-1].metadata["complete"] is True
    assert (await bench.needs("bash", command="cd trap && git status"))[-1].metadata["complete"] is False


@pytest.mark.parametrize(
    "command", ["$x", "ls | sh", "eval $x", "cat $x", "FOO=1 make", "python3 -c 'import os'", "ls ("]
)
async def test_text_that_can_do_more_than_it_says_is_not_complete(bench: Bench, command: str) -> None:
    need = (await bench.needs("bash", command=command))[-1]
    assert need.metadata["complete"] is False
    assert need.metadata["reasons"]


async def test_what_is_not_understood_offers_its_own_text_or_nothing(bench: Bench) -> None:
    for command, always in (("FOO=1 make x", ("FOO=1 make x",)), ("FOO=* make x", ()), ("sudo $x", ())):
        assert (await bench.needs("bash", command=command))[-1].always == always


async def test_away_from_the_root_its_exact_text_names_the_folder(bench: Bench) -> None:
    bench.write("my src/a", "")
    need = (await bench.needs("bash", command="git status", workdir="my src"))[-1]
    assert need.patterns == ("git status",)
    assert need.metadata["text"] == "cd 'my src' && git status"


async def test_a_workdir_outside_is_asked_first(bench: Bench) -> None:
    outside, *_, own = await bench.needs("bash", command="ls", workdir="/etc")
    assert (outside.permission, outside.patterns) == ("external_directory", ("/etc/*",))
    assert own.permission == "bash"


@pytest.mark.parametrize("milliseconds", [0, -1, 600_001])
async def test_a_timeout_beyond_its_bounds_is_refused(bench: Bench, milliseconds: int) -> None:
    with pytest.raises(ToolError, match="timeout"):
        await bench.prepare("bash", command="ls", timeout=milliseconds)


async def test_a_call_that_died_with_its_sandbox_is_an_error(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    result = await bench.runtime.run(RunRequest("call_x", "true"))
    context = bench.context()
    args = BashArguments.model_validate({"command": "true"})

    async def lost(*_: object, **__: object) -> object:
        from dataclasses import replace

        return replace(result, end="lost", exit_code=-1)

    monkeypatch.setattr(bench.runtime, "run", lost)
    with pytest.raises(ToolError, match="it may have run partly"):
        await catalogue()["bash"].run(args, context)


async def test_a_description_cannot_push_the_command_out_of_sight(bench: Bench) -> None:
    *_, need = await bench.needs("bash", command="rm -rf .", description="Lists files." + "\n" * 500 + "x" * 5000)
    description = need.metadata["description"]
    assert (len(description), "\n" in description) == (200, False)
