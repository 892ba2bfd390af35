"""The progress of a call is visible while it runs."""

import asyncio
import threading
from typing import Any

import pytest

from sessions_app.models import ToolCall, Turn
from tests.support.deadline import wait_until
from tests.support.model_server import calls, text, tool_call
from tests.support.outside_tools import OutsideTools, WeatherArguments, WeatherTool, added
from tests.support.session_site import SessionSite, snapshot_of, verify_events
from tests.support.threads import at_work
from tools_app.spec import ToolContext, ToolResult


class SlowWeather(WeatherTool):
    def __init__(self) -> None:
        super().__init__()
        self.go_on = threading.Event()

    async def run(self, args: WeatherArguments, ctx: ToolContext) -> ToolResult:
        ctx.progress(title="Asking one\0 station", metadata={"stations": 1})
        ctx.progress(metadata={"stations": 2})
        await asyncio.to_thread(self.go_on.wait, 20)
        return await super().run(args, ctx)


@pytest.fixture
def slow() -> SlowWeather:
    return SlowWeather()


def test_title_and_metadata_of_a_running_call_are_told_and_kept(site: SessionSite, slow: SlowWeather) -> None:
    site.script(calls(tool_call("weather", city="Oslo")), text("Sunny."))
    session = site.open_session(allow=("weather",))
    before = snapshot_of(session.id)
    with added(OutsideTools([slow])):
        turn = site.prompt(session)
        with at_work(site.pump.run):
            told = ToolCall.objects.filter(metadata={"stations": 2})
            wait_until(told.exists, "the progress is kept", seconds=20)
            running: Any = ToolCall.objects.get(turn=turn)
            assert (running.state, running.title) == ("running", "Asking one\ufffd station")
            verify_events(session.id, before)
            slow.go_on.set()
    turn.refresh_from_db()
    assert turn.state == Turn.State.COMPLETED
    assert ToolCall.objects.get(turn=turn).metadata == {"city": "Oslo"}
