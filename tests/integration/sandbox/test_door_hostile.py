"""Attacks of a workspace, and of a container's root, on the door (the network proxy): it keeps serving other
workspaces."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, Final

import pytest

from sandbox.docker.container import container_name
from sandbox.ports import Deployment, SandboxSpec
from sessions_app.workers.door import rules
from sessions_app.workers.door.links import WorkspaceLink
from sessions_app.workers.door.rules import WorkspaceRules
from tests.contract.sandbox.conftest import Sandbox
from tests.support.engine import TestEngine
from tests.support.shared_sandboxes import files_of, new_spec
from tools_app.network.judging import NetworkPolicy
from tools_app.network.upstream import Upstream
from tools_app.web.rules import WebRules

pytestmark = pytest.mark.docker

SOON: Final = 15.0  # seconds on a busy machine
ASK: Final = "curl -sS -m 20 -o /dev/null -w '%{http_code}' http://example.org/"
FUZZ: Final = """
import os, random, socket
random.seed(7)
STARTS = [
    b"", b"GET ", b"CONNECT ", b"CONNECT example.org:443 HTTP/1.1\\r\\n", b"GET http://example.org/ HTTP/1.1\\r\\n",
    b"POST http://example.org/ HTTP/1.1\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n",
    b"\\x16\\x03\\x01\\x02\\x00\\x01", b"PRI * HTTP/2.0",
]
for number in range(400):
    with socket.create_connection(("127.0.0.1", 3128), timeout=5) as sent:
        sent.sendall(random.choice(STARTS) + os.urandom(random.choice([0, 1, 10, 1000, 70000])))
        if random.random() < 0.5:
            sent.shutdown(socket.SHUT_WR)
print("fuzzed")
"""
MANY: Final = """
import resource, socket
opened, made = [], 0
for number in range(10_000):
    each = socket.socket()
    each.setblocking(False)
    try:
        each.connect(("127.0.0.1", 3128))
    except BlockingIOError:
        pass
    made += 1
    opened.append(each)
    if len(opened) > 3000:
        opened.pop(0).close()
print("opened", made)
"""
FILL: Final = """
import socket, time
opened = [socket.create_connection(("127.0.0.1", 3128), timeout=30) for _ in range(300)]
for each in opened:
    each.sendall(b"CONNECT ")
print("filled", flush=True)
time.sleep(5)
"""
ROOT: Final = """
import os, socket
path = "/run/runner/door"
print("doors:", os.popen("find / -name door -type s 2>/dev/null").read().split(), flush=True)
for number in range(200):
    link = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    link.settimeout(0.2)
    try:
        link.connect(path)
        link.send(os.urandom(2000))
    except OSError:
        pass
    link.close()
os.unlink(path)
mine = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
mine.bind(path)
mine.listen()
print("replaced")
"""


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = WorkspaceRules(NetworkPolicy("allowlist", "team"), (), ())
    monkeypatch.setattr(rules, "load_rules", lambda _: closed)


@pytest.fixture
async def neighbour(
    spec: SandboxSpec, make_deployment: Callable[[], Deployment], tmp_path: Path
) -> AsyncIterator[Sandbox]:
    deployment = make_deployment()
    own = new_spec("docker", spec.image)
    runtime = await deployment.ensure(own)
    yield Sandbox(deployment, own, runtime, files_of(tmp_path / own.workspace_id), "docker")
    await deployment.remove(own.workspace_id, files=True)
    await deployment.close()


@pytest.fixture
async def both(fresh_sandbox: Sandbox, neighbour: Sandbox) -> AsyncIterator[tuple[Sandbox, Sandbox]]:
    """Link the attacker's sandbox and its neighbour to one door (proxy)."""
    links = [WorkspaceLink(each.files.parent.parent, Upstream(WebRules())) for each in (fresh_sandbox, neighbour)]
    keeping = asyncio.create_task(_keep_in_place(links))
    for each in (fresh_sandbox, neighbour):
        await _is_linked(each)
    yield fresh_sandbox, neighbour
    keeping.cancel()
    for link in links:
        link.close()


async def _keep_in_place(links: list[WorkspaceLink]) -> None:
    while True:
        for link in links:
            link.keep_in_place()
        await asyncio.sleep(0.1)


async def _is_linked(sandbox: Sandbox) -> None:
    async with asyncio.timeout(20):
        while "http" not in await sandbox.shell("echo $HTTP_PROXY"):
            await asyncio.sleep(0.1)


async def _is_served(sandbox: Sandbox) -> None:
    began = time.monotonic()
    assert await sandbox.shell(ASK) == "403"
    assert time.monotonic() - began < SOON


@pytest.mark.parametrize(
    ("program", "said"), [(FUZZ, "fuzzed"), (MANY, "opened 10000")], ids=["fuzzed bytes", "10,000 connections"]
)
async def test_a_workspace_that_floods_the_door_harms_nobody(
    program: str, said: str, both: tuple[Sandbox, Sandbox]
) -> None:
    attacker, neighbour = both
    await attacker.runtime.write("attack.py", program.encode())
    attack = asyncio.create_task(attacker.shell("ulimit -n 4096; python3 attack.py", timeout=60))
    while not attack.done():
        await _is_served(neighbour)
    assert said in await attack
    await _is_served(attacker)


async def test_a_workspace_that_fills_its_queue_waits_alone(both: tuple[Sandbox, Sandbox]) -> None:
    attacker, neighbour = both
    await attacker.runtime.write("attack.py", FILL.encode())
    attack = asyncio.create_task(attacker.shell("python3 attack.py", timeout=120))
    while not attack.done():
        await _is_served(neighbour)
    assert "filled" in await attack
    await _is_served(attacker)


async def test_a_root_that_replaces_the_socket_loses_its_own_network_only(
    both: tuple[Sandbox, Sandbox], docker_engine: TestEngine
) -> None:
    attacker, neighbour = both
    await attacker.runtime.write("attack.py", ROOT.encode())
    attack = asyncio.create_task(asyncio.to_thread(_as_root, docker_engine, attacker))
    while not attack.done():
        await _is_served(neighbour)
    said = await attack
    assert "replaced" in said
    assert "doors: ['/run/runner/door']" in said
    await _is_served(neighbour)
    await _is_served(attacker)  # its runner is linked already


def _as_root(engine: TestEngine, sandbox: Sandbox) -> str:
    import docker

    client = docker.DockerClient(base_url=engine.host, timeout=60)
    try:
        container = client.containers.get(container_name(engine.site, sandbox.spec.workspace_id))
        said: Any = container.exec_run(["python3", "/workspace/attack.py"], user="0:0").output
        return str(said.decode("utf-8", "replace"))
    finally:
        client.close()
