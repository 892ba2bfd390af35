"""Random answers of a runner lead only to errors of `sandbox.errors`, in time and without filling memory."""

import asyncio
import contextlib
import functools
import inspect
import io
import json
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from sandbox.client import RunnerRuntime, StreamCarrier, UnixSocketCarrier
from sandbox.client import runtime as runtime_module
from sandbox.client import stream as stream_module
from sandbox.client.transport import Carrier, Frame
from sandbox.errors import ProtocolError, SandboxError, SandboxLost
from sandbox.ports import RunRequest
from sandbox.runner import frames

RUN: Final = RunRequest("call", "true", timeout=0.5, output_limit=100, flood_limit=1000)
ARGUMENTS: Final[Mapping[Any, Any]] = {str: "a", bytes: b"x", RunRequest: RUN}
BUSY: Final = settings(max_examples=70, deadline=None, suppress_health_check=[HealthCheck.too_slow])
SLOWER: Final = settings(BUSY, max_examples=30)

STAT: Final = {
    "path": "a",
    "real_path": "/workspace/a",
    "inside": True,
    "exists": True,
    "kind": "file",
    "size": 1,
    "mode": 420,
    "modified_ns": 1,
}
RESULT: Final = {"end": "exited", "exit_code": 0, "total": 0, "dropped": 0, "started_at": 1.0, "duration": 1.0}
CALL: Final = {**RESULT, "call_id": "c", "command": "true", "owner": "o", "seconds_left": 1.0}
GAUGE: Final = {"used": 1, "limit": 2}
GAUGES: Final = dict.fromkeys(("memory", "pids", "disk", "inodes", "tmp"), GAUGE)
HEADER: Final[dict[str, Any]] = {
    "ok": True,
    **CALL,
    **STAT,
    **GAUGES,
    "stat": STAT,
    "call": CALL,
    "protocol": 1,
    "boot_id": "b",
    "live_calls": ["c"],
    "snapshot": "s",
    "ended": True,
    "sha256": "0" * 64,
    "start": 0,
    "cpu_seconds": 1.0,
    "cpus": 2.0,
    "at": 0,
    "limits": [{"kind": "time", "message": "m", "moment": 1.0, "call_id": "c"}],
    "refused": [{"name": "example.org", "reason": "r", "may_ask": True}],
}
"""All fields that any method reads, so that every change of this header affects some method."""
DIFF: Final = {"path": "a", "status": "added", "additions": 1, "deletions": 0, "patch": "p", "binary": False}
BODIES: Final[list[Any]] = [
    [STAT],
    [DIFF],
    [CALL],
    {"paths": ["a"], "capped": False},
    {"matches": [{"path": "a", "line": 1, "text": "t"}], "capped": False},
]


def to_json(value: Any) -> bytes:
    return json.dumps(value).encode("ascii")


half = st.sampled_from(["\ud800", "x\udfff", "\udc80", "\0", "a/../..", "-" * 3000])
scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | half
huge = st.sampled_from([10**400, -(10**400), 1 << 63, float("inf"), float("nan"), [[]], {}, {"error": 1}])
anything = st.recursive(
    scalars | huge, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
)


@st.composite
def changed(draw: st.DrawFn, value: Any) -> Any:
    """Draw a valid value with one part replaced or left out, at any depth."""
    if isinstance(value, dict) and value and draw(st.integers(0, 9)):
        name = draw(st.sampled_from(sorted(value)))
        if draw(st.booleans()):
            return {**value, name: draw(changed(value[name]))}
        return {key: kept for key, kept in value.items() if key != name}
    if isinstance(value, list) and value and draw(st.booleans()):
        return [draw(changed(value[0])), *value[1:]]
    return draw(anything)


headers = changed(HEADER).filter(lambda value: isinstance(value, dict)) | st.fixed_dictionaries(
    {"error": anything, "message": anything}
)
events = st.fixed_dictionaries(
    {"event": st.sampled_from(["output", "limit", "other", 1]), "at": st.integers(-1, 300) | anything}
)
bodies = st.binary(max_size=50) | st.sampled_from(BODIES).flatmap(changed).map(to_json)


class Script:
    """A carrier whose channels all send the same frames and then end."""

    def __init__(self, answers: list[Frame]) -> None:
        self._answers = answers

    async def open(self) -> "Answers":
        return Answers(self._answers)

    async def close(self) -> None: ...


class Answers:
    def __init__(self, answers: list[Frame]) -> None:
        self._answers = list(answers)

    async def send(self, header: frames.Header, body: bytes = b"") -> None: ...

    async def receive(self) -> Frame:
        if not self._answers:
            raise ProtocolError("This is all.")
        return self._answers.pop(0)

    def close(self) -> None: ...


def every_question(runtime: RunnerRuntime) -> Iterator[tuple[str, Callable[[], Awaitable[Any]]]]:
    """Yield the name and a call of each runtime method whose parameters have simple types, so that new methods are
    included."""
    for name, method in inspect.getmembers(runtime, inspect.iscoroutinefunction):
        needed = [p for p in inspect.signature(method).parameters.values() if p.default is p.empty]
        if not name.startswith("_") and name != "close" and all(p.annotation in ARGUMENTS for p in needed):
            yield name, functools.partial(method, *[ARGUMENTS[p.annotation] for p in needed])


def ask_everything(carrier: Carrier) -> dict[str, str]:
    """Call every method of the runtime; return the outcome of each: "answer" or the code of a SandboxError. Other
    errors are raised."""

    async def ask() -> dict[str, str]:
        outcomes = {}
        for name, question in every_question(RunnerRuntime(carrier)):
            async with asyncio.timeout(5):
                try:
                    await question()
                    outcomes[name] = "answer"
                except SandboxError as error:
                    outcomes[name] = error.code
        return outcomes

    return asyncio.run(ask())


def test_a_proper_answer_is_taken_by_every_method_so_the_changed_ones_test_something() -> None:
    answered = {name for body in BODIES for name, said in ask_everything(Script([(HEADER, to_json(body))])).items()
                if said == "answer"}  # fmt: skip

    assert {"ping", "stat", "list", "read", "write", "glob", "grep", "run", "diff", "snapshot", "abort"} <= answered


@given(frames_said=st.lists(st.tuples(headers | events, bodies), min_size=1, max_size=3))
@BUSY
def test_any_json_ends_in_a_value_or_an_error_of_ours(frames_said: list[Frame]) -> None:
    ask_everything(Script([(json.loads(json.dumps(header)), body) for header, body in frames_said]))


@contextlib.contextmanager
def socket_that_says(path: Path, said: Callable[[], bytes | Iterator[bytes]]) -> Iterator[UnixSocketCarrier]:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen(64)

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                with connection, contextlib.suppress(OSError, frames.FrameError):
                    frames.receive(connection)
                    chunks = said()
                    for chunk in [chunks] if isinstance(chunks, bytes) else chunks:
                        connection.sendall(chunk)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield UnixSocketCarrier(path)
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(5)


def encoded(header: Any, body: bytes = b"") -> bytes:
    text = json.dumps(header).encode()
    return frames.PREFIX.pack(len(text), len(body)) + text + body


wild_lengths = st.builds(frames.PREFIX.pack, st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1))
wire = st.lists(
    st.binary(max_size=40) | wild_lengths | st.builds(encoded, headers | anything, bodies), max_size=3
).map(b"".join)  # fmt: skip


def test_any_bytes_on_the_socket_end_in_a_value_or_an_error_of_ours(tmp_path: Path) -> None:
    said = b""
    with socket_that_says(tmp_path / "s", lambda: said) as carrier:

        @given(answer=wire)
        @SLOWER
        def try_it(answer: bytes) -> None:
            nonlocal said
            said = answer
            ask_everything(carrier)

        try_it()


class Bytes(io.BytesIO):
    def recv(self, size: int, /) -> bytes:
        return self.read(size)


def ends_between_frames(said: bytes) -> bool:
    stream = Bytes(said)
    with contextlib.suppress(frames.FrameError):
        while frames.receive(stream):
            pass
        return True
    return False


class Duplex:
    """A fake stream of a bridge that answers each request with the bytes `said`.

    If these bytes stop within a frame, the stream ends after them, because otherwise only the caller's deadline
    would end the wait.
    """

    def __init__(self, said: bytes) -> None:
        self._goes_on = ends_between_frames(said)
        self._asked = threading.Semaphore(0)
        self._said = said
        self._rest = b""
        self._closed = threading.Event()

    def recv(self, size: int, /) -> bytes:
        if not self._rest and not self._closed.is_set():
            self._asked.acquire(timeout=5)
            self._rest = b"" if self._closed.is_set() else self._said
            if not self._goes_on:
                self._closed.set()
        taken, self._rest = self._rest[:size], self._rest[size:]
        return taken

    def sendall(self, data: bytes, /) -> None:
        self._asked.release()

    def close(self) -> None:
        self._closed.set()
        self._asked.release()


channels = st.integers(-1, 30) | anything
envelopes = st.fixed_dictionaries(
    {}, optional={"channel": channels, "header": headers | anything, "closed": anything, "close": anything}
)
streams = st.lists(st.builds(encoded, envelopes, bodies) | st.binary(max_size=12), max_size=4).map(b"".join)


def closing(number: int) -> bytes:
    return encoded({"channel": number, "closed": True})


@given(said=streams)
@example(said=b"\x00" + encoded({"a": "x" * 248}))
@example(said=b"\x00\x00" + encoded({"channel": 1, "header": {}}))
@SLOWER
def test_any_bytes_on_the_stream_end_in_a_value_or_an_error_of_ours(said: bytes) -> None:
    """Any bytes on a stream lead to a value or an error of `sandbox.errors`. The ends of all channels follow the bytes,
    so that a valid but silent channel does not look like a hang."""
    ask_everything(StreamCarrier(lambda: Duplex(said + b"".join(closing(number) for number in range(1, 40)))))


@pytest.mark.parametrize(
    "said",
    [
        encoded({"channel": 1, "header": "text"}),
        encoded({"channel": 1, "header": [["a", 1, 2]]}),
        encoded({"channel": {}, "header": {}}),
        encoded({"header": {}}),
        closing(77) + closing(1) * 3 + encoded({"channel": 1, "header": {}}) + closing(2),
        encoded(["channel"]),
    ],
)
async def test_a_stream_that_lies_ends_at_once_and_the_next_request_opens_a_new_one(said: bytes) -> None:
    runtime = RunnerRuntime(StreamCarrier(lambda: Duplex(said)))

    for _ in range(2):
        async with asyncio.timeout(2):
            with pytest.raises(SandboxError):
                await runtime.ping()


def endless(chunk: bytes) -> Iterator[bytes]:
    while True:
        yield chunk


@pytest.mark.parametrize(
    ("name", "chunk"),
    [
        ("empty output", encoded({"event": "output", "at": 0}) * 2000),
        ("output", encoded({"event": "output", "at": 0}, bytes(100_000))),
        ("limits", encoded({"event": "limit", "kind": "time", "message": "m", "moment": 1.0, "call_id": "c"}) * 500),
        ("spaces", b" " * 100_000),
    ],
)
async def test_a_runner_that_never_stops_talking_is_left_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, chunk: bytes
) -> None:
    """The client closes the connection to a runner that never stops sending, before a deadline. Meanwhile, the event
    loop continues with all other work."""
    monkeypatch.setattr(runtime_module, "RUN_MARGIN", 0.5)
    hits: list[object] = []
    with socket_that_says(tmp_path / "s", lambda: endless(chunk)) as carrier:
        ticks = asyncio.create_task(count_ticks())
        async with asyncio.timeout(6):
            with pytest.raises((SandboxLost, ProtocolError)):
                await RunnerRuntime(carrier).run(RUN, on_limit=hits.append)
        ticks.cancel()

    assert len(hits) < 100


async def count_ticks() -> None:
    while True:
        await asyncio.sleep(0.01)


@pytest.mark.parametrize("channel", [1, 99])
def test_a_stream_that_nobody_reads_does_not_fill_memory(channel: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Headers that nobody reads fill a bounded part of memory. They are parsed when they arrive, so their parsed size
    is counted."""
    monkeypatch.setattr(stream_module, "MAX_WAITING_BYTES", 8 << 20)
    flood = encoded({"channel": channel, "header": {"x": [[] for _ in range(50_000)]}})
    duplex = Endless(flood)
    carrier = StreamCarrier(lambda: duplex)

    async def open_and_wait() -> None:
        await carrier.open()
        await asyncio.to_thread(duplex.ended.wait, 10)

    asyncio.run(open_and_wait())

    assert duplex.ended.is_set()
    assert duplex.sent < 2 << 20


class Endless:
    def __init__(self, said: bytes) -> None:
        self._said = said
        self._position = 0
        self.sent = 0
        self.ended = threading.Event()

    def recv(self, size: int, /) -> bytes:
        taken = self._said[self._position : self._position + size]
        self.sent += len(taken)
        self._position = (self._position + len(taken)) % len(self._said)
        return taken

    def sendall(self, data: bytes, /) -> None: ...

    def close(self) -> None:
        self.ended.set()
