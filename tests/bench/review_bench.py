"""Measure the list of changes over REST: a thousand changed sources beside a virtual environment of 1,500 files."""

import time
from functools import partial
from typing import Final

from tests.bench.bench_site import BenchSite
from tests.bench.figures import Figure
from tests.bench.measuring import percentile
from tests.support.api_client import ApiClient
from tests.support.deadline import wait_until
from tests.support.model_server import ModelServer, calls, text, tool_call

FILES: Final = 1000
ROUNDS: Final = 20
MAKE: Final = f"git init -q .; mkdir many; for n in $(seq {FILES}); do seq 1 60 > many/$n.py; done"
CHANGE: Final = (
    "sed -i 's/^3[0-4]$/changed/' many/*.py; mkdir -p env/lib; touch env/pyvenv.cfg; "
    "for n in $(seq 1500); do echo $n > env/lib/$n.py; done"
)


def measure_review(bench: BenchSite) -> list[Figure]:
    """Measure the time to list the changed files, first right after a change and then repeatedly, and the time to
    return the changes of one file."""
    client, server = bench.client, bench.server
    first = client.open_session()
    run_command(client, server, first, MAKE)
    workspace_id = client.get(f"/api/v1/sessions/{first}")["workspace_id"]
    session_id = client.site.start_session(client.project().id, workspace_id=workspace_id).id
    run_command(client, server, session_id, CHANGE)
    path = f"/api/v1/sessions/{session_id}/diff"
    after_change = _timed(client, path)
    lists = [_timed(client, path) for _ in range(ROUNDS)]
    alone = [_timed(client, f"{path}?path=many/7.py") for _ in range(ROUNDS)]
    listed = client.get(path)
    found = (len(listed["files"]), [folder["path"] for folder in listed["folded"]])
    if found != (FILES, ["env"]):
        raise AssertionError(f"the changes are {found}")
    size = len(client.http.get(path).content)
    return [
        Figure(f"changes of {FILES} files, the first time", after_change * 1000, "ms", "wall"),
        Figure(f"changes of {FILES} files, p50", percentile(lists, 50), "ms", "wall", target=300),
        Figure(f"changes of {FILES} files: size", size / 1000, "kB", target=1000),
        Figure("one file of them, p50", percentile(alone, 50), "ms", "wall", target=300),
    ]


def _timed(client: ApiClient, path: str) -> float:
    began = time.perf_counter()
    answer = client.http.get(path)
    if answer.status_code != 200:
        raise AssertionError(f"{path} answered {answer.status_code}: {answer.text}")
    return time.perf_counter() - began


def run_command(client: ApiClient, server: ModelServer, session_id: str, command: str) -> None:
    """Let the agent run a command, and answer its permission request if there is one."""
    script = server.script(calls(tool_call("bash", command=command)), text("Done."), by="conversation")
    turn_id = client.prompt(session_id, f"Work. {script.marker}")
    wait_until(partial(_asks_or_ended, client, session_id), "the command is decided", seconds=60, step=0.1)
    for request in client.snapshot(session_id)["permission_requests"]:
        client.reply(request["id"])
    client.wait_for_turn(session_id, turn_id)


def _asks_or_ended(client: ApiClient, session_id: str) -> bool:
    snapshot = client.snapshot(session_id)
    return bool(snapshot["permission_requests"]) or snapshot["turns"][-1]["state"] in ("completed", "failed")
