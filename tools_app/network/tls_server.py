"""TlsServer: the server's end of TLS on a connection whose first bytes have already been read."""

import asyncio
import ssl
from contextlib import suppress

from tools_app.network.relay import CHUNK


class TlsServer:
    """The server's end of TLS. It has the methods of a stream's reader and writer that the proxy uses.

    `received` are the bytes that have already been read from the connection.
    """

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, context: ssl.SSLContext, received: bytes
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_side=True)
        self._incoming.write(received)

    async def handshake(self) -> None:
        """Agree on keys with the program. Raises OSError if it does not accept the certificate."""
        while True:
            try:
                self._tls.do_handshake()
            except ssl.SSLWantReadError:
                await self._flush()
                await self._receive()
            except ssl.SSLError:
                await self._flush()  # the alert that says why
                raise
            else:
                await self._flush()
                return

    async def read(self, count: int) -> bytes:
        """Return the bytes that the program sent; b"" at the end."""
        while True:
            try:
                found = self._tls.read(count)
            except ssl.SSLWantReadError:
                await self._flush()
                await self._receive()
            except (ssl.SSLZeroReturnError, ssl.SSLEOFError):
                return b""
            else:
                return found

    def write(self, data: bytes) -> None:
        self._tls.write(data)
        self._writer.write(self._outgoing.read())

    async def drain(self) -> None:
        await self._writer.drain()

    async def close(self) -> None:
        """Send TLS's close_notify to the program, which says that no more data follows."""
        with suppress(ssl.SSLError, ValueError):  # the program has not ended TLS yet, or is gone
            self._tls.unwrap()
        await self._flush()

    async def _flush(self) -> None:
        if self._outgoing.pending:
            self._writer.write(self._outgoing.read())
            await self._writer.drain()

    async def _receive(self) -> None:
        received = await self._reader.read(CHUNK)
        if received:
            self._incoming.write(received)
        else:
            self._incoming.write_eof()
