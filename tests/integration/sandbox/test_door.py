"""A real container reaches the door (the network proxy) and no other network."""

import asyncio
import json
import os
import socket
from pathlib import Path

import pytest

from sandbox.runner.door import DOOR_NAME
from tests.contract.sandbox.conftest import Sandbox
from tests.support.shared_sandboxes import new_call

pytestmark = pytest.mark.docker


def listen_in(folder: Path) -> socket.socket:
    """Listen at the socket of the door (the network proxy), in the directory that only root in the container can
    enter."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(str(folder / DOOR_NAME))
    os.chown(folder / DOOR_NAME, folder.stat().st_uid, folder.stat().st_gid)
    listener.listen()
    listener.settimeout(20)
    return listener


def take(listener: socket.socket) -> tuple[socket.socket, socket.socket]:
    link, _ = listener.accept()
    _, files, _, _ = socket.recv_fds(link, 100, 1)
    handed = socket.socket(fileno=files[0])
    link.send(json.dumps({"environment": {"http_proxy": f"http://127.0.0.1:{handed.getsockname()[1]}"}}).encode())
    assert link.recv(10) == b"ok"
    return link, handed


def answer_one(handed: socket.socket) -> bytes:
    """Accept one connection of the container, answer it, and return the request."""
    connection, _ = handed.accept()
    with connection:
        request = connection.recv(10_000)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
    return request


async def test_programs_reach_the_door_over_loopback_and_nothing_else(fresh_sandbox: Sandbox) -> None:
    runtime, folder = fresh_sandbox.runtime, fresh_sandbox.files.parent.parent / "runner"
    with listen_in(folder) as listener:
        link, handed = await asyncio.to_thread(take, listener)
        with link, handed:
            asked = asyncio.create_task(asyncio.to_thread(answer_one, handed))
            page = await runtime.run(new_call("curl -sS http://example.org/page"))
            assert page.output == b"hello"
            assert (await asked).startswith(b"GET http://example.org/page HTTP/1.1\r\n")
            around = await runtime.run(new_call("ls /sys/class/net; ls /run/runner; ss -Hltn | wc -l"))
            assert around.output.split(b"\n")[0] == b"lo"
            assert b"Permission denied" in around.output
            direct = await runtime.run(new_call("curl -sS --noproxy '*' http://93.184.216.34/"))
            assert direct.exit_code == 7


async def test_a_command_says_which_connections_were_refused_while_it_ran(fresh_sandbox: Sandbox) -> None:
    runtime, folder = fresh_sandbox.runtime, fresh_sandbox.files.parent.parent / "runner"
    with listen_in(folder) as listener:
        link, handed = await asyncio.to_thread(take, listener)
        with link, handed:
            running = asyncio.create_task(runtime.run(new_call("curl -sS http://example.org/")))
            connection, _ = await asyncio.to_thread(handed.accept)
            with connection:
                refused = {"name": "example.org", "reason": "example.org is refused.", "may_ask": True}
                link.send(json.dumps({"refused": refused}).encode())
                assert link.recv(10) == b"ok"
            result = await running
    assert [(each.name, each.reason, each.may_ask) for each in result.refused] == [
        ("example.org", "example.org is refused.", True)
    ]
    assert (await runtime.run(new_call("true"))).refused == ()
