"""The remaining rights of a guarded process, tested inside of such a process."""

import json
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agentsite.base.environment import REPOSITORY
from tools_app.web.guarded.filter import MACHINES, fetching_filter, sealing_filter

PROGRAM = """
import json, os, resource, signal, socket, sys
from tools_app.web.guarded.confine import confine, seal
secret, listening = sys.argv[1], int(sys.argv[2])

def tried(work):
    try:
        work()
    except OSError as error:
        return error.errno
    return 0

def connect(family, place):
    with socket.socket(family) as connection:
        connection.connect(place)

attempts = {
    "start a program": lambda: os.posix_spawn("/bin/true", ["true"], {}),
    "fork": os.fork,
    "unix socket": lambda: connect(socket.AF_UNIX, "/var/run/docker.sock"),
    "serve": lambda: socket.socket().bind(("127.0.0.1", 0)),
    "write a file": lambda: open("/tmp/guarded", "w"),
    "read a secret": lambda: open(secret),
    "read the parent": lambda: open(f"/proc/{os.getppid()}/environ"),
    "signal": lambda: os.kill(os.getppid(), 0),
    "another port": lambda: connect(socket.AF_INET, ("127.0.0.1", listening)),
    "resolver": lambda: open("/etc/resolv.conf"),
    "internet socket": lambda: socket.socket().close(),
}
confine(seconds=20, ports=[80])
before = {name: tried(attempt) for name, attempt in attempts.items()}
seal(5)
after = {name: tried(attempt) for name, attempt in attempts.items()}
limits = resource.getrlimit(resource.RLIMIT_CPU)[0], resource.getrlimit(resource.RLIMIT_AS)[0]
print(json.dumps({"before": before, "after": after, "limits": limits}))
"""
HARMLESS = {"resolver", "internet socket"}


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    secret: Path = tmp_path_factory.mktemp("home") / "db.sqlite3"
    secret.write_text("rows")
    secret.chmod(0o644)
    with socket.create_server(("127.0.0.1", 0)) as server:
        ran = subprocess.run(
            [sys.executable, "-c", PROGRAM, str(secret), str(server.getsockname()[1])],
            cwd=REPOSITORY,
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
    answer: dict[str, Any] = json.loads(ran.stdout)
    return answer


def test_while_it_fetches_it_can_look_up_names_and_connect_and_nothing_else(tried: dict[str, Any]) -> None:
    assert {name for name, error in tried["before"].items() if not error} == HARMLESS


def test_once_it_has_the_page_it_can_only_compute(tried: dict[str, Any]) -> None:
    assert all(tried["after"].values())


def test_its_life_and_its_memory_end_somewhere(tried: dict[str, Any]) -> None:
    seconds, memory = tried["limits"]
    assert 5 < seconds < 15
    assert memory == 1 << 30


@pytest.mark.parametrize("machine", sorted(MACHINES))
def test_every_call_of_the_lists_has_a_number_on_each_machine_or_is_not_there(machine: str) -> None:
    numbers = MACHINES[machine][1]
    assert len(set(numbers.values())) == len(numbers)
    assert fetching_filter(machine)
    assert sealing_filter(machine)
