"""The runner's link to the door (the network proxy), over a real socket: the runner passes it a listening socket, and
finds a restarted door again."""

import json
import socket
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sandbox.runner.door import DoorLink
from tests.support.deadline import wait_until


class FakeDoor:
    """A stand-in for the door (the network proxy) that accepts one link from the runner."""

    def __init__(self, path: Path) -> None:
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._listener.bind(str(path))
        self._listener.listen()
        self._listener.settimeout(10)
        self._path = path

    def take(self) -> tuple[socket.socket, socket.socket]:
        """Accept the runner's connection, and return it with the listening socket that the runner sends over it."""
        link, _ = self._listener.accept()
        link.settimeout(10)
        message, files, _, _ = socket.recv_fds(link, 100, 1)
        assert message == b"listen"
        return link, socket.socket(fileno=files[0])

    def close(self) -> None:
        self._listener.close()
        self._path.unlink()


def tell(link: socket.socket, **message: Any) -> None:
    link.send(json.dumps(message).encode())
    assert link.recv(10) == b"ok"


@pytest.fixture
def path() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder) / "door"


def test_the_door_accepts_the_connections_of_the_container_itself(path: Path) -> None:
    refused: list[Mapping[str, Any]] = []
    with closing(FakeDoor(path)) as door:
        link = DoorLink(str(path), refused.append, port=0)
        link.start()
        end, handed = door.take()
        with end, handed:
            tell(end, environment={"HTTP_PROXY": "http://here"})
            assert link.environment() == {"HTTP_PROXY": "http://here"}
            tell(end, refused={"name": "example.org", "reason": "no", "may_ask": True})
            assert [each["name"] for each in refused] == ["example.org"]
            with socket.create_connection(handed.getsockname(), timeout=10) as program:
                accepted, _ = handed.accept()
                with accepted:
                    program.sendall(b"hello")
                    assert accepted.recv(10) == b"hello"


def test_a_door_that_restarts_finds_what_waited_meanwhile(path: Path) -> None:
    first = FakeDoor(path)
    link = DoorLink(str(path), lambda _: None, port=0)
    link.start()
    end, handed = first.take()
    address = handed.getsockname()
    for each in (end, handed):
        each.close()
    first.close()
    with socket.create_connection(address, timeout=10) as program, closing(FakeDoor(path)) as second:
        again, same = second.take()
        with again, same:
            assert same.getsockname() == address
            accepted, _ = same.accept()
            with accepted:
                accepted.sendall(b"back")
                assert program.recv(10) == b"back"


def test_without_a_door_nothing_listens_after_a_while(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandbox.runner.door.DOOR_TIMEOUT", 0.1)
    door = FakeDoor(path)
    link = DoorLink(str(path), lambda _: None, port=0)
    link.start()
    end, handed = door.take()
    address = handed.getsockname()
    tell(end, environment={"HTTP_PROXY": "http://here"})
    for each in (end, handed):
        each.close()
    door.close()
    wait_until(lambda: not link.environment(), "the runner gives the door up", seconds=10)

    def is_refused() -> bool:
        try:
            socket.create_connection(address, timeout=1).close()
        except ConnectionRefusedError:
            return True
        return False

    wait_until(is_refused, "connections are refused", seconds=10)


@pytest.mark.parametrize("nonsense", [b"{", b"[]", b'{"environment": 3}', b'{"refused": 1}', b"\xff"])
def test_a_door_that_says_nonsense_is_left_and_found_again(path: Path, nonsense: bytes) -> None:
    with closing(FakeDoor(path)) as door:
        link = DoorLink(str(path), lambda refused: print(refused["name"]), port=0)
        link.start()
        end, handed = door.take()
        with end, handed:
            end.send(nonsense)
        again, same = door.take()
        with again, same:
            tell(again, environment={"A": "b"})
            assert link.environment() == {"A": "b"}
