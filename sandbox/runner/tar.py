"""Read and write the tar format, as far as workspace archives need it: files, directories, links, names of any length.

Python's `tarfile` is not used because it opens files itself. Archives that are read are untrusted: everything is
bounded, and entries of any other kind are reported as "other" and never interpreted.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final, Literal, NamedTuple

from .errors import REFUSED, Refusal

BLOCK: Final = 512  # bytes
END: Final = bytes(2 * BLOCK)
MAX_NAME_BYTES: Final = 100  # in a header; longer names are written as a pax record
MAX_OCTAL: Final = 8**11 - 1  # the largest number in a header
PAX_LIMIT: Final = 64 << 10  # bytes of a pax header
CHUNK: Final = 1 << 18  # bytes read at a time

Kind = Literal["file", "directory", "symlink", "other"]
FLAGS: Final[Mapping[Kind, bytes]] = {"file": b"0", "directory": b"5", "symlink": b"2"}
KINDS: Final[Mapping[bytes, Kind]] = {b"0": "file", b"\0": "file", b"5": "directory", b"2": "symlink"}
PAX: Final = b"x"  # the type flag of a header with a long name or a large size for the next entry


class Entry(NamedTuple):
    """One entry of an archive.

    `name` is relative, without a trailing slash; `modified` is in seconds; `target` is the target of a link.
    """

    name: str
    kind: Kind
    mode: int
    size: int
    modified: int
    target: str = ""


def encode(entry: Entry) -> bytes:
    """Return the header blocks of an entry, which precede its content."""
    name, target = entry.name.encode("utf-8", "surrogateescape"), entry.target.encode("utf-8", "surrogateescape")
    name += b"/" if entry.kind == "directory" else b""
    long = {
        key: value
        for key, value, fits in (
            (b"path", name, len(name) <= MAX_NAME_BYTES),
            (b"linkpath", target, len(target) <= MAX_NAME_BYTES),
            (b"size", str(entry.size).encode(), entry.size <= MAX_OCTAL),
        )
        if not fits
    }
    size = min(entry.size, MAX_OCTAL)
    modified = min(max(entry.modified, 0), MAX_OCTAL)
    head = _header(name, FLAGS[entry.kind], entry.mode & 0o777, size, modified=modified, target=target)
    return (_pax(long) if long else b"") + head


def padding(size: int) -> bytes:
    """Return the zero bytes that fill the last block of a content of this size."""
    return bytes(-size % BLOCK)


def _pax(values: Mapping[bytes, bytes]) -> bytes:
    body = b"".join(_pax_record(key, value) for key, value in values.items())
    return _header(b"././@PaxHeader", PAX, 0o644, len(body)) + body + padding(len(body))


def _pax_record(key: bytes, value: bytes) -> bytes:
    """Return a pax record. It begins with its own length, which includes the digits of the length."""
    rest = b" " + key + b"=" + value + b"\n"
    size = len(rest) + 1
    while len(str(size)) + len(rest) != size:
        size += 1
    return str(size).encode() + rest


def _header(name: bytes, flag: bytes, mode: int, size: int, *, modified: int = 0, target: bytes = b"") -> bytes:
    def octal(value: int, width: int) -> bytes:
        return b"%0*o\0" % (width - 1, value)

    parts = [
        name[:MAX_NAME_BYTES].ljust(100, b"\0"), octal(mode, 8), octal(1000, 8), octal(1000, 8), octal(size, 12),
        octal(modified, 12), b" " * 8, flag, target[:MAX_NAME_BYTES].ljust(100, b"\0"), b"ustar\x0000",
    ]  # fmt: skip
    block = b"".join(parts).ljust(BLOCK, b"\0")
    return block[:148] + b"%06o\0 " % sum(block) + block[156:]


class Reader:
    """An iterator over the entries of an archive, in order.

    `read(size)` returns exactly that many bytes of the archive, or raises Refusal.
    """

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read = read
        self._left = 0
        self._padding = 0

    def next(self) -> Entry | None:
        """Return the next entry, None at the end. The rest of the previous entry's content is skipped."""
        for _ in self.content():
            pass
        long: dict[str, bytes] = {}
        while True:
            block = self._read(BLOCK)
            if not any(block):
                return None
            flag, size = _checked(block), _number(block[124:136])
            if flag != PAX:
                return self._begin(block, flag, size, long)
            if size > PAX_LIMIT:
                raise malformed("a name that is too long")
            long = _records(self._read(size + len(padding(size)))[:size])

    def content(self) -> Iterator[bytes]:
        """Yield the content of the current entry in pieces."""
        while self._left:
            piece = self._read(min(self._left, CHUNK))
            self._left -= len(piece)
            yield piece
        if self._padding:
            self._read(self._padding)
            self._padding = 0

    def _begin(self, block: bytes, flag: bytes, size: int, long: Mapping[str, bytes]) -> Entry:
        if "size" in long:
            size = _number(long["size"], base=10)
        kind = KINDS.get(flag, "other")
        self._left, self._padding = size, len(padding(size))
        name = long.get("path", _joined(block)).decode("utf-8", "surrogateescape")
        target = long.get("linkpath", _text(block[157:257])).decode("utf-8", "surrogateescape")
        name = name.removesuffix("/") if kind == "directory" else name
        return Entry(name, kind, _number(block[100:108]), size, _number(block[136:148]), target)


def _checked(block: bytes) -> bytes:
    """Verify a header's checksum and magic, and return its type flag."""
    expected = sum(block[:148]) + 8 * 32 + sum(block[156:])
    if _number(block[148:156]) != expected or block[257:262] != b"ustar":
        raise malformed("an invalid header")
    return block[156:157]


def _joined(block: bytes) -> bytes:
    name, prefix = _text(block[:100]), _text(block[345:500])
    return prefix + b"/" + name if prefix and block[257:263] == b"ustar\0" else name


def _text(field: bytes) -> bytes:
    return field.partition(b"\0")[0]


def _number(field: bytes, *, base: int = 8) -> int:
    digits = field.strip(b"\0 ")
    if not digits.isdigit():
        raise malformed("an invalid number in a header")
    try:
        return int(digits[:20], base)
    except ValueError:
        raise malformed("an invalid number in a header") from None


def _records(body: bytes) -> dict[str, bytes]:
    """Parse the body of a pax header into its records. Raises Refusal if a record is invalid."""
    found: dict[str, bytes] = {}
    while body:
        digits, space, _ = body.partition(b" ")
        size = int(digits) if space and digits.isdigit() and len(digits) < 8 else 0
        record, body = body[len(digits) + 1 : size], body[size:]
        key, equals, value = record.removesuffix(b"\n").partition(b"=")
        if not equals:
            raise malformed("an invalid pax record")
        found[key.decode("ascii", "replace")] = value
    return found


def malformed(what: str) -> Refusal:
    """Return the refusal of an invalid archive. `what` completes the sentence "it has ..."."""
    return Refusal(REFUSED, f"This is not a valid workspace archive: it has {what}.")
