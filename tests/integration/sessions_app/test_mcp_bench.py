"""Measure the CPU time that 20 MCP servers with 300 tools add to a whole step, including the request to the model.

Results are printed, not asserted: `pytest -m bench -n 0 -s tests/integration/sessions_app/test_mcp_bench.py`.
`test_mcp_costs.py` checks that a step needs no more SQL statements.
"""

import statistics
import time
from typing import Final

import pytest

from sessions_app.models import McpServer, Session
from tests.integration.sessions_app.test_mcp_costs import add_servers
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite

ROUNDS: Final = 6  # of each kind in turn, so that a busy machine slows both alike
STEPS: Final = 12  # of each round, of which the first ones read what the process keeps

pytestmark = pytest.mark.bench


def test_steps_with_and_without_300_tools(site: SessionSite) -> None:
    site.write("a.txt", "one\n" * STEPS)
    session = site.open_session()
    add_servers(site)
    times: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(ROUNDS):
        for has_servers in (True, False):
            McpServer.objects.all().update(enabled=has_servers)
            times[has_servers].extend(_steps(site, session)[2:])
    without, with_servers = statistics.median(times[False]), statistics.median(times[True])
    print(f"\n{without:.2f} ms of CPU without servers, {with_servers:.2f} ms with 20: {with_servers / without:.2f} x")


def _steps(site: SessionSite, session: Session) -> list[float]:
    """Run a turn; return the CPU milliseconds of this process for each step."""
    reads = [calls(tool_call("read", filePath="a.txt", offset=number)) for number in range(1, STEPS + 1)]
    site.script(*reads, text("Done."))
    turn, found = site.prompt(session), []
    while site.pump.names():
        is_step = site.pump.names()[0] == "sessions.advance_turn"
        began = time.process_time()
        site.pump.step()
        if is_step:
            found.append((time.process_time() - began) * 1000)
    turn.refresh_from_db()
    assert turn.state == "completed"
    return found[:STEPS]
