"""The worker or runner is killed during a set-up: the set-up ends once, the turn continues, and the result is kept."""

import os
import signal
import socket
import struct
from typing import Any, Final

import pytest

from sandbox.client.unix_socket import connect
from tests.support.api_client import ApiClient
from tests.support.deadline import wait_until
from tests.support.running_site import RunningSite

pytestmark = [pytest.mark.chaos, pytest.mark.full]

ROUNDS: Final = 10 if "SOAK" in os.environ else 1
SECONDS: Final = 4  # of the script, so that it runs longer than it takes to kill what runs it
SCRIPT: Final = f"echo ran >> ran.txt; for n in $(seq {SECONDS}); do echo $n; sleep 1; done; echo made > made.txt"


@pytest.fixture
def project(client: ApiClient, team: str) -> str:
    """Create a project whose workspaces have a set-up."""
    row: str = client.post(f"/api/v1/teams/{team}/projects", {"name": "Killed set-up"})["id"]
    tag = client.http.get(f"/api/v1/projects/{row}/setup").headers["ETag"]
    answer = client.http.put(f"/api/v1/projects/{row}/setup", json={"script": SCRIPT}, headers={"If-Match": tag})
    answer.raise_for_status()
    return row


@pytest.mark.parametrize("round_", range(ROUNDS))
def test_a_killed_sandbox_worker_lets_the_set_up_run_on_and_another_takes_it_over(
    round_: int, site: RunningSite, client: ApiClient, project: str
) -> None:
    session, turn = start(client, project)
    old = site.kill("sandbox")
    site.wait_for_replacement("sandbox", old)
    client.wait_for_turn(session, turn, seconds=90)
    setup = setups(client, session)
    assert [(call["state"], call["metadata"].get("exit_code")) for call in setup] == [("completed", 0)], setup
    assert setup[0]["output"].split() == [str(number + 1) for number in range(SECONDS)]
    assert read(client, session, "ran.txt").count("ran") == 1
    assert_next_is_ready(client, project)


@pytest.mark.parametrize("round_", range(ROUNDS))
def test_a_killed_runner_ends_the_set_up_which_runs_again_at_the_next_turn(
    round_: int, site: RunningSite, client: ApiClient, project: str
) -> None:
    session, turn = start(client, project)
    os.kill(runner_of(site, client.snapshot(session)["workspace"]["id"]), signal.SIGKILL)
    ended = client.wait_for_turn(session, turn, seconds=90)
    assert ended["state"] == "completed", ended["error"]
    (setup,) = setups(client, session)
    assert (setup["state"], setup["output"].partition(":")[0]) == ("error", "interrupted")
    client.wait_for_turn(session, client.prompt(session, "Hello again"), seconds=90)
    assert [call["state"] for call in setups(client, session)] == ["error", "completed"]
    assert read(client, session, "ran.txt").count("ran") == 2


def start(client: ApiClient, project: str) -> tuple[str, str]:
    """Start a session in a new workspace, and wait until the script of its set-up runs. Return the ids of the session
    and the turn."""
    session = client.site.start_session(project, new_workspace=True).id
    turn = client.prompt(session, "Hello")
    client.wait_for_call(session, "setup", "running")
    wait_until(lambda: "1" in setups(client, session)[-1]["live_output"], "the script has begun", seconds=20, step=0.1)
    return session, turn


def setups(client: ApiClient, session: str) -> list[dict[str, Any]]:
    return [call for call in client.snapshot(session)["calls"] if call["tool"] == "setup"]


def read(client: ApiClient, session: str, name: str) -> str:
    turn = client.prompt(session, f"read {name}")
    client.wait_for_turn(session, turn, seconds=90)
    call: dict[str, Any] = client.snapshot(session)["calls"][-1]
    assert call["tool"] == "read", call
    return str(call["output"])


def assert_next_is_ready(client: ApiClient, project: str) -> None:
    """Check that a new workspace starts with the files of the set-up, without running it again."""
    session = client.site.start_session(project, new_workspace=True).id
    assert "made" in read(client, session, "made.txt")
    assert setups(client, session) == []


def runner_of(site: RunningSite, workspace_id: str) -> int:
    """Return the pid, on this machine, of the workspace's runner, which listens on its socket."""
    with connect(site.state / "workspaces" / workspace_id / "runner" / "socket") as connection:
        credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    pid: int = struct.unpack("3i", credentials)[0]
    return pid
