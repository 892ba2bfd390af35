import asyncio
import os
from typing import Any

import pytest

from tools_app.web import process
from tools_app.web.process import GuardedProcess, ProcessFailed

WITNESS = "tests.support.guarded_witness"


async def heard(do: str, *, seconds: float = 20) -> dict[str, Any]:
    async with GuardedProcess(WITNESS, seconds=seconds) as witness:
        await witness.send({"do": do})
        message, _ = await witness.receive()
    return message


async def test_it_gets_no_environment_and_no_open_file_but_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///hunter2.sock")
    kept = os.open("/etc/hosts", os.O_RDONLY)
    os.set_inheritable(kept, True)  # noqa: FBT003 - it has no name
    try:
        told = await heard("tell")
    finally:
        os.close(kept)
    assert set(told["environ"]) <= {"LC_CTYPE"}  # Python's own, for UTF-8
    assert (told["files"], told["session"]) == (["0", "1", "2"], True)


@pytest.mark.parametrize("do", ["babble", "promise", "fail", "nothing"])
async def test_an_answer_that_is_none_is_a_failure(do: str) -> None:
    with pytest.raises(ProcessFailed) as failed:
        await heard(do)
    assert not failed.value.late


async def test_those_who_come_when_all_places_are_taken_wait_and_are_served(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "MAX_CONCURRENT", 1)
    told = await asyncio.gather(heard("tell"), heard("tell"))
    assert len(told) == 2


async def test_its_time_ends() -> None:
    with pytest.raises(ProcessFailed) as failed:
        await heard("sleep", seconds=1)
    assert failed.value.late
