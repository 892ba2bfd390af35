"""read_server_name(): the host that a TLS client asks for, so that it cannot ask for another one than it named before.

OpenSSL parses the client's first message; nothing of it is decrypted or changed.
"""

import ssl
from functools import cache
from typing import Any, Final

MAX_HELLO: Final = 1 << 16  # bytes


class NotTls(Exception):
    """The bytes do not begin a TLS connection."""


class Incomplete(Exception):
    """More bytes are needed."""


@cache
def _context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.sni_callback = _keep_name
    return context


def _keep_name(handshake: Any, name: str | None, _: ssl.SSLContext) -> int:
    """Store the name with the handshake and end it: the door never answers in place of the server."""
    handshake.context_names = [name]
    return int(ssl.ALERT_DESCRIPTION_HANDSHAKE_FAILURE)


def read_server_name(hello: bytes) -> str | None:
    """Return the server name in a TLS client's first message; None if it names none.

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
