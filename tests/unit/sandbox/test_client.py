"""The client with a runner that sends false or invalid answers."""

import asyncio
import contextlib
import socket
import struct
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sandbox.client import RunnerRuntime, StreamCarrier, UnixSocketCarrier, archiving
from sandbox.client import runtime as runtime_module
from sandbox.errors import (
    LimitReached,
    NotFound,
    ProtocolError,
    SandboxError,
    SandboxLost,
    SandboxUnavailable,
)
from sandbox.limits import LimitHit
from sandbox.ports import RunRequest
from sandbox.runner import frames

RUN = RunRequest("call", "true", output_limit=100)


@contextlib.contextmanager
def runner(path: Path, answer: bytes, *, close: bool = True) -> Iterator[RunnerRuntime]:
    """Run a fake runner that answers every request with the same bytes; yield a runtime for it."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen()
    kept = []

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                kept.append(connection)
                frames.receive(connection)
                connection.sendall(answer)
                if close:
                    connection.close()

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield RunnerRuntime(UnixSocketCarrier(path))
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        for connection in kept:
            connection.close()


def frame(header: dict[str, Any], body: bytes = b"") -> bytes:
    return frames.encode_head(header, len(body)) + body


HOSTILE_STATS = [
    b"GET / HTTP/1.1\r\n\r\n",
    struct.pack(">II", 0xFFFFFFFF, 0xFFFFFFFF),
    struct.pack(">II", 2, 0xFFFFFFFF) + b"{}",
    struct.pack(">II", 5, 0) + b"[1,2]",
    struct.pack(">II", 4, 0) + b"\xff\xfe\x00\x01",
    frame({}),
    frame({"ok": True, "stat": []}),
    frame({"ok": True, "stat": {"path": 1, "real_path": "x", "inside": True, "exists": False}}),
    frame({"ok": True, "stat": {"path": "a", "real_path": "x", "inside": 1, "exists": False}}),
    frame({"ok": True, "stat": {"path": "a", "real_path": "x", "inside": True, "exists": True, "kind": "virus"}}),
    frame({"error": "made_up", "message": "x"}),
    frame({"error": 5, "message": "x"}),
]


@pytest.mark.parametrize("answer", HOSTILE_STATS)
async def test_nonsense_is_a_protocol_error(tmp_path: Path, answer: bytes) -> None:
    with runner(tmp_path / "s", answer) as runtime, pytest.raises(ProtocolError):
        await runtime.stat("a")


@pytest.mark.parametrize(
    "body", [b"", b"{}", b"[1]", b"[[]]", b"[" * 100_000, b'[{"path":"a"}]', b"\xff"]
)  # fmt: skip
async def test_nonsense_in_a_list_is_a_protocol_error(tmp_path: Path, body: bytes) -> None:
    with runner(tmp_path / "s", frame({"ok": True}, body)) as runtime, pytest.raises(ProtocolError):
        await runtime.list(".")


@pytest.mark.parametrize("piece", [b"", bytes(2000)])
async def test_an_archive_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece: bytes) -> None:
    """The client refuses an archive beyond its size limit, because it stores the archive on its own disk."""
    monkeypatch.setattr(archiving, "OVERHEAD_BYTES", 1000)
    taken: list[int] = []

    async def take(data: bytes) -> None:
        taken.append(len(data))

    answer = frame({"event": "chunk"}, piece) * 5
    said = pytest.raises(ProtocolError, match="more archive data")
    with runner(tmp_path / "s", answer, close=False) as runtime, said:
        await runtime.archive(take, limit=10)

    assert sum(taken) <= 1020


async def test_a_known_refusal_keeps_its_kind_and_a_bounded_message(tmp_path: Path) -> None:
    answer = frame({"error": "not_found", "message": "x" * 50_000})
    with runner(tmp_path / "s", answer) as runtime, pytest.raises(NotFound) as caught:
        await runtime.read("a")

    assert len(caught.value.message) == 2000


async def test_silence_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime_module, "ANSWER_TIMEOUT", 0.05)
    monkeypatch.setattr(RunnerRuntime._request, "__kwdefaults__", {"answer_timeout": 0.05})
    with runner(tmp_path / "s", b"", close=False) as runtime, pytest.raises(SandboxUnavailable, match="did not answer"):
        await runtime.stat("a")


async def test_a_connection_closed_in_the_middle_of_a_run_means_lost(tmp_path: Path) -> None:
    answer = frame({"event": "output", "at": 0}, b"abc")
    with runner(tmp_path / "s", answer) as runtime, pytest.raises(SandboxLost):
        await runtime.run(RUN)


@pytest.mark.parametrize(
    "answer",
    [
        frame({"event": "output", "at": 5}, b"abc") + frame({"event": "output", "at": 0}, b"abc"),
        frame({"event": "output", "at": "0"}, b"abc"),
        frame({"ok": True, "end": "exited", "exit_code": 0, "total": 9, "dropped": 0, "started_at": 0, "duration": 0}),
        frame({"ok": True, "end": "won", "exit_code": 0, "total": 0, "dropped": 0, "started_at": 0, "duration": 0}),
    ],
)
async def test_output_that_does_not_fit_is_a_protocol_error(tmp_path: Path, answer: bytes) -> None:
    with runner(tmp_path / "s", answer) as runtime, pytest.raises(ProtocolError):
        await runtime.run(RUN)


END = {"ok": True, "end": "exited", "exit_code": 0, "total": 0, "dropped": 0, "started_at": 0, "duration": 0}
LIMIT = {"event": "limit", "kind": "memory", "message": "Full.", "moment": 1.0, "call_id": ""}


@pytest.mark.parametrize(
    "header",
    [{**LIMIT, "kind": "luck"}, {**LIMIT, "message": 5}, {"event": "limit"}, {"event": "news"},
     {**END, "limits": "all"}, {**END, "limits": [5]}, {**END, "limits": [{**LIMIT, "moment": "now"}]}],
)  # fmt: skip
async def test_a_limit_that_is_none_is_a_protocol_error(tmp_path: Path, header: dict[str, Any]) -> None:
    with runner(tmp_path / "s", frame(header)) as runtime, pytest.raises(ProtocolError):
        await runtime.run(RUN)


async def test_limits_are_told_and_kept_with_a_bounded_message(tmp_path: Path) -> None:
    told: list[LimitHit] = []
    long = {**LIMIT, "message": "x" * 50_000}
    with runner(tmp_path / "s", frame(long) + frame({**END, "limits": [long]})) as runtime:
        result = await runtime.run(RUN, on_limit=told.append)

    assert result.limits == tuple(told) == (LimitHit("memory", "x" * 2000, 1.0, ""),)


GAUGE = {"used": 1, "limit": 0}
USAGE = {
    **dict.fromkeys(("memory", "pids", "disk", "inodes", "tmp"), GAUGE), "cpu_seconds": 1, "cpus": 2.0, "at": 3.0
}  # fmt: skip


@pytest.mark.parametrize("usage", [{}, {**USAGE, "disk": 5}, {**USAGE, "pids": {"used": "1", "limit": 0}}])
async def test_usage_that_does_not_fit_is_a_protocol_error(tmp_path: Path, usage: dict[str, Any]) -> None:
    with runner(tmp_path / "s", frame({"ok": True, "usage": usage})) as runtime, pytest.raises(ProtocolError):
        await runtime.usage()


async def test_endless_output_is_kept_to_the_limit(tmp_path: Path) -> None:
    chunks = b"".join(frame({"event": "output", "at": n * 1000}, b"x" * 1000) for n in range(500))
    end = {"ok": True, "end": "exited", "exit_code": 0, "total": 500_000, "dropped": 499_900}
    with runner(tmp_path / "s", chunks + frame({**end, "started_at": 0.0, "duration": 1.0})) as runtime:
        result = await runtime.run(RUN)

    assert result.output == b"x" * 100


async def test_a_request_that_is_too_large_is_not_sent(tmp_path: Path) -> None:
    with runner(tmp_path / "s", b"") as runtime, pytest.raises(LimitReached):
        await runtime.write("a", bytes(frames.BODY_LIMIT + 1))


async def test_only_a_socket_is_connected_to(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with runner(tmp_path / "real", b""):
        (tmp_path / "link").symlink_to(tmp_path / "real")
        for name, error in (("file", ProtocolError), ("link", ProtocolError), ("none", SandboxUnavailable)):
            with pytest.raises(error):
                await RunnerRuntime(UnixSocketCarrier(tmp_path / name)).ping()


async def test_an_unreachable_runner_is_brought_back_once(tmp_path: Path) -> None:
    calls = []

    async def bring_back() -> None:
        calls.append(1)

    with pytest.raises(SandboxUnavailable):
        await RunnerRuntime(UnixSocketCarrier(tmp_path / "none"), bring_back).ping()
    assert calls == [1]


class Duplex:
    """A fake connection that sends some bytes once it has received a request, and then ends."""

    def __init__(self, said: bytes) -> None:
        self._said = said
        self._asked = threading.Event()

    def recv(self, size: int, /) -> bytes:
        self._asked.wait(5)
        said, self._said = self._said[:size], self._said[size:]
        return said

    def sendall(self, data: bytes, /) -> None:
        self._asked.set()

    def close(self) -> None:
        self._asked.set()


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"garbage!" * 10,
        frame({"channel": "one", "header": {}}),
        frame({"channel": [], "header": {}}),
        frame({"channel": 1, "header": 5}),
        frame({"channel": 1}),
        frame({"channel": 99, "header": {"ok": True}}),
        frame({"channel": 1, "closed": True}),
    ],
)
async def test_a_stream_that_lies_or_ends_fails_its_requests(said: bytes) -> None:
    runtime = RunnerRuntime(StreamCarrier(lambda: Duplex(said)))

    async with asyncio.timeout(5):
        with pytest.raises(SandboxError):
            await runtime.ping()
