"""Hostile archives, each with its allowed results, made with the standard library's tarfile."""

import gzip
import io
import tarfile
from collections.abc import AsyncIterator, Callable
from typing import Final

Member = tuple[tarfile.TarInfo, bytes]


def member(
    name: str, content: bytes = b"x", *, kind: bytes = tarfile.REGTYPE, link: str = "", mode: int = 0o644
) -> Member:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.mode = kind, link, mode
    info.size = len(content) if kind == tarfile.REGTYPE else 0
    return info, content


def packed(*members: Member) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", format=tarfile.PAX_FORMAT, compresslevel=1) as archive:
        for info, content in members:
            archive.addfile(info, io.BytesIO(content) if info.size else None)
    return buffer.getvalue()


async def in_pieces(data: bytes, size: int = 100_000) -> AsyncIterator[bytes]:
    for start in range(0, len(data), size):
        yield data[start : start + size]


GOOD: Final = member("workspace/good.txt", b"good")
LEFT_OUT: Final = {
    "an absolute name": [member("/workspace/evil")],
    "an absolute name elsewhere": [member("/tmp/evil")],
    "a name that climbs": [member("workspace/../evil")],
    "a name that climbs from the start": [member("../evil")],
    "a name that climbs at its end": [member("workspace/a/..")],
    "an empty part": [member("workspace//evil")],
    "a dot": [member("workspace/./evil")],
    "another root": [member("etc/evil")],
    "the root itself as a file": [member("workspace")],
    "the root itself as a link": [member("workspace", kind=tarfile.SYMTYPE, link="/tmp")],
    "a name that is too long": [member("workspace/" + "n" * 300)],
    "a path that is too long": [member("workspace/" + "d/" * 2500 + "evil")],
    "a hard link": [member("workspace/evil", kind=tarfile.LNKTYPE, link="/etc/passwd")],
    "a hard link to what is there": [member("workspace/evil", kind=tarfile.LNKTYPE, link="workspace/good.txt")],
    "a link to what is no name": [member("workspace/evil", kind=tarfile.SYMTYPE, link="\u00e9\0x")],
    "a device": [member("workspace/evil", kind=tarfile.CHRTYPE)],
    "a block device": [member("workspace/evil", kind=tarfile.BLKTYPE)],
    "a FIFO": [member("workspace/evil", kind=tarfile.FIFOTYPE)],
    "a contiguous file": [member("workspace/evil", kind=tarfile.CONTTYPE)],
    "a sparse file of GNU": [member("workspace/evil", kind=tarfile.GNUTYPE_SPARSE)],
    "a file below a file": [member("workspace/good.txt/evil")],
    "a folder in place of a file": [member("workspace/good.txt", kind=tarfile.DIRTYPE)],
    "a file in place of a folder": [member("workspace/d/x"), member("workspace/d")],
}
"""Members of archives, each with exactly one entry that must not be unpacked."""

LINKS: Final = {
    "an absolute link": ("/tmp", "door/evil"),
    "a link that climbs": ("../../tmp", "door/evil"),
    "a link inside": ("real", "door/evil"),
    "a link to the home": ("/home/agent", "door/evil"),
    "a link to itself": ("door", "door/evil"),
    "a link to /proc": ("/proc/self/cwd", "door/evil"),
}
"""Targets of a link in the archive, each with the name of a file behind the link."""


def behind(target: str, name: str) -> bytes:
    door = member("workspace/door", kind=tarfile.SYMTYPE, link=target)
    return packed(GOOD, door, member(f"workspace/{name}"))


def _spoilt(data: bytes, at: int) -> bytes:
    plain = bytearray(gzip.decompress(data))
    plain[at : at + 4] = b"\xff\xfe\xfd\xfc"
    return gzip.compress(bytes(plain), 1)


def _with_number(offset: int, text: bytes) -> bytes:
    block = bytearray(gzip.decompress(packed(GOOD))[:512])
    block[offset : offset + len(text)] = text
    block[148:156] = b"        "
    block[148:156] = b"%06o\0 " % sum(block)
    return gzip.compress(bytes(block) + bytes(2048))


NO_ARCHIVES: Final[dict[str, Callable[[], bytes]]] = {
    "nothing": lambda: b"",
    "text": lambda: b"hello" * 1000,
    "a gzip of text": lambda: gzip.compress(b"hello" * 1000),
    "a gzip that ends early": lambda: packed(GOOD)[:-9],
    "a gzip with a wrong checksum": lambda: packed(GOOD)[:-8] + b"\0\0\0\0" + packed(GOOD)[-4:],
    "a header that was changed": lambda: _spoilt(packed(GOOD), 3),
    "a negative size": lambda: _with_number(124, b"-0000000001\0"),
    "a binary size": lambda: _with_number(124, b"\x80" + b"\xff" * 11),
    "a size that is no number": lambda: _with_number(124, b"0x00000000f\0"),
    "a size without an end": lambda: _with_number(124, b"77777777777\0"),
    "long names without end": lambda: packed(member("workspace/" + "n" * 100_000)),
}
