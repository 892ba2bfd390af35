import asyncio
from dataclasses import replace

import pytest

from sandbox.limits import LimitHit
from tests.integration.tools_app.conftest import Bench
from tests.support.tool_context import call
from tools_app.builtin.bash import kinds_of, limit_notes
from tools_app.spec import ToolError

WAITS = "echo one; until [ -e go ]; do sleep 0.02; done; echo two; exit 3"


async def started(bench: Bench, command: str) -> str:
    result = await bench.call("bash", command=command, background=True)
    return str(result.metadata["handle"])


async def reads(bench: Bench, handle: str, text: str, *, after: int = 0) -> str:
    """Call `bash_output` until its result contains the text; return the result."""
    async with asyncio.timeout(15):
        while text not in (output := (await bench.call("bash_output", handle=handle, after=after)).output):
            await asyncio.sleep(0.02)
    return output


async def test_it_answers_at_once_and_its_output_can_be_read_bit_by_bit(bench: Bench) -> None:
    handle = await started(bench, WAITS)

    output = await reads(bench, handle, "one")
    assert output.startswith("one\n\n(It is running, for 3,")
    assert output.endswith("Read on from position 4.)")
    assert "(no new output)" in await reads(bench, handle, "It is running", after=4)

    bench.write("go", "")

    output = await reads(bench, handle, "It has ended", after=4)
    assert output.startswith("two\n\n(It has ended after 0 s: exit code 3.)")


async def test_the_answer_names_the_handle_and_the_time_it_has(bench: Bench) -> None:
    result = await bench.call("bash", command="sleep 60", background=True, timeout=90_000)

    handle = result.metadata["handle"]
    assert result.title == "Started sleep 60"
    assert result.output.startswith(f"It runs in the background with the handle {handle}, for at most 1.5 minutes.")


async def test_it_is_stopped_once(bench: Bench) -> None:
    handle = await started(bench, "sleep 600")

    first, second = [await bench.call("bash_stop", handle=handle) for _ in range(2)]

    assert (first.metadata["stopped"], second.metadata["stopped"]) == (True, False)
    assert first.output == "It was stopped, with everything it had started."
    assert "it was stopped.)" in await reads(bench, handle, "It has ended")


@pytest.mark.parametrize("tool", ["bash_output", "bash_stop"])
async def test_another_session_can_neither_read_nor_stop_it(bench: Bench, tool: str) -> None:
    handle = await started(bench, "sleep 600")
    stranger = replace(bench.context(), session_id="ses_2")

    for unknown in (handle, "call_never", "call_\u2028"):
        with pytest.raises(ToolError, match="no background command with the handle"):
            await call(tool, f'{{"handle": "{unknown}"}}', stranger)
    assert (await bench.runtime.peek(handle)).call.is_running


async def test_it_is_judged_like_any_other_command(bench: Bench) -> None:
    (need,) = await bench.needs("bash", command="pytest -q", background=True)

    assert (need.permission, need.patterns) == ("bash", ("pytest -q",))


async def test_the_same_call_twice_starts_one(bench: Bench) -> None:
    context = bench.context()
    arguments = '{"command": "echo x >> log; sleep 600", "background": true}'

    first, second = [await call("bash", arguments, context) for _ in range(2)]

    assert first.metadata == second.metadata
    assert len(await bench.runtime.background()) == 1


def test_limits_are_said_unless_the_end_says_them_already() -> None:
    hits = [LimitHit("memory", "Memory limit reached.", 1.0), LimitHit("time", "Time limit reached.", 2.0)]

    assert limit_notes(hits) == ["(Memory limit reached.)"]
    assert kinds_of(hits) == {"limits": ["memory", "time"]}
    assert kinds_of([]) == {}


async def test_limits_are_told_while_the_command_runs(bench: Bench) -> None:
    told: list[LimitHit] = []
    context = replace(bench.context(), limit=told.append)

    result = await call("bash", '{"command": "sleep 60", "timeout": 100}', context)

    assert [hit.kind for hit in told] == result.metadata["limits"] == ["time"]
