"""Ports that programs of the workspace listen on, and connections to them that need no network."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from sandbox.errors import NotFound
from sandbox.listeners import ListeningPort, PortConnection
from tests.contract.sandbox.conftest import Sandbox, new_call

ECHO = """
import socket, sys, threading
family = socket.AF_INET6 if sys.argv[1] == "6" else socket.AF_INET
listener = socket.create_server(("::1" if sys.argv[1] == "6" else "127.0.0.1", 0), family=family)
print(listener.getsockname()[1], file=open("port.new", "w"))
__import__("os").rename("port.new", "port")
def serve(one):
    while data := one.recv(65536):
        if data.endswith(b"quiet"):
            threading.Event().wait()
        one.sendall(data)
    one.close()
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
"""


@asynccontextmanager
async def echoing(sandbox: Sandbox, family: int = 4) -> AsyncIterator[int]:
    """Run a program in the workspace that sends back what it receives; yield its port."""
    await sandbox.runtime.write("echo.py", ECHO.encode())
    request = new_call(f"exec python3 echo.py {family}", timeout=60)
    await sandbox.runtime.start(request)
    try:
        yield int(await sandbox.shell("until [ -e port ]; do sleep 0.02; done; cat port"))
    finally:
        await sandbox.runtime.abort(request.call_id)


async def whole(connection: PortConnection, count: int) -> bytes:
    received = b""
    async with asyncio.timeout(30):
        while len(received) < count and (piece := await connection.receive()):
            received += piece
    return received


@pytest.mark.parametrize("family", [4, 6])
async def test_a_program_that_listens_is_listed_and_reached(sandbox: Sandbox, family: int) -> None:
    if family == 6 and sandbox.is_contained:
        pytest.skip("the loopback of a container has no IPv6; a sandbox without one shows this case")
    async with echoing(sandbox, family) as port:
        # A test that runs at the same time may use the same port number with the other version of IP.
        assert ListeningPort(port, family) in await sandbox.runtime.listening_ports()
        connection = await sandbox.runtime.connect_port(port)
        await connection.send(b"hello")
        assert await whole(connection, 5) == b"hello"
        connection.close()


async def test_much_arrives_whole_and_in_order(sandbox: Sandbox) -> None:
    sent = b"".join(b"%07d\n" % number for number in range(500_000))
    async with echoing(sandbox) as port:
        connection = await sandbox.runtime.connect_port(port)
        sending = asyncio.create_task(connection.send(sent))
        assert await whole(connection, len(sent)) == sent
        await sending
        connection.close()


async def test_a_program_that_does_not_read_delays_only_its_sender(sandbox: Sandbox) -> None:
    async with echoing(sandbox) as port:
        stuck = await sandbox.runtime.connect_port(port)
        await stuck.send(b"quiet")
        sending = asyncio.create_task(stuck.send(bytes(64 << 20)))
        other = await sandbox.runtime.connect_port(port)
        await other.send(b"hello")
        assert await whole(other, 5) == b"hello"
        assert not sending.done()
        stuck.close()
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)


async def test_without_a_program_there_is_nothing_to_reach(sandbox: Sandbox) -> None:
    async with echoing(sandbox) as port:
        pass
    with pytest.raises(NotFound, match=f"port {port}"):
        await sandbox.runtime.connect_port(port)
    assert port not in [each.port for each in await sandbox.runtime.listening_ports()]
