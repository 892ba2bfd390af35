"""The tool `interactive`: programs that an agent controls in a terminal, and their permission requests."""

import asyncio
import json
from typing import Any

import pytest

from sandbox.terminals import TerminalRequest
from tests.integration.tools_app.conftest import Bench
from tests.support.tool_context import call
from tools_app import gate
from tools_app.permission import layers
from tools_app.permission.model import Layer, Rule
from tools_app.spec import PermissionNeed, ToolError, ToolResult

ASKS = "read -p 'Name? ' name; echo \"Hello, $name\"; read -p 'Again? ' x"


async def start(bench: Bench, command: str, **options: Any) -> ToolResult:
    return await bench.call("interactive", action="start", command=command, **options)


async def started(bench: Bench, command: str, **options: Any) -> str:
    return str((await start(bench, command, **options)).metadata["terminal"])


async def act(bench: Bench, action: str, terminal: str, **options: Any) -> ToolResult:
    return await bench.call("interactive", action=action, terminal=terminal, **options)


async def screen_with(bench: Bench, terminal: str, words: str) -> str:
    async with asyncio.timeout(20):
        while words not in (output := (await act(bench, "screen", terminal)).output):
            await asyncio.sleep(0.02)
    return output


def decision(needs: list[PermissionNeed], preset: str = "balanced", *limits: Rule) -> str:
    layer = [Layer("team limits", limits)] if limits else []
    return gate.judge(needs, layers.preferences(agent="build", preset=preset), layer).action


async def test_a_program_that_asks_is_answered(bench: Bench) -> None:
    result = await start(bench, ASKS)
    assert result.title.startswith("Started read -p")
    terminal = result.metadata["terminal"]
    await screen_with(bench, terminal, "Name?")

    await act(bench, "type", terminal, text="Ada", keys=["Enter"])

    assert "Name? Ada\nHello, Ada\nAgain?" in await screen_with(bench, terminal, "Again?")
    ended = await act(bench, "type", terminal, text="\n")
    assert "(The program has ended: exit code 0.)" in ended.output
    assert (ended.metadata["running"], ended.metadata["exit_code"]) == (False, 0)
    with pytest.raises(ToolError, match="ended"):
        await act(bench, "type", terminal, text="x")


async def test_it_runs_where_it_is_told_on_a_screen_of_its_size(bench: Bench) -> None:
    bench.write("sub/here.txt", "")
    terminal = await started(bench, "ls; stty size; sleep 60", workdir="sub", rows=30, columns=100)
    output = await screen_with(bench, terminal, "30 100")
    assert "here.txt" in output
    assert "30 rows, 100 columns" in output

    await act(bench, "resize", terminal, rows=10, columns=40)

    assert "10 rows, 40 columns" in (await act(bench, "screen", terminal)).output


async def test_what_a_repeated_call_types_is_typed_once(bench: Bench) -> None:
    terminal = await started(bench, "cat")
    context = bench.context()
    arguments = json.dumps({"action": "type", "terminal": terminal, "text": "once", "keys": ["Enter"]})

    for _ in range(3):
        await call("interactive", arguments, context)

    assert (await screen_with(bench, terminal, "once\nonce")).count("once") == 2  # its echo, and what `cat` prints


async def test_a_repeated_start_finds_the_terminal(bench: Bench) -> None:
    context = bench.context()
    arguments = json.dumps({"action": "start", "command": "echo started >> log; cat"})
    first, second = [await call("interactive", arguments, context) for _ in range(2)]
    assert first.metadata["terminal"] == second.metadata["terminal"]
    assert bench.read("log") == b"started\n"


async def test_a_key_interrupts_and_stop_ends_all(bench: Bench) -> None:
    terminal = await started(bench, "trap 'echo caught' INT; while :; do sleep 0.05; done")
    await act(bench, "type", terminal, keys=["Ctrl-c"])
    await screen_with(bench, terminal, "caught")

    stopped = await act(bench, "stop", terminal)

    assert stopped.output == "It was stopped, with everything it had started."
    async with asyncio.timeout(20):
        while await bench.runtime.terminals():
            await asyncio.sleep(0.02)
    with pytest.raises(ToolError, match="no terminal"):
        await act(bench, "screen", terminal)


async def test_a_session_has_three_at_most(bench: Bench) -> None:
    running = [await started(bench, "cat", wait=0) for _ in range(3)]
    with pytest.raises(ToolError, match=f"3 terminals of this session run already: {running[0]}"):
        await start(bench, "cat")


async def test_terminals_of_people_and_of_other_sessions_do_not_exist_for_it(bench: Bench) -> None:
    session = bench.context().session_id
    for number, (label, command) in enumerate([(session, ""), ("ses_other", "cat")]):
        await bench.runtime.start_terminal(TerminalRequest(f"trm_{number}", label={"session": label}, command=command))
        for action in ({"action": "screen"}, {"action": "type", "text": "x"}, {"action": "stop"}):
            with pytest.raises(ToolError, match="no terminal"):
                await bench.call("interactive", terminal=f"trm_{number}", **action)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"action": "start"}, "`start` needs `command`"),
        ({"action": "type", "terminal": "x"}, "`type` needs `text` or `keys`"),
        ({"action": "type", "terminal": "x", "text": "a\x03"}, "control characters"),
        ({"action": "type", "terminal": "x", "keys": ["Return"]}, "There is no key 'Return'"),
        ({"action": "stop", "terminal": "x", "text": "a"}, "`stop` takes no `text`"),
        ({"action": "resize", "terminal": "x", "rows": 5}, "`resize` needs `columns`"),
    ],
)
async def test_wrong_arguments_are_told(bench: Bench, arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ToolError, match=words):
        await bench.call("interactive", **arguments)


@pytest.mark.parametrize("command", ["ls", "rm -rf x", "cat .env", "curl https://a.example", "cat /etc/passwd"])
async def test_a_start_is_judged_as_the_same_command_in_bash(bench: Bench, command: str) -> None:
    bench.write(".env", "")
    own = await bench.needs("interactive", action="start", command=command)
    same = await bench.needs("bash", command=command)
    for preset in ("cautious", "balanced", "autonomous", "contained"):
        assert decision(own, preset) == decision(same, preset)
    assert decision(own, "contained", Rule("bash", "*", "deny")) == "deny"


async def test_what_is_typed_is_asked_and_shown(bench: Bench) -> None:
    terminal = await started(bench, "python3 -i")
    needs = await bench.needs("interactive", action="type", terminal=terminal, text="1 + 1", keys=["Enter"])
    (need,) = needs
    assert (need.permission, need.patterns) == ("interactive", ("type python3 -i",))
    assert need.metadata["prompt"] == "1 + 1 [Enter]"
    assert [decision(needs, preset) for preset in ("cautious", "balanced", "autonomous")] == ["ask"] * 3
    assert decision(needs, "contained") == "allow"
    assert gate.grant_rules(needs) == (Rule("interactive", "type python3 -i", "allow"),)


async def test_what_is_typed_into_a_shell_is_also_judged_as_a_command(bench: Bench) -> None:
    terminal = await started(bench, "bash")
    needs = await bench.needs("interactive", action="type", terminal=terminal, text="git push --force\n")
    assert {need.permission for need in needs} >= {"interactive", "bash"}
    assert decision(needs, "contained") == "ask"
    assert decision(needs, "contained", Rule("bash", "git push *", "deny")) == "deny"
    harmless = await bench.needs("interactive", action="type", terminal=terminal, text="ls\n")
    assert [decision(harmless, preset) for preset in ("balanced", "autonomous")] == ["ask", "ask"]
    assert not gate.grant_rules(harmless)


async def test_looking_and_stopping_is_not_asked(bench: Bench) -> None:
    terminal = await started(bench, "cat")
    for action in ({"action": "screen"}, {"action": "resize", "rows": 10, "columns": 40}, {"action": "stop"}):
        assert decision(await bench.needs("interactive", terminal=terminal, **action), "cautious") == "allow"


async def test_an_agent_that_only_reads_drives_nothing(bench: Bench) -> None:
    for agent in ("plan", "explore"):
        needs = await bench.needs("interactive", action="start", command="ls")
        assert gate.judge(needs, layers.preferences(agent=agent), layers.limits(agent=agent)).action == "deny"
