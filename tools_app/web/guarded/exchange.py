"""HTTP requests over an open connection, with limits for everything that a server can make large or slow."""

import http.client
import socket
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

from tools_app.web.address import WebAddress
from tools_app.web.guarded.connect import FetchFailed

READ_TIMEOUT: Final = 30.0  # seconds without data; the order limits the time for the whole exchange
CHUNK_BYTES: Final = 65_536
REDIRECTS: Final = (301, 302, 303, 307, 308)
AGENT: Final = "Mozilla/5.0 (compatible; agentsite-webfetch)"
ACCEPTED: Final = {
    "markdown": "text/markdown;q=1.0, text/html;q=0.9, text/plain;q=0.8, image/*;q=0.7, */*;q=0.1",
    "text": "text/plain;q=1.0, text/markdown;q=0.9, text/html;q=0.8, image/*;q=0.7, */*;q=0.1",
    "html": "text/html;q=1.0, application/xhtml+xml;q=0.9, text/plain;q=0.8, image/*;q=0.7, */*;q=0.1",
}

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PageResponse:
    """The response to a GET request. `body` is decompressed. Only redirects have a `location`; they have no body."""

    status: int
    reason: str
    media_type: str = ""
    charset: str = ""
    body: bytes = b""
    location: str = ""


def exchange(
    method: str,
    address: WebAddress,
    connection: socket.socket,
    read: Callable[[http.client.HTTPResponse], T],
    *,
    headers: Mapping[str, str],
    timeout: float,
    body: bytes | None = None,
) -> T:
    """Send one request over `connection`, return the result of `read`, and close the connection.

    `timeout` is in seconds and applies to each socket operation. A `Host` header is added to `headers`. Raises
    FetchFailed if the connection breaks off, the server sends nothing in time, or the response is not valid HTTP.
    """
    connection.settimeout(timeout)
    client = http.client.HTTPConnection(address.host, address.port)
    client.sock, client.auto_open = connection, 0
    try:
        client.request(
            method,
            address.target,
            body=body,
            headers={"Host": address.authority, **headers},
        )
        with client.getresponse() as response:
            return read(response)
    except (http.client.HTTPException, ValueError) as error:
        raise FetchFailed(f"{address.origin} did not answer in proper HTTP ({type(error).__name__}).") from error
    except TimeoutError as error:
        raise FetchFailed(f"{address.origin} stopped answering.") from error
    except OSError as error:
        raise FetchFailed(f"The connection to {address.origin} broke off ({error.strerror or error}).") from error
    finally:
        client.close()


def get(address: WebAddress, connection: socket.socket, *, wanted: str, limit: int) -> PageResponse:
    """Send a GET request and return the answer. `limit` is in bytes of the body, both compressed and decompressed.

    Raises FetchFailed.
    """
    headers = {
        "User-Agent": AGENT,
        "Accept": ACCEPTED[wanted],
        "Accept-Encoding": "gzip, deflate",
        "Accept-Language": "en-US,en;q=0.9",
        "Connection": "close",
    }

    def read(response: http.client.HTTPResponse) -> PageResponse:
        return _answer(response, limit)

    return exchange("GET", address, connection, read, headers=headers, timeout=READ_TIMEOUT)


def _answer(response: http.client.HTTPResponse, limit: int) -> PageResponse:
    status, reason = response.status, _printable(response.reason)[:100]
    if status in REDIRECTS and (location := response.headers.get("Location")):
        return PageResponse(status, reason, location=location)
    if not 200 <= status < 300:
        return PageResponse(status, reason)
    body = _decompressed(_body(response, limit), response.headers.get("Content-Encoding", ""), limit)
    media_type = response.headers.get_content_type() if response.headers.get("Content-Type") else ""
    charset = response.headers.get_content_charset() or ""
    return PageResponse(status, reason, _printable(media_type)[:100], charset[:40], body)


def _body(response: http.client.HTTPResponse, limit: int) -> bytes:
    if response.length is not None and response.length > limit:
        raise _too_large(limit)
    pieces, size = [], 0
    while piece := response.read(CHUNK_BYTES):
        pieces.append(piece)
        size += len(piece)
        if size > limit:
            raise _too_large(limit)
    if response.length:
        raise FetchFailed("The answer broke off before its end.")
    return b"".join(pieces)


def _decompressed(body: bytes, encoding: str, limit: int) -> bytes:
    """Decompress the body of a response. Never holds more than `limit` bytes, however far a small body would expand."""
    name = encoding.strip().lower()
    if name in ("", "identity") or not body:
        return body
    if name not in ("gzip", "x-gzip", "deflate"):
        raise FetchFailed(f"The answer uses a compression that was not asked for ({_printable(name)[:40]!r}).")
    try:
        return _inflated(body, _window(body, name), limit)
    except zlib.error as error:
        raise FetchFailed("The answer is damaged: it cannot be decompressed.") from error


def _window(body: bytes, name: str) -> int:
    """Return the argument `wbits` with which zlib decompresses the body. Some servers send "deflate" with a zlib
    header, others without."""
    bare = name == "deflate" and (body[0] & 0x0F != 8 or int.from_bytes(body[:2], "big") % 31)
    return -zlib.MAX_WBITS if bare else zlib.MAX_WBITS | 32


def _inflated(body: bytes, window: int, limit: int) -> bytes:
    pieces, size = [], 0
    while body:
        stream = zlib.decompressobj(window)
        pieces.append(stream.decompress(body, limit + 1 - size))
        size += len(pieces[-1])
        if size > limit:
            raise _too_large(limit)
        if not stream.eof:
            raise FetchFailed("The answer broke off before its end.")
        body = stream.unused_data.lstrip(b"\0")
    return b"".join(pieces)


def _too_large(limit: int) -> FetchFailed:
    return FetchFailed(f"The answer is larger than {limit / (1 << 20):g} MiB.")


def _printable(text: str) -> str:
    return "".join(char for char in text if char.isprintable())
