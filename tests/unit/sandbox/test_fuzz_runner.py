"""A real runner survives random requests and random contents of its files, and answers the next request."""

import asyncio
import contextlib
import json
import os
import socket
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandbox.client import RunnerRuntime, UnixSocketCarrier
from sandbox.errors import SandboxError
from sandbox.local import LocalDeployment
from sandbox.ports import SandboxSpec
from sandbox.runner import frames
from sandbox.runner.errors import Refusal
from sandbox.runner.journal import Journal
from sandbox.runner.tree import Tree

BOUNDED: Final = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
PATIENCE: Final = 10.0
OPERATIONS: Final = (
    *(
        "ping",
        "stat",
        "list",
        "read",
        "write",
        "change",
        "remove",
        "glob",
        "grep",
        "run",
        "start",
        "background",
        "peek",
        "abort",
    ),
    *("usage", "snapshot", "diff", "check", "archive", "restore", "", "none"),
)
odd: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, -1, 0, 10**400, 1e400, 0.5, [], {}, [[]], "", "\0", "\ud800", "x" * 5000, "[", "{"]
)
"""Values of a wrong type for nearly every field. None is a command or a path that could do harm on this machine."""
paths = odd | st.sampled_from(["a", "a/b", "../..", ".", "..", "./a", "\udcff", "a/"])
changes = st.fixed_dictionaries(
    {},
    optional={"path": paths, "expected": odd | st.just("anything"), "size": odd | st.integers(0, 20), "mode": odd},
)
FIELDS: Final = {
    "changes": odd | st.lists(changes | odd, max_size=3),
    "path": paths,
    "workdir": paths,
    "command": st.sampled_from(["true", "exit 3", "", "\0", 5, None]),
    "call_id": odd | st.text(max_size=8),
    "env": odd | st.dictionaries(st.sampled_from(["A", "", "A=B", "\ud800"]), st.sampled_from(["1", "\0", 5])),
    **dict.fromkeys(("offset", "limit", "after", "mode"), odd | st.integers(0, 50)),
    **dict.fromkeys(("timeout", "output_limit", "flood_limit"), odd | st.integers(0, 50)),
    **dict.fromkeys(("pattern", "include", "expected", "exact", "base", "target", "owner", "background"), odd),
}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    root = tmp_path_factory.mktemp("fuzz")

    async def serve(stop: asyncio.Event, ready: asyncio.Event) -> None:
        deployment = LocalDeployment(root, for_tests=True)
        await deployment.ensure(SandboxSpec("w", "none"))
        ready.set()
        await stop.wait()
        await deployment.close()

    with asyncio.Runner() as loop:
        stop, ready = asyncio.Event(), asyncio.Event()

        async def start() -> asyncio.Task[None]:
            task = asyncio.create_task(serve(stop, ready))
            await ready.wait()
            return task

        task = loop.run(start())
        yield root / "w" / "runner" / "socket"
        stop.set()
        loop.run(asyncio.wait_for(task, 20))


def say(address: Path, said: bytes) -> None:
    """Send bytes to the runner, and wait until it closes the connection, which must not take longer than `PATIENCE`."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(PATIENCE)
        client.connect(str(address))
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            client.sendall(said)
            client.shutdown(socket.SHUT_WR)
            while client.recv(1 << 16):
                pass


def boot_of(address: Path) -> str:
    return asyncio.run(RunnerRuntime(UnixSocketCarrier(address)).ping()).boot_id


def encoded(header: Any, body: bytes = b"") -> bytes:
    text = json.dumps(header).encode()
    return frames.PREFIX.pack(len(text), len(body)) + text + body


requests = st.builds(
    lambda operation, fields: {"op": operation, **fields},
    st.sampled_from(OPERATIONS) | odd,
    st.fixed_dictionaries({}, optional=FIELDS),
)
wild = (
    st.binary(max_size=60)
    | st.builds(frames.PREFIX.pack, st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1))
    | st.sampled_from([encoded([]), encoded(5), frames.PREFIX.pack(90_000, 0) + b"[" * 90_000, encoded({})[:-1]])
)


def test_no_request_ends_a_runner(address: Path) -> None:
    boot = boot_of(address)

    @given(request=requests, body=st.binary(max_size=20))
    @BOUNDED
    def try_it(request: Any, body: bytes) -> None:
        say(address, encoded(request, body))
        assert boot_of(address) == boot

    try_it()


def test_no_bytes_end_a_runner(address: Path) -> None:
    boot = boot_of(address)

    @given(said=wild)
    @BOUNDED
    def try_it(said: bytes) -> None:
        say(address, said)
        assert boot_of(address) == boot

    try_it()


def test_clients_that_never_finish_their_request_leave_room_for_others(address: Path) -> None:
    boot = boot_of(address)
    slow = []
    for number in range(15):
        client = socket.socket(socket.AF_UNIX)
        client.connect(str(address))
        client.sendall(encoded({"op": "ping"})[: number + 1])
        slow.append(client)

    assert [boot_of(address) for _ in range(20)] == [boot] * 20
    for client in slow:
        client.close()


def test_many_clients_that_hang_up_at_once_cost_nothing(address: Path) -> None:
    boot = boot_of(address)
    for _ in range(300):
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(address))

    assert boot_of(address) == boot


@pytest.mark.parametrize(
    "content", [b"", b"\0" * 100, zlib.compress(b"[]"), zlib.compress(b'{"a":[1]}'), zlib.compress(b"{")]
)
def test_a_snapshot_of_nonsense_is_an_error_and_no_more(address: Path, content: bytes) -> None:
    boot = boot_of(address)
    name = "ab" * 32
    (address.parent / "snapshots" / "manifests" / name).write_bytes(content)

    with pytest.raises(SandboxError):
        asyncio.run(RunnerRuntime(UnixSocketCarrier(address)).diff(name))

    assert boot_of(address) == boot


records = st.fixed_dictionaries({}, optional=dict.fromkeys(("call", "request", "result", "withdrawn", "start"), odd))


@given(written=st.lists(st.binary(max_size=30) | st.builds(encoded, records | odd, st.binary(max_size=5)), max_size=4))
@BOUNDED
def test_a_journal_of_nonsense_is_read_and_written_on(
    tmp_path_factory: pytest.TempPathFactory, written: list[bytes]
) -> None:
    path = tmp_path_factory.mktemp("journal") / "journal"
    path.write_bytes(b"".join(written))

    journal = Journal(str(path))
    journal.start("call", "hash")

    assert Journal(str(path)).find("call") is not None


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    root = tmp_path_factory.mktemp("tree")
    for name in ("files/deep/er", "home"):
        (root / name).mkdir(parents=True)
    (root / "files" / "up").symlink_to("..")
    (root / "files" / "loop").symlink_to("loop")
    (root / "files" / "system").symlink_to("/proc/self/root")
    return Tree(str(root / "files"), str(root / "home"))


parts = st.sampled_from(["..", ".", "", "deep", "er", "up", "loop", "system", "proc", "sys", "self"]) | st.text(
    max_size=4
)
texts = st.lists(parts, max_size=8).map("/".join) | st.binary(max_size=12).map(os.fsdecode) | st.text(max_size=12)


@given(path=texts | texts.map("/".__add__))
@BOUNDED
def test_any_path_is_a_place_or_a_refusal_and_never_one_of_the_system(tree: Tree, path: str) -> None:
    try:
        place = tree.locate(path)
    except (Refusal, OSError):
        return

    assert place.real == os.path.normpath(place.real)
    assert place.inside == (place.real == tree.workspace or place.real.startswith(tree.workspace + "/"))
    assert not place.real.startswith(("/proc/", "/sys/"))
