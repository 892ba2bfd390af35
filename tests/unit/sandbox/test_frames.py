import os
import socket
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.runner import frames


class Bytes:
    """A fake socket whose `recv` returns at most three bytes."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def recv(self, size: int) -> bytes:
        chunk, self._data = self._data[: min(size, 3)], self._data[min(size, 3) :]
        return chunk


@given(st.dictionaries(st.text(), st.text() | st.integers() | st.none()), st.binary(max_size=100))
def test_a_frame_arrives_as_it_was_sent(header: frames.Header, body: bytes) -> None:
    assert frames.receive(Bytes(frames.encode_head(header, len(body)) + body)) == (header, body)


def test_names_that_are_not_utf8_survive() -> None:
    header = {"path": os.fsdecode(b"caf\xe9")}

    assert frames.receive(Bytes(frames.encode_head(header))) == (header, b"")


@pytest.mark.parametrize("size", [0, 1, 70_000, 1_000_000, frames.BODY_LIMIT])
def test_bodies_of_every_size_pass_a_socket(size: int) -> None:
    left, right = socket.socketpair()
    body = bytes(size)
    with left, right:
        sender = threading.Thread(target=frames.send, args=(left, {}, body))
        sender.start()
        assert frames.receive(right) == ({}, body)
        sender.join()


def test_a_close_between_frames_is_an_end_and_within_one_an_error() -> None:
    whole = frames.encode_head({"a": 1}, 4) + b"body"

    assert frames.receive(Bytes(b"")) is None
    for cut in range(1, len(whole)):
        with pytest.raises(frames.FrameError):
            frames.receive(Bytes(whole[:cut]))


@pytest.mark.parametrize(
    "data",
    [
        frames.PREFIX.pack(frames.HEADER_LIMIT + 1, 0),
        frames.PREFIX.pack(2, frames.BODY_LIMIT + 1) + b"{}",
        frames.PREFIX.pack(2, 0) + b"[]",
        frames.PREFIX.pack(2, 0) + b"\xff{",
        frames.PREFIX.pack(100_000, 0) + b"[" * 100_000,
    ],
)
def test_nonsense_is_refused(data: bytes) -> None:
    with pytest.raises(frames.FrameError):
        frames.receive(Bytes(data))


def test_what_is_too_large_is_not_sent() -> None:
    with pytest.raises(frames.FrameError):
        frames.encode_head({"command": "x" * frames.HEADER_LIMIT})
