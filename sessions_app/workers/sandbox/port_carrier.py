"""Connections to ports of a workspace, carried over the channel layer to a preview server.

A carrier belongs to one workspace and one preview server, and carries many connections. Each connection has a window of
unacknowledged pieces in both directions, which limits the buffered data. Pieces are numbered: if the channel layer
loses or reorders a piece, the connection ends instead of passing on wrong data. If the preview server falls silent, the
carrier ends; if the carrier falls silent, the preview server asks for a new carrier.
"""

import asyncio
import time
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, Final

import structlog
from channels.exceptions import ChannelFull
from redis.exceptions import RedisError

from agentsite.base.channel_receiver import ChannelReceiver
from sandbox.errors import SandboxError
from sandbox.listeners import PortConnection
from sandbox.ports import Runtime
from sessions_app.queries.carried_ports import ALIVE_EVERY, MAX_CONNECTIONS, PIECE_BYTES, SILENCE_SECONDS, WINDOW
from sessions_app.queries.questions import CarryPortsQuestion, ListPortsQuestion
from sessions_app.workers.sandbox.bridges import bridges_layer, new_bridge_channel

LOST: Final = (SandboxError, OSError, RedisError, ChannelFull)

logger = structlog.get_logger(__name__)
_running: Final[set["asyncio.Task[None]"]] = set()


async def answer_about_ports(runtime: Runtime, question: ListPortsQuestion | CarryPortsQuestion) -> Any:
    """List the ports that programs of a workspace listen on, or start a carrier for connections to ports. Raises
    SandboxError."""
    if isinstance(question, ListPortsQuestion):
        return [{"port": each.port} for each in await runtime.listening_ports()]
    return {"input": await PortCarrier(runtime, bridges_layer(), question.channel).begin()}


class PortCarrier:
    """A relay of connections from one preview server to the ports of one workspace. It runs on the background loop."""

    def __init__(self, runtime: Runtime, layer: Any, channel: str) -> None:
        self._runtime = runtime
        self._layer = layer
        self._channel = channel
        self._connections: dict[int, _Carried] = {}
        self._heard_at = time.monotonic()

    async def begin(self) -> str:
        """Start the carrier and return the channel that it listens on."""
        self._inbox = await new_bridge_channel(self._layer)
        _keep(self._run())
        return self._inbox

    async def send(self, kind: str, number: int, **fields: Any) -> None:
        await self._layer.send(self._channel, {"type": f"carry.{kind}", "id": number, **fields})

    def forget(self, number: int) -> None:
        self._connections.pop(number, None)

    async def _run(self) -> None:
        telling = asyncio.create_task(self._tell())
        receiver = ChannelReceiver(self._layer, self._inbox)
        try:
            while time.monotonic() - self._heard_at < SILENCE_SECONDS:
                message = await receiver.next(ALIVE_EVERY)
                if message is None:
                    continue
                self._heard_at = time.monotonic()
                if message["type"] == "carry.leave":
                    return
                self._handle(message)
        except LOST as error:
            logger.info("port_carrier_ended", reason=repr(error))
        finally:
            telling.cancel()
            receiver.close()
            for each in list(self._connections.values()):
                each.close()

    async def _tell(self) -> None:
        while True:
            await asyncio.sleep(ALIVE_EVERY)
            with suppress(*LOST):
                await self.send("alive", 0)

    def _handle(self, message: dict[str, Any]) -> None:
        number = int(message.get("id", 0))
        if message["type"] == "carry.open":
            if number not in self._connections and len(self._connections) < MAX_CONNECTIONS:
                self._connections[number] = carried = _Carried(self, number)
                carried.task = _keep(carried.run(self._runtime, message["port"]))
        elif carried_before := self._connections.get(number):
            carried_before.handle(message)


class _Carried:
    """A connection to a port that a `PortCarrier` carries."""

    def __init__(self, carrier: PortCarrier, number: int) -> None:
        self._carrier = carrier
        self._number = number
        self._to_program: asyncio.Queue[bytes] = asyncio.Queue(WINDOW)
        self._room = asyncio.Semaphore(WINDOW)
        self._next_in = self._next_out = 0
        self._connection: PortConnection | None = None
        self.task: asyncio.Task[None] | None = None

    async def run(self, runtime: Runtime, port: int) -> None:
        """Connect to the port, and pass on data until one side ends the connection."""
        try:
            connection = self._connection = await runtime.connect_port(port)
            await self._carrier.send("opened", self._number)
            sending = asyncio.create_task(self._send_all(connection))
            try:
                await self._receive_all(connection)
            finally:
                sending.cancel()
            await self._carrier.send("ended", self._number)
        except SandboxError as error:
            with suppress(*LOST):
                await self._carrier.send("failed", self._number, code=error.code, message=error.message)
        except LOST as error:
            logger.info("port_connection_ended", reason=repr(error))
        finally:
            self.close()

    def handle(self, message: dict[str, Any]) -> None:
        """Handle a message that the preview server has sent about this connection to a port."""
        match message["type"]:
            case "carry.data" if message["at"] == self._next_in and not self._to_program.full():
                self._next_in += 1
                self._to_program.put_nowait(message["data"])
            case "carry.taken":
                self._room.release()
            case _:  # its end, or a piece that is missing
                self.close()

    def close(self) -> None:
        """End the connection, even if the Valkey client swallows the cancellation."""
        self._carrier.forget(self._number)
        if self._connection is not None:
            self._connection.close()
        if self.task is not None:
            self.task.cancel()

    async def _send_all(self, connection: PortConnection) -> None:
        """Send the data that arrives for the program. If the program no longer reads, stop, but keep the connection,
        because the program may still send."""
        with suppress(*LOST):
            while True:
                await connection.send(await self._to_program.get())
                await self._carrier.send("taken", self._number)

    async def _receive_all(self, connection: PortConnection) -> None:
        while data := await connection.receive():
            for start in range(0, len(data), PIECE_BYTES):
                await self._room.acquire()
                piece = data[start : start + PIECE_BYTES]
                await self._carrier.send("data", self._number, at=self._next_out, data=piece)
                self._next_out += 1


def _keep(work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
    """Start the work as a task, and keep a reference to it, because the event loop itself keeps only a weak one."""
    task = asyncio.get_running_loop().create_task(work, name="port-carrier")
    _running.add(task)
    task.add_done_callback(_running.discard)
    return task
