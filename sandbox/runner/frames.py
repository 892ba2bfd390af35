"""The wire format: two lengths (32 bits each, big-endian), a JSON object and raw bytes. Both ends use this module.

The JSON is ASCII only, so file names that are not UTF-8 survive as escaped surrogates. Frames above the limits are
neither sent nor accepted. The journal on disk is a sequence of the same frames.
"""

import json
import struct
from typing import Any, Final, Protocol

HEADER_LIMIT: Final = 1 << 20  # bytes
BODY_LIMIT: Final = (32 << 20) + (1 << 20)  # bytes
PREFIX: Final = struct.Struct(">II")  # the sizes of header and body
JOIN_BELOW_BYTES: Final = 1 << 16  # smaller bodies are sent in one call together with the header

Header = dict[str, Any]


class Sender(Protocol):
    def sendall(self, data: bytes, /) -> None: ...


class Receiver(Protocol):
    def recv(self, size: int, /) -> bytes: ...


class FrameError(Exception):
    """The received bytes are not a valid frame, or the frame is too large."""


def encode_head(header: Header, body_size: int = 0) -> bytes:
    """Return the frame without its body, which the caller sends next. Raises FrameError if it is too large."""
    text = to_json(header)
    check_sizes(len(text), body_size)
    return PREFIX.pack(len(text), body_size) + text


def to_json(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode("ascii")


def check_sizes(header_size: int, body_size: int) -> None:
    if header_size > HEADER_LIMIT or body_size > BODY_LIMIT:
        raise FrameError(
            f"A frame of {header_size} + {body_size} bytes is too large; the limit is {HEADER_LIMIT} + {BODY_LIMIT}."
        )


def decode_header(text: bytes) -> Header:
    try:
        header = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FrameError("A frame's header is not JSON.") from error
    if not isinstance(header, dict):
        raise FrameError("A frame's header is not a JSON object.")
    return header


def send(sock: Sender, header: Header, body: bytes = b"") -> None:
    head = encode_head(header, len(body))
    if len(body) < JOIN_BELOW_BYTES:
        sock.sendall(head + body)
    else:
        sock.sendall(head)
        sock.sendall(body)


def receive(sock: Receiver) -> tuple[Header, bytes] | None:
    """Return the next frame. None if the peer closed the connection between two frames."""
    prefix = _receive_exactly(sock, PREFIX.size)
    if prefix is None:
        return None
    header_size, body_size = PREFIX.unpack(prefix)
    check_sizes(header_size, body_size)
    text = _receive_exactly(sock, header_size)
    body = _receive_exactly(sock, body_size) if body_size else b""
    if text is None or body is None:
        raise FrameError("The other side closed in the middle of a frame.")
    return decode_header(text), body


def _receive_exactly(sock: Receiver, size: int) -> bytes | None:
    """Return exactly `size` bytes. None if the peer closed the connection before the first one."""
    first = sock.recv(min(size, 1 << 18))
    if len(first) == size or not first:
        return first or None
    buffer = bytearray(first)
    while len(buffer) < size:
        chunk = sock.recv(min(size - len(buffer), 1 << 18))
        if not chunk:
            raise FrameError("The other side closed in the middle of a frame.")
        buffer += chunk
    return bytes(buffer)
