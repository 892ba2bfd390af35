"""The launcher restarts an engine that it started, and never stops one that was already running."""

import asyncio
from collections.abc import Sequence

import pytest

from deploy.launcher import engine
from deploy.launcher.engine import SiteEngine
from sandbox.engine import api

HOST = "unix:///somewhere/docker.sock"
LABEL = "agentsite.site=one"


class Commands:
    """A fake runner of commands that records them and sets `happened` after each."""

    def __init__(self) -> None:
        self.verbs: list[str] = []
        self.happened = asyncio.Event()

    async def __call__(self, command: Sequence[str]) -> str:
        self.verbs.append(command[-1])
        self.happened.set()
        return f"{HOST}\n"


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_CHECK_INTERVAL", 0.001)


async def test_an_engine_that_answers_is_used_and_in_the_end_rid_of_our_containers_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(api, "running_engine", lambda: HOST)
    killed: list[tuple[str, str]] = []
    monkeypatch.setattr(api, "kill_containers", lambda *which: killed.append(which))
    commands = Commands()
    kept = SiteEngine(commands, lambda *_: None, LABEL)
    assert await kept.start() == HOST
    await kept.stop()
    assert commands.verbs == []
    assert killed == [(HOST, LABEL)]


async def test_our_own_engine_is_started_again_when_it_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    alive = True
    monkeypatch.setattr(api, "running_engine", lambda: None)
    monkeypatch.setattr(api, "answers", lambda _host: alive)
    commands, said = Commands(), []
    kept = SiteEngine(commands, lambda _name, text: said.append(text), LABEL)
    assert await kept.start() == HOST
    commands.happened.clear()
    alive = False
    async with asyncio.timeout(5):
        await commands.happened.wait()
    alive = True
    await kept.stop()
    assert commands.verbs[:2] == ["start", "start"]
    assert commands.verbs[-1] == "stop"
    assert said[0] == "does not answer; starting it again"
