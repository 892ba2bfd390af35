"""Create small real pictures and documents."""

import struct
import zlib


def png(width: int = 3, height: int = 2) -> bytes:
    """Return a complete black picture that any decoder accepts."""
    rows = (b"\0" + bytes(width * 3)) * height
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(rows)) + _chunk(b"IEND", b"")


def gif(width: int = 3, height: int = 2) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\x80\0\0" + bytes(6) + b"\x3b"


def jpeg(width: int = 3, height: int = 2, *, before: bytes = b"") -> bytes:
    """Return the beginning of a JPEG up to its frame header, with the segments `before` in front of it."""
    frame = struct.pack(">HBHHB", 17, 8, height, width, 3) + bytes(9)
    return b"\xff\xd8" + _segment(0xE0, b"JFIF\0" + bytes(9)) + before + b"\xff\xc0" + frame + b"\xff\xd9"


def camera_data(preview: bytes) -> bytes:
    """Return a segment of a JPEG that contains a small preview JPEG, as cameras write it."""
    return _segment(0xE1, b"Exif\0\0" + preview)


def webp_lossy(width: int = 3, height: int = 2) -> bytes:
    return _riff(b"VP8 ", b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", width, height) + bytes(8))


def webp_lossless(width: int = 3, height: int = 2) -> bytes:
    return _riff(b"VP8L", b"\x2f" + struct.pack("<I", (width - 1) | (height - 1) << 14) + bytes(8))


def webp_extended(width: int = 3, height: int = 2) -> bytes:
    sizes = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return _riff(b"VP8X", bytes(4) + sizes)


def pdf(words: bytes = b"") -> bytes:
    return b"%PDF-1.4\n%" + words + b"\ntrailer <</Root 1 0 R>>\n%%EOF\n"


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _segment(marker: int, data: bytes) -> bytes:
    return bytes((0xFF, marker)) + struct.pack(">H", len(data) + 2) + data


def _riff(form: bytes, data: bytes) -> bytes:
    chunk = form + struct.pack("<I", len(data)) + data
    return b"RIFF" + struct.pack("<I", len(chunk) + 4) + b"WEBP" + chunk
