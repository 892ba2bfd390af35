"""The wire format: two lengths (big-endian, 32 bits each), a JSON object, raw bytes. Both ends use this module.

JSON is ASCII-only, so names that are not UTF-8 survive as escaped surrogates. Nothing larger than the limits is sent
or accepted. The journal on disk is a sequence of the same frames.
"""

import json
import struct
from typing import Any, Final, Protocol

HEADER_LIMIT: Final = 1 << 20
BODY_LIMIT: Final = (32 << 20) + (1 << 20)
PREFIX: Final = struct.Struct(">II")
JOINED_BELOW: Final = 1 << 16

Header = dict[str, Any]


class Sender(Protocol):
    def sendall(self, data: bytes, /) -> None: ...


class Receiver(Protocol):
    def recv(self, size: int, /) -> bytes: ...


class FrameError(Exception):
    """What arrived is not a frame, or is one that is too large."""


def encode_head(header: Header, body_size: int = 0) -> bytes:
    """The frame up to its body, which the caller sends next."""
    text = to_json(header)
    check_sizes(len(text), body_size)
    return PREFIX.pack(len(text), body_size) + text


def to_json(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode("ascii")


def check_sizes(header_size: int, body_size: int) -> None:
    if header_size > HEADER_LIMIT or body_size > BODY_LIMIT:
        raise FrameError(f"A frame of {header_size} + {body_size} bytes is too large.")


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
    if len(body) < JOINED_BELOW:
        sock.sendall(head + body)
    else:
        sock.sendall(head)
        sock.sendall(body)


def receive(sock: Receiver) -> tuple[Header, bytes] | None:
    """The next frame, None when the other side closed between two frames."""
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
    """None when nothing at all arrived."""
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
