"""Background commands outlive the call that started them, belong to an owner, are limited in number, and keep no
process of another call alive."""

import asyncio
import uuid

import pytest

from sandbox.errors import LimitReached, NotFound, NotPermitted
from sandbox.ports import BackgroundCall, RunRequest
from tests.contract.sandbox.conftest import Sandbox

DEADLINE = 20.0


def new_background(
    command: str, *, timeout: float = 60.0, owner: str = "ses_1", output_limit: int = 1000
) -> RunRequest:
    return RunRequest(f"call_{uuid.uuid4().hex}", command, timeout=timeout, owner=owner, output_limit=output_limit)


async def ended(sandbox: Sandbox, call_id: str) -> BackgroundCall:
    async with asyncio.timeout(DEADLINE):
        while (call := (await sandbox.runtime.peek(call_id)).call).is_running:
            await asyncio.sleep(0.02)
    return call


async def wrote(sandbox: Sandbox, call_id: str, part: bytes) -> None:
    async with asyncio.timeout(DEADLINE):
        while part not in (await sandbox.runtime.peek(call_id)).output:
            await asyncio.sleep(0.02)


async def test_it_runs_on_beside_others_and_is_listed_with_its_owner(fresh_sandbox: Sandbox) -> None:
    request = new_background("echo ready; until [ -e go ]; do sleep 0.02; done; echo done; exit 3")

    started = await fresh_sandbox.runtime.start(request)
    assert (started.is_running, started.owner, started.command) == (True, "ses_1", request.command)
    await wrote(fresh_sandbox, request.call_id, b"ready\n")
    assert await fresh_sandbox.shell("echo beside") == "beside\n"
    (listed,) = await fresh_sandbox.runtime.background()
    assert (listed.call_id, listed.is_running, listed.output_bytes) == (request.call_id, True, 6)
    assert 0 < listed.seconds_left <= 60

    await fresh_sandbox.runtime.write("go", b"")

    call = await ended(fresh_sandbox, request.call_id)
    assert (call.end, call.exit_code, call.output_bytes) == ("exited", 3, 11)
    assert await fresh_sandbox.runtime.background() == [call]


async def test_its_output_can_be_read_from_any_position_and_only_a_tail_is_kept(sandbox: Sandbox) -> None:
    request = new_background("seq 1 20000")
    await sandbox.runtime.start(request)
    call = await ended(sandbox, request.call_id)

    whole = await sandbox.runtime.peek(request.call_id)
    rest = await sandbox.runtime.peek(request.call_id, after=call.output_bytes - 6)
    none = await sandbox.runtime.peek(request.call_id, after=whole.next)

    assert (len(whole.output), whole.start + 1000, whole.next) == (1000, call.output_bytes, call.output_bytes)
    assert (rest.output, none.output) == (b"20000\n", b"")


async def test_starting_it_again_finds_it_and_nothing_else_may_have_its_id(sandbox: Sandbox) -> None:
    request = new_background("echo run >> runs; echo ready; sleep 600")
    first = await sandbox.runtime.start(request)
    await wrote(sandbox, request.call_id, b"ready\n")

    again = await sandbox.runtime.start(request)

    assert again.started_at == first.started_at
    for other in (sandbox.runtime.run, sandbox.runtime.start):
        with pytest.raises(NotPermitted):
            await other(RunRequest(request.call_id, "sleep 600", owner="ses_2"))
    await sandbox.runtime.abort(request.call_id)
    assert (await sandbox.runtime.start(request)).end == "aborted"
    assert await sandbox.shell("cat runs") == "run\n"


async def test_it_ends_with_its_time_limit_and_by_abort_with_all_it_started(sandbox: Sandbox) -> None:
    timed, stopped = new_background("sleep 871", timeout=0.3), new_background("(setsid sleep 872 &) ; sleep 873")
    await sandbox.runtime.start(timed)
    await sandbox.runtime.start(stopped)

    assert await sandbox.runtime.abort(stopped.call_id)

    assert (await ended(sandbox, timed.call_id)).end == "timeout"
    assert (await ended(sandbox, stopped.call_id)).end == "aborted"
    assert await sandbox.shell("pgrep -f '^sleep 87[123]' || echo none") == "none\n"


async def test_only_background_calls_can_be_looked_at_so(fresh_sandbox: Sandbox) -> None:
    await fresh_sandbox.shell("true", call_id="call_plain")

    for call_id in ("call_plain", "call_unknown"):
        with pytest.raises(NotFound):
            await fresh_sandbox.runtime.peek(call_id)
    assert await fresh_sandbox.runtime.background() == []


async def test_too_many_are_refused_and_keep_no_other_command_from_running(sandbox: Sandbox) -> None:
    requests = [new_background("sleep 600") for _ in range(8)]
    for request in requests:
        await sandbox.runtime.start(request)

    with pytest.raises(LimitReached):
        await sandbox.runtime.start(new_background("sleep 600"))
    assert await sandbox.shell("echo fine") == "fine\n"

    assert await sandbox.runtime.abort(requests[0].call_id)
    assert (await sandbox.runtime.start(new_background("sleep 600"))).is_running


async def test_one_whose_sandbox_ended_is_lost_and_its_handle_says_so(fresh_sandbox: Sandbox) -> None:
    request = new_background("sleep 600")
    await fresh_sandbox.runtime.start(request)

    await fresh_sandbox.deployment.stop(fresh_sandbox.spec.workspace_id)

    (call,) = await fresh_sandbox.runtime.background()
    assert (call.call_id, call.end, call.owner, call.seconds_left) == (request.call_id, "lost", "ses_1", 0)
    assert (await fresh_sandbox.runtime.peek(request.call_id)).output == b""


ESCAPES = [
    "sleep 876 & :",
    "(setsid sleep 876 &)",
    "(setsid nohup sleep 876 > /dev/null 2>&1 &)",
    "(setsid env -i sleep 876 &)",
    "(setsid bash -c '(setsid sleep 876 &)' &)",
]


async def test_what_another_call_leaves_behind_is_gone_although_it_lives(sandbox: Sandbox) -> None:
    seconds = f"875.{uuid.uuid4().int % 10**6}"  # a local sandbox sees all processes of the machine
    request = new_background(f"(setsid sleep {seconds} &) ; echo ready; sleep 600")
    await sandbox.runtime.start(request)
    await wrote(sandbox, request.call_id, b"ready")

    for escape in ESCAPES:
        await sandbox.shell(escape)

    assert await sandbox.shell("pgrep -f '^sleep 876' || echo none") == "none\n"
    assert await sandbox.shell(f"pgrep -fc '^sleep {seconds}'") == "1\n"


@pytest.mark.docker
async def test_nothing_can_claim_to_belong_to_it(sandbox: Sandbox) -> None:
    """A process cannot claim to belong to a background command: in a container, its environment does not decide which
    call it belongs to."""
    if not sandbox.is_contained:
        pytest.skip("One user for all: there the environment is believed.")
    request = new_background("sleep 600")
    await sandbox.runtime.start(request)

    await sandbox.shell(f"(setsid env SANDBOX_CALL={request.call_id} sleep 877 > /dev/null 2>&1 &)")
    await sandbox.shell("for i in $(seq 40); do (setsid sleep 877 &) ; done")

    assert await sandbox.shell("pgrep -f '^sleep 877' || echo none") == "none\n"
    assert (await sandbox.runtime.peek(request.call_id)).call.is_running
