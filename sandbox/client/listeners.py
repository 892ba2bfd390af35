"""Client side of the ports that programs of a workspace listen on."""

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from sandbox.client import answers
from sandbox.client.answers import Fields
from sandbox.client.process import RunnerProcess
from sandbox.client.transport import Carrier
from sandbox.errors import NotFound, ProtocolError
from sandbox.listeners import ListeningPort, PortConnection
from sandbox.runner.port_links import PIECE_LIMIT

CONNECT_TIMEOUT: Final = 10.0  # seconds; the runner gives up earlier
MAX_PORT: Final = 65_535


class PortRequests:
    """The methods of `RunnerRuntime` for the ports that programs of a workspace listen on."""

    _carrier: Carrier

    async def _request(
        self, operation: str, body: bytes = b"", *, answer_timeout: float = 30.0, **arguments: Any
    ) -> tuple[Fields, bytes]:
        raise NotImplementedError

    async def listening_ports(self) -> Sequence[ListeningPort]:
        _, body = await self._request("port_list")
        return [_to_port(item) for item in answers.decode_list(body)]

    async def connect_port(self, port: int) -> PortConnection:
        channel = await self._carrier.open()  # without starting a sandbox that does not run
        try:
            await channel.send({"op": "port_connect", "port": port})
            async with asyncio.timeout(CONNECT_TIMEOUT):
                header, _ = await channel.receive()
            answers.raise_error(Fields(header))
        except TimeoutError as error:
            channel.close()
            raise NotFound(f"The program on port {port} does not accept connections.") from error
        except BaseException:
            channel.close()
            raise
        return RunnerProcess(channel, piece_bytes=PIECE_LIMIT)


def _to_port(answer: Fields) -> ListeningPort:
    port, family = answer.integer("port"), answer.integer("family")
    if not 1 <= port <= MAX_PORT or family not in (4, 6):
        raise ProtocolError("The sandbox's runner sent an impossible port.")
    return ListeningPort(port, family)
