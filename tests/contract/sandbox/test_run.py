"""Commands on every runtime: results, streamed output, the end of processes, and ids that never run twice."""

import asyncio
import contextlib
from collections.abc import Callable

import pytest

from sandbox.errors import LimitReached, NotFound, NotPermitted, PathOutside, SandboxLost, SandboxRefused
from sandbox.ports import Deployment, RunRequest
from tests.contract.sandbox.conftest import Sandbox, new_call, new_id

DEADLINE = 20.0


async def until(sandbox: Sandbox, command: str) -> None:
    """Wait until a command succeeds in the sandbox."""
    async with asyncio.timeout(DEADLINE):
        while (await sandbox.runtime.run(new_call(command))).exit_code != 0:
            await asyncio.sleep(0.02)


class Output:
    """The collected output of a command. A test can wait for a part of it."""

    def __init__(self) -> None:
        self.data = b""
        self._grew = asyncio.Event()

    def __call__(self, chunk: bytes) -> None:
        self.data += chunk
        self._grew.set()

    async def wait_for(self, part: bytes) -> None:
        async with asyncio.timeout(DEADLINE):
            while part not in self.data:
                self._grew.clear()
                await self._grew.wait()


async def test_output_exit_code_and_order_of_both_streams(sandbox: Sandbox) -> None:
    result = await sandbox.runtime.run(new_call("echo one; echo two >&2; echo three; exit 7"))

    assert (result.end, result.exit_code, result.output) == ("exited", 7, b"one\ntwo\nthree\n")
    assert result.dropped == 0


async def test_a_signal_is_told_as_a_shell_would(sandbox: Sandbox) -> None:
    assert (await sandbox.runtime.run(new_call("kill -9 $$"))).exit_code == 137


async def test_directory_environment_and_closed_stdin(sandbox: Sandbox) -> None:
    await sandbox.runtime.write("sub/file", b"")
    command = 'basename "$PWD"; echo $GREETING; cat; ls'
    request = RunRequest(new_id(), command, "/workspace/sub", env={"GREETING": "hi"})

    assert (await sandbox.runtime.run(request)).output == b"sub\nhi\nfile\n"


async def test_a_working_directory_must_exist_and_be_inside(sandbox: Sandbox) -> None:
    await sandbox.shell("ln -s /etc outside")

    with pytest.raises(NotFound):
        await sandbox.runtime.run(RunRequest(new_id(), "true", "nowhere"))
    with pytest.raises(PathOutside):
        await sandbox.runtime.run(RunRequest(new_id(), "true", "outside"))


async def test_output_arrives_while_the_command_runs(sandbox: Sandbox) -> None:
    output = Output()
    command = "echo ready; until [ -e go ]; do sleep 0.02; done; echo done"
    running = asyncio.create_task(sandbox.runtime.run(new_call(command), on_output=output))

    await output.wait_for(b"ready\n")
    assert not running.done()
    await sandbox.runtime.write("go", b"")

    assert (await running).output == b"ready\ndone\n" == output.data


async def test_only_the_tail_of_a_long_output_is_kept(sandbox: Sandbox) -> None:
    request = RunRequest(new_id(), "seq 1 20000", output_limit=1000)

    result = await sandbox.runtime.run(request)

    assert len(result.output) == 1000
    assert result.output.endswith(b"19999\n20000\n")
    assert result.dropped == len("".join(f"{n}\n" for n in range(1, 20001))) - 1000


async def test_a_flood_is_ended(sandbox: Sandbox) -> None:
    result = await sandbox.runtime.run(RunRequest(new_id(), "yes", output_limit=1000, flood_limit=1_000_000))

    assert (result.end, len(result.output)) == ("flooded", 1000)


async def test_a_timeout_ends_the_whole_tree(sandbox: Sandbox) -> None:
    result = await sandbox.runtime.run(new_call("bash -c 'sleep 987' | cat; echo after", timeout=0.3))

    assert result.end == "timeout"
    assert await sandbox.shell("pgrep -f '^sleep 987' || echo none") == "none\n"


async def test_abort_is_polite_first(sandbox: Sandbox) -> None:
    output = Output()
    command = "trap 'echo bye; exit 3' TERM; echo ready; while true; do sleep 0.05; done"
    call = new_call(command)
    running = asyncio.create_task(sandbox.runtime.run(call, on_output=output))
    await output.wait_for(b"ready")

    assert await sandbox.runtime.abort(call.call_id)

    result = await running
    assert (result.end, result.exit_code) == ("aborted", 3)
    assert b"bye" in result.output


async def test_abort_kills_what_does_not_listen(sandbox: Sandbox) -> None:
    output = Output()
    command = "trap '' TERM; echo ready; while true; do sleep 1; done"
    call = new_call(command)
    running = asyncio.create_task(sandbox.runtime.run(call, on_output=output))
    await output.wait_for(b"ready")

    assert await sandbox.runtime.abort(call.call_id)

    assert (await running).end == "aborted"
    assert not await sandbox.runtime.abort(call.call_id)
    assert not await sandbox.runtime.abort("call_unknown")


async def test_what_a_command_leaves_behind_is_gone_when_it_ends(sandbox: Sandbox) -> None:
    await sandbox.shell("(setsid env -i sleep 876 > /dev/null 2>&1 &) ; (setsid nohup sleep 876 &) ; sleep 876 & :")

    assert await sandbox.shell("pgrep -f '^sleep 876' || echo none") == "none\n"


async def test_a_pipe_held_open_does_not_hold_the_call(sandbox: Sandbox) -> None:
    result = await sandbox.runtime.run(new_call("setsid sleep 600 & echo done"))

    assert result.output == b"done\n"
    assert result.duration < 60


async def test_the_end_of_one_call_leaves_the_others_alone(sandbox: Sandbox) -> None:
    output = Output()
    wait = "until [ -e go ]; do sleep 0.02; done"
    command = f"(setsid sleep 765 &) ; echo ready; {wait}; pgrep -f '^sleep 765' && echo kept"
    running = asyncio.create_task(sandbox.runtime.run(new_call(command), on_output=output))
    await output.wait_for(b"ready")

    await sandbox.shell("true")
    await sandbox.runtime.write("go", b"")

    assert (await running).output.endswith(b"kept\n")


async def test_calls_run_side_by_side(sandbox: Sandbox) -> None:
    meet = "touch {0}; until [ -e 0 -a -e 1 -a -e 2 ]; do sleep 0.02; done; echo met"

    outputs = await asyncio.gather(*(sandbox.shell(meet.format(number)) for number in range(3)))

    assert outputs == ["met\n"] * 3


async def test_a_repeated_id_returns_the_remembered_result(sandbox: Sandbox) -> None:
    request = new_call("echo run >> runs; echo result; exit 4")
    first = await sandbox.runtime.run(request)
    output = Output()

    second = await sandbox.runtime.run(request, on_output=output)

    assert second == first
    assert output.data == b"result\n"
    assert await sandbox.shell("cat runs") == "run\n"


async def test_a_repeated_id_attaches_to_the_running_command(sandbox: Sandbox) -> None:
    request = new_call("echo run >> runs; echo ready; until [ -e go ]; do sleep 0.02; done; echo done")
    output = Output()
    first = asyncio.create_task(sandbox.runtime.run(request, on_output=output))
    await output.wait_for(b"ready")

    first.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await first
    again = Output()
    second = asyncio.create_task(sandbox.runtime.run(request, on_output=again))
    await again.wait_for(b"ready")
    await sandbox.runtime.write("go", b"")

    assert (await second).output == b"ready\ndone\n"
    assert await sandbox.shell("cat runs") == "run\n"


async def test_many_at_once_with_one_id_run_once(sandbox: Sandbox) -> None:
    request = new_call("echo run >> runs; sleep 0.2; echo done")

    results = await asyncio.gather(*(sandbox.runtime.run(request) for _ in range(5)))

    assert len({result.output for result in results}) == 1
    assert await sandbox.shell("cat runs") == "run\n"


async def test_an_id_means_one_request_for_ever(sandbox: Sandbox) -> None:
    call_id = new_id()
    await sandbox.shell("true", call_id=call_id)

    with pytest.raises(NotPermitted):
        await sandbox.shell("false", call_id=call_id)


async def test_a_result_outlives_the_service_and_the_sandbox(
    fresh_sandbox: Sandbox, make_deployment: Callable[[], Deployment]
) -> None:
    request = new_call("echo result")
    first = await fresh_sandbox.runtime.run(request)
    await fresh_sandbox.deployment.stop(fresh_sandbox.spec.workspace_id)
    await fresh_sandbox.deployment.close()

    successor = make_deployment()
    try:
        assert await (await successor.ensure(fresh_sandbox.spec)).run(request) == first
    finally:
        await successor.close()


async def test_a_command_whose_sandbox_ends_is_lost_and_not_run_again(fresh_sandbox: Sandbox) -> None:
    request = new_call("echo run >> runs; echo ready; sleep 600")
    output = Output()
    running = asyncio.create_task(fresh_sandbox.runtime.run(request, on_output=output))
    await output.wait_for(b"ready")

    await fresh_sandbox.deployment.stop(fresh_sandbox.spec.workspace_id)

    with pytest.raises(SandboxLost):
        await running
    result = await fresh_sandbox.runtime.run(request)
    assert (result.end, result.exit_code) == ("lost", -1)
    assert await fresh_sandbox.shell("cat runs") == "run\n"


async def test_too_many_commands_at_once_are_refused_and_the_runner_still_answers(sandbox: Sandbox) -> None:
    wait = "until [ -e go ]; do sleep 0.05; done"
    running = [asyncio.create_task(sandbox.shell(wait)) for _ in range(24)]
    done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_EXCEPTION, timeout=DEADLINE)

    async with asyncio.timeout(DEADLINE):  # one may be refused before the first of those that are taken has begun
        while not (await sandbox.runtime.ping()).live_calls:
            pass
    await sandbox.runtime.write("go", b"")

    outcomes = await asyncio.gather(*running, return_exceptions=True)
    assert done
    assert {type(outcome) for outcome in outcomes} == {str, LimitReached}


@pytest.mark.parametrize("command", ["a\0b", "x" * 200_000])
async def test_a_command_no_process_can_be_given_is_refused(sandbox: Sandbox, command: str) -> None:
    with pytest.raises(SandboxRefused):
        await sandbox.runtime.run(new_call(command))
