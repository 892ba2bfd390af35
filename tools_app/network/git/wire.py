"""Packets of git's protocol: parse the updates that a push requests, and build answers that git prints. Pure
functions."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

FLUSH: Final = b"0000"
DELIMITER: Final = b"0001"
NO_COMMIT: Final = frozenset({"0" * 40, "0" * 64})
"""The id that stands for "nothing": before a ref is created, or after it was deleted."""
MAX_PACKET: Final = 65_520  # bytes, with the length
MAX_COMMANDS: Final = 1 << 20  # bytes of the list of updates
MAX_UPDATES: Final = 1_000
MAX_BAND: Final = 900  # bytes of a message in one packet; fits into the old side band too

_OBJECT_ID: Final = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})")
_REF: Final = re.compile(r"refs/[^\x00-\x20\x7f~^:?*\[\\]+")


class BadPush(ValueError):
    """The request is not a list of updates. The message says why, in words for people."""


class NeedMore(Exception):
    """More bytes are needed: a packet, or the list of ref updates in a push, is not complete yet."""


@dataclass(frozen=True, slots=True)
class RefUpdate:
    """One line of a push: a ref, and the ids of the objects that it points to before and after the push."""

    ref: str
    old: str
    new: str

    @property
    def creates(self) -> bool:
        return self.old in NO_COMMIT

    @property
    def deletes(self) -> bool:
        return self.new in NO_COMMIT

    @property
    def name(self) -> str:
        """The name that rules match and people see: a branch without `refs/heads/`, any other ref in full."""
        branch = self.ref.removeprefix("refs/heads/")
        return self.ref if branch.startswith("refs/") else branch


@dataclass(frozen=True, slots=True)
class PushRequest:
    """The updates of a push, the capabilities of the program, and the length of the list in bytes."""

    updates: tuple[RefUpdate, ...]
    capabilities: frozenset[str]
    length: int


def packet(text: str | bytes) -> bytes:
    """Return a packet of git's protocol with this content."""
    data = text.encode() if isinstance(text, str) else text
    return b"%04x" % (len(data) + 4) + data


def read_packet(data: bytes, at: int) -> tuple[bytes | None, int]:
    """Return the packet at a position, None for a flush or a delimiter, and the position after it.

    Raises NeedMore if the packet is not complete, and BadPush if the bytes are not a packet.
    """
    head = data[at : at + 4]
    if len(head) < 4:
        raise NeedMore
    try:
        length = int(head, 16) if head.strip(b"0123456789abcdefABCDEF") == b"" else -1
    except ValueError:
        length = -1
    if length < 3:
        if length < 0:
            raise BadPush("This is not git's protocol.")
        return None, at + 4
    if length == 3 or length > MAX_PACKET:
        raise BadPush("A packet of git's protocol has a length that is not allowed.")
    if len(data) < at + length:
        raise NeedMore
    return data[at + 4 : at + length], at + length


def read_push(data: bytes) -> PushRequest:
    """Return the updates at the beginning of a push. Raises NeedMore or BadPush."""
    updates: list[RefUpdate] = []
    capabilities: frozenset[str] = frozenset()
    at = 0
    while True:
        try:
            line, at = read_packet(data, at)
        except NeedMore:
            if len(data) > MAX_COMMANDS:
                raise BadPush("The push updates too many refs at once.") from None
            raise
        if line is None:
            return PushRequest(_distinct(updates), capabilities, at)
        command, _, extra = line.partition(b"\0")
        if extra:
            capabilities |= frozenset(extra.decode("utf-8", "replace").split())
        if not command.startswith(b"shallow "):
            updates.append(_update(command))


def _update(command: bytes) -> RefUpdate:
    if command.startswith(b"push-cert"):
        raise BadPush("Signed pushes (git push --signed) are not supported here. Push without a signature.")
    try:
        old, new, ref = command.decode("utf-8").removesuffix("\n").split(" ", 2)
    except ValueError:
        raise BadPush("A line of the push is not an update of a ref.") from None
    if not (_OBJECT_ID.fullmatch(old) and _OBJECT_ID.fullmatch(new)):
        raise BadPush("A line of the push names no commit.")
    if not is_ref(ref):
        raise BadPush("The push names a ref that is not allowed.")
    return RefUpdate(ref, old, new)


def is_ref(text: str) -> bool:
    """Return whether a text can be the full name of a ref."""
    return _REF.fullmatch(text) is not None and ".." not in text and len(text) <= 500


def _distinct(updates: Sequence[RefUpdate]) -> tuple[RefUpdate, ...]:
    if len(updates) > MAX_UPDATES:
        raise BadPush(f"A push may update at most {MAX_UPDATES:,} refs.")
    if len({update.ref for update in updates}) < len(updates):
        raise BadPush("The push updates a ref twice.")
    return tuple(updates)


def refused_push(push: PushRequest, reasons: Mapping[str, str], sentences: Sequence[str]) -> bytes:
    """Return the answer to a push that updates nothing. git prints the sentences after `remote:` and the reason of each
    ref. Refs without a reason were refused because of the other refs."""
    reports = bool(push.capabilities & {"report-status", "report-status-v2"})
    refused = (f"ng {each.ref} {reasons.get(each.ref, 'another ref was refused')}\n" for each in push.updates)
    report = b"".join([packet("unpack ok\n"), *map(packet, refused), FLUSH]) if reports else b""
    if not push.capabilities & {"side-band", "side-band-64k"}:
        return report
    told = b"".join(_band(2, f"{sentence}\n".encode()) for sentence in sentences)
    return told + _band(1, report) + FLUSH


def _band(number: int, data: bytes) -> bytes:
    pieces = (data[at : at + MAX_BAND] for at in range(0, len(data), MAX_BAND))
    return b"".join(packet(bytes([number]) + piece) for piece in pieces)


def error(sentence: str) -> bytes:
    """Return the packet that ends a request. git prints `remote error:` and the sentence."""
    return packet(f"ERR {sentence}")


def advertised_error(service: str, sentence: str) -> bytes:
    """Return an answer to the first request of a fetch or a push. git prints the sentence and ends."""
    return packet(f"# service={service}\n") + FLUSH + error(sentence)


def without_capabilities(line: bytes) -> bytes:
    """Change the capabilities in the first line of a server's ref announcement to those that the door can handle.

    Programs then send complete packs (`no-thin`) and no push certificates.
    """
    refs, separator, capabilities = line.removesuffix(b"\n").partition(b"\0")
    if not separator:
        return line
    kept = [each for each in capabilities.split() if not each.startswith(b"push-cert") and each != b"no-thin"]
    return refs + b"\0" + b" ".join([*kept, b"no-thin"]) + b"\n"


def packets(data: bytes) -> Iterator[bytes | None]:
    """Yield the complete git packets in `data`, leaving out an incomplete one at the end; None for a flush or a
    delimiter. Raises BadPush."""
    at = 0
    while at < len(data):
        try:
            line, at = read_packet(data, at)
        except NeedMore:
            return
        yield line
