"""The door (the network proxy) is killed repeatedly while a workspace uses it: no request hangs, the door restarts, and
no rule is lost."""

import os
import time
from base64 import b64encode
from typing import Any, Final

import pytest

from tests.support.api_client import ApiClient
from tests.support.running_site import RunningSite

pytestmark = [pytest.mark.chaos, pytest.mark.full]

KILLS: Final = 50 if "SOAK" in os.environ else 5
LONGEST: Final = 15.0
"""Seconds that a request may take. It waits in the socket's queue until the door has restarted, which takes two seconds
on an idle machine."""
SECONDS: Final = 30  # of load, in which the door is killed as often as it comes back
CLIENTS: Final = 4
BACK_WITHIN: Final = 5.0  # seconds after a kill, on a machine that is not always busy
ATTEMPTS: Final = 3
SUMMARY: Final = "awk '{n[$1]++; if ($2 > m) m = $2} END {for (s in n) print s, n[s]; print \"slowest\", m}'"


def command_of(clients: int) -> str:
    """Return a shell command in which `clients` clients connect through the door again and again. The script is encoded
    as base64, because the demo model splits a prompt at "then"."""
    load = (
        f"end=$((SECONDS + {SECONDS})); while [ $SECONDS -lt $end ]; do"
        " curl -s -m 60 -o /dev/null -w '%{http_code} %{time_total}\\n' http://example.org/; sleep 0.1; done"
    )
    script = f"for each in $(seq {clients}); do ({load}) & done | {SUMMARY}"
    return f"echo {b64encode(script.encode()).decode()} | base64 -d | bash"


DENIED: Final = {"permission": "egress", "pattern": "example.org", "action": "deny"}
SENTENCE: Final = "(example.org is refused by a rule (team limits).)"


def test_a_door_that_is_killed_under_load_hangs_nothing_and_loses_no_rule(
    site: RunningSite, client: ApiClient, team: str
) -> None:
    deny(client, team)
    session = client.open_session()
    killed = 0
    while killed < KILLS:
        turn = start(client, session, command_of(CLIENTS))
        client.wait_for_call(session, "bash", "running")
        killed += kill_while_it_is_used(site, KILLS - killed)
        output = end(client, session, turn)
        print(killed, output)
        said = summary(output)
        assert set(said) <= {"403", "000", "slowest"}
        assert int(said["403"]) > 0
        assert float(said["slowest"]) < LONGEST
        assert SENTENCE in output
    assert SENTENCE in end(client, session, start(client, session, "curl -sS http://example.org/"))


def test_a_killed_door_is_back_within_five_seconds(site: RunningSite, client: ApiClient, team: str) -> None:
    """A killed door (the network proxy) works again within five seconds. One program connects ten times a second, so
    its slowest request shows how long the door was unavailable."""
    deny(client, team)
    session = client.open_session()
    away: list[float] = []
    while len(away) < ATTEMPTS and min(away, default=BACK_WITHIN) >= BACK_WITHIN:
        turn = start(client, session, command_of(1))
        client.wait_for_call(session, "bash", "running")
        site.wait_for_replacement("door", site.kill("door"))
        away.append(float(summary(end(client, session, turn))["slowest"]))
    print(away)
    assert min(away) < BACK_WITHIN, away


def deny(client: ApiClient, team: str) -> None:
    """Open the network of the team except for one host."""
    before = client.get(f"/api/v1/policies/{team}")
    document = {"options": {"sandbox": {"network": "open"}}, "enforced": [DENIED]}
    body = {"document": document, "base_version": before["version"], "reason": "A rule to keep"}
    client.http.put(f"/api/v1/policies/{team}", json=body).raise_for_status()


def summary(output: str) -> dict[str, str]:
    """Parse the output of `command_of`: return the number of requests with each status, and the seconds that the
    slowest took."""
    return dict(line.split() for line in output.splitlines() if line and not line.startswith("("))


def start(client: ApiClient, session: str, command: str) -> str:
    turn = client.prompt(session, f"run `{command}`")
    client.wait_for_turn(session, turn, states=("waiting",))
    request = next(item for item in client.snapshot(session)["permission_requests"] if item["state"] == "open")
    client.reply(request["id"])
    return turn


def end(client: ApiClient, session: str, turn: str) -> str:
    client.wait_for_turn(session, turn, seconds=SECONDS + 60)
    call: dict[str, Any] = client.snapshot(session)["calls"][-1]
    assert call["state"] == "completed", call["output"]
    return str(call["output"])


def kill_while_it_is_used(site: RunningSite, most: int) -> int:
    """Kill the door (the network proxy) again and again, at most `most` times, until shortly before the test's requests
    end. Returns the number of kills."""
    until = time.monotonic() + SECONDS - 10
    kills = 0
    while kills < most and time.monotonic() < until:
        old = site.kill("door")
        began = time.monotonic()
        site.wait_for_replacement("door", old)
        print(f"started again after {time.monotonic() - began:.2f} s")
        kills += 1
        time.sleep(2)  # as long as it takes to start on a quiet machine
    return kills
