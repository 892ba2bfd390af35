"""read_server_name(): read the host name that a TLS client asks for.

The door can then refuse a host other than the host in the CONNECT request. OpenSSL parses the client's first message;
nothing is decrypted or changed.
"""

import asyncio
import ssl
from functools import cache
from typing import Any, Final

from tools_app.network.relay import CHUNK
from tools_app.web.address import WebAddress

GREETING_TIMEOUT: Final = 30.0  # seconds until the greeting must be complete
MAX_HELLO: Final = 1 << 16  # bytes


class NotTls(Exception):
    """The bytes are not the beginning of a TLS connection."""


class Incomplete(Exception):
    """The first TLS message of the client (ClientHello) is not complete: more bytes are needed."""


@cache
def _context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.sni_callback = _keep_name
    return context


def _keep_name(handshake: Any, name: str | None, _: ssl.SSLContext) -> int:
    """Store the server name and abort the handshake, because the door only reads the name and never answers itself."""
    handshake.context_names = [name]
    return int(ssl.ALERT_DESCRIPTION_HANDSHAKE_FAILURE)


def read_server_name(hello: bytes) -> str | None:
    """Return the server name in a TLS client's first message; None if the message contains no server name.

    Raises Incomplete if more bytes are needed, and NotTls for anything else.
    """
    received, unsent = ssl.MemoryBIO(), ssl.MemoryBIO()
    received.write(hello)
    handshake: Any = _context().wrap_bio(received, unsent, server_side=True)
    try:
        handshake.do_handshake()
    except ssl.SSLWantReadError:
        if len(hello) >= MAX_HELLO:
            raise NotTls from None
        raise Incomplete from None
    except ssl.SSLError:
        pass
    if (names := getattr(handshake, "context_names", None)) is None:
        raise NotTls
    found: str | None = names[0]
    return found


async def read_greeting(reader: asyncio.StreamReader, first: bytes, address: WebAddress) -> bytes:
    """Read the client's TLS greeting and return its bytes. Raises OSError if the bytes are not a TLS greeting, or if it
    names another host than the address. A greeting without a name is only accepted for an IP address."""
    async with asyncio.timeout(GREETING_TIMEOUT):
        while True:
            try:
                name = read_server_name(first)
            except Incomplete:
                chunk = await reader.read(CHUNK)
                if not chunk:
                    raise ConnectionAbortedError("The client closed before its greeting was complete.") from None
                first += chunk
            except NotTls:
                raise ConnectionAbortedError("Only TLS passes through a tunnel.") from None
            else:
                break
    asked = name.lower().removesuffix(".") if name is not None else None
    if asked != (address.host if address.ip is None else None):
        raise ConnectionAbortedError("The TLS greeting does not ask for the host of the CONNECT request.")
    return first
