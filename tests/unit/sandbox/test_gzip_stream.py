"""A gzip stream is read ahead on another thread, with the same errors and limits as on one thread."""

import gzip
import threading
from collections.abc import Callable

import pytest

from sandbox.runner.errors import Refusal
from sandbox.runner.gzip_stream import PIECE_BYTES, PIECES_AHEAD, GzipReader
from tests.support.deadline import wait_until

CONTENT = bytes(range(256)) * 20_000
ENOUGH = 1 << 30


def chunks_of(packed: bytes, size: int = 10_000) -> Callable[[], bytes]:
    pieces = iter([packed[start : start + size] for start in range(0, len(packed), size)])
    return lambda: next(pieces, b"")


@pytest.fixture(params=["two threads", "no thread can be started"])
def threads(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    if request.param != "two threads":
        monkeypatch.setattr(threading.Thread, "start", refuse)
    return str(request.param)


@pytest.mark.usefixtures("threads")
def test_the_bytes_arrive_in_the_requested_numbers() -> None:
    with GzipReader(chunks_of(gzip.compress(CONTENT)), ENOUGH) as reader:
        assert reader.read(3) == CONTENT[:3]
        assert reader.read(4_000_000) == CONTENT[3:4_000_003]
        reader.finish()


@pytest.mark.usefixtures("threads")
def test_a_stream_that_ends_early_is_refused() -> None:
    with (
        GzipReader(chunks_of(gzip.compress(CONTENT)[:-4]), ENOUGH) as reader,
        pytest.raises(Refusal, match="truncated"),
    ):
        reader.finish()


@pytest.mark.usefixtures("threads")
def test_a_wrong_checksum_is_refused() -> None:
    packed = gzip.compress(CONTENT)
    wrong = packed[:-8] + bytes(4) + packed[-4:]
    with GzipReader(chunks_of(wrong), ENOUGH) as reader, pytest.raises(Refusal, match="not valid gzip"):
        reader.finish()


@pytest.mark.usefixtures("threads")
def test_more_bytes_than_the_limit_are_refused() -> None:
    with GzipReader(chunks_of(gzip.compress(CONTENT)), 1000) as reader, pytest.raises(Refusal, match="limit"):
        reader.finish()


@pytest.mark.usefixtures("threads")
def test_the_reader_gets_the_error_of_a_lost_connection() -> None:
    def lose() -> bytes:
        raise ConnectionError("lost")

    with GzipReader(lose, ENOUGH) as reader, pytest.raises(ConnectionError, match="lost"):
        reader.read(1)


def test_a_reader_that_stops_early_leaves_no_thread() -> None:
    before = threading.active_count()
    packed = gzip.compress(bytes(3 * PIECES_AHEAD * PIECE_BYTES))
    with GzipReader(chunks_of(packed), ENOUGH) as reader:
        reader.read(1)
    wait_until(lambda: threading.active_count() <= before, "the thread ends", seconds=10)
