"""The socket of the door (the network proxy) in the directory of a workspace: the processes that may connect to it,
and the messages that it accepts."""

import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import pytest

from agentsite.base.background import background
from sessions_app.workers.door import links, rules
from sessions_app.workers.door.links import MAX_CONNECTIONS, WorkspaceLink
from sessions_app.workers.door.rules import WorkspaceRules
from tests.support.deadline import wait_until
from tools_app.network.judging import NetworkPolicy
from tools_app.network.upstream import Upstream
from tools_app.web.rules import WebRules

REFUSED: Final = 60  # connections


@pytest.fixture
def lone_link(tmp_path: Path) -> Iterator[WorkspaceLink]:
    """Open the socket of the door (the network proxy) for a workspace without a container; the test acts as its
    runner."""

    async def open_link() -> WorkspaceLink:
        return WorkspaceLink(tmp_path / "wsp_1", Upstream(WebRules()))

    (tmp_path / "wsp_1" / "runner").mkdir(parents=True)
    link = background.run(open_link())
    yield link
    background.loop.call_soon_threadsafe(link.close)


def hand_over(folder: Path, handed: socket.socket) -> socket.socket:
    """Connect as a runner, and pass a listening socket to the door (the network proxy)."""
    runner = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    runner.settimeout(10)
    runner.connect(str(folder / "runner" / "door"))
    socket.send_fds(runner, [b"{}"], [handed.fileno()])
    return runner


def listening(family: int = socket.AF_INET, kind: int = socket.SOCK_STREAM, host: str = "127.0.0.1") -> socket.socket:
    sock = socket.socket(family, kind)
    sock.bind((host, 0))
    if kind == socket.SOCK_STREAM:
        sock.listen(512)
    return sock


@pytest.mark.usefixtures("lone_link")
@pytest.mark.parametrize(
    "handed",
    [
        lambda: listening(kind=socket.SOCK_DGRAM),
        lambda: listening(host="0.0.0.0"),
        lambda: listening(family=socket.AF_INET6, host="::1"),
        lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM),
    ],
    ids=["datagrams", "every interface", "IPv6", "not listening"],
)
def test_the_door_takes_nothing_but_a_listening_socket_of_the_loopback(
    handed: Callable[[], socket.socket], tmp_path: Path
) -> None:
    with handed() as sock, hand_over(tmp_path / "wsp_1", sock) as runner:
        assert runner.recv(1000) == b""
    with listening() as sock, hand_over(tmp_path / "wsp_1", sock) as runner:
        assert b"environment" in runner.recv(10_000)


@pytest.mark.usefixtures("lone_link")
def test_more_connections_than_a_workspace_may_have_wait(tmp_path: Path) -> None:
    with listening() as sock, hand_over(tmp_path / "wsp_1", sock) as runner, ExitStack() as opened:
        assert runner.recv(10_000)
        clients = [opened.enter_context(socket.create_connection(sock.getsockname())) for _ in range(MAX_CONNECTIONS)]
        waiting = opened.enter_context(socket.create_connection(sock.getsockname(), timeout=0.5))
        waiting.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        with pytest.raises(TimeoutError):
            waiting.recv(100)
        clients[0].close()
        waiting.settimeout(10)
        assert waiting.recv(100).startswith(b"HTTP/1.1 400 ")


def test_many_refusals_of_one_host_are_few_messages_to_the_runner(
    lone_link: WorkspaceLink, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many refusals of one host lead to few messages to the runner: at most one in transit, and one for all later
    refusals."""
    told: list[bytes] = []

    def follow(runner: socket.socket) -> None:
        while message := runner.recv(10_000):
            told.append(message)
            runner.send(b"ok")

    monkeypatch.setattr(rules, "load_rules", lambda _: WorkspaceRules(NetworkPolicy("none", "team"), (), ()))
    monkeypatch.setattr(links, "TELL_TIMEOUT", 30.0)
    with listening() as sock, hand_over(tmp_path / "wsp_1", sock) as runner, ExitStack() as opened:
        assert runner.recv(10_000)
        clients = [opened.enter_context(socket.create_connection(sock.getsockname(), 30)) for _ in range(REFUSED)]
        for client in clients:
            client.sendall(b"CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n")
        wait_until(lambda: lone_link.traffic.refused == REFUSED, "the door has refused all", seconds=30)
        following = threading.Thread(target=follow, args=(runner,))
        following.start()
        for client in clients:
            assert client.recv(100).startswith(b"HTTP/1.1 403 ")
        runner.shutdown(socket.SHUT_RDWR)
        following.join(10)
    assert 1 <= len(told) <= 2
    assert all(b"example.org" in message for message in told)


async def test_a_link_in_place_of_the_socket_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The door (the network proxy) does not follow a link in place of its socket. The owner of the directory is root of
    the container, so the door must not give it files of the machine."""
    folder = tmp_path / "wsp_1" / "runner"
    folder.mkdir(parents=True)
    link = WorkspaceLink(tmp_path / "wsp_1", Upstream(WebRules()))
    os.chown(folder, 100_000, 100_000)
    (target := tmp_path / "precious").touch()
    placed = links._identity(folder / "door")
    (folder / "door").unlink()
    (folder / "door").symlink_to(target)
    monkeypatch.setattr(links, "_identity", lambda _: placed)  # it is replaced after the door looked

    link.keep_in_place()

    assert target.stat().st_uid == os.getuid()
    link.close()


async def test_the_socket_stays_in_place_while_a_workspace_is_made(tmp_path: Path) -> None:
    """The door (the network proxy) puts its socket in place again while a workspace is created: the socket's directory
    gets another owner, and a disk is mounted over it."""
    folder = tmp_path / "wsp_1" / "runner"
    folder.mkdir(parents=True)
    link = WorkspaceLink(tmp_path / "wsp_1", Upstream(WebRules()))
    os.chown(folder, 100_000, 100_000)
    link.keep_in_place()
    assert (folder / "door").stat().st_uid == 100_000
    folder.rename(tmp_path / "below")
    folder.mkdir()
    link.keep_in_place()
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as runner:
        runner.connect(str(folder / "door"))
    link.close()
    assert not (folder / "door").exists()
