"""SigningDesk: signs the commits and tags of one workspace with a key that no workspace has.

Nothing else is signed: the bytes must be a commit or a tag of git whose committer or tagger is the team's agent.
"""

import re
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Final

import structlog
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tools_app.network.git.ssh_keys import ssh_signature

PATH: Final = b"/git/signature"
MAX_OBJECT: Final = 1 << 20  # bytes of a commit or tag
BURST: Final = 300  # signatures at once: a rebase signs each of its commits
PER_SECOND: Final = 2.0
NO_OBJECT: Final = "Only commits and tags of git are signed, of up to 1 MiB."
OTHER: Final = (
    "Only commits and tags of {wanted} are signed, and this one is of {given}. Leave GIT_COMMITTER_* unchanged."
)
TOO_MANY: Final = "Too many commits were signed at once. Try again in a minute."

_ID: Final = rb"(?:[0-9a-f]{40}|[0-9a-f]{64})"
_COMMIT: Final = re.compile(rb"tree " + _ID + rb"\n(?:parent " + _ID + rb"\n)*author [^\n\0]+\ncommitter ([^\n\0]+)\n")
_TAG: Final = re.compile(rb"object " + _ID + rb"\ntype [a-z]+\ntag [^\n\0]+\ntagger ([^\n\0]+)\n")
_WHO: Final = re.compile(r"(.*?) ?<([^<>]*)> \d{1,12} [+-]\d{4}")

logger = structlog.get_logger(__name__)


class NotSigned(Exception):
    """The request to sign bytes of git is refused. The message is for people, `status` is the HTTP status for
    programs."""

    def __init__(self, message: str, status: int = 403) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class Signer:
    """The identity that a workspace's commits have, and the key that signs them."""

    name: str
    email: str
    key: Ed25519PrivateKey = field(repr=False)

    def sign(self, payload: bytes) -> bytes:
        """Return the signature of a commit or tag. Raises NotSigned."""
        found = identity_of(payload)
        if found is None:
            raise NotSigned(NO_OBJECT, 400)
        if found != (self.name, self.email):
            raise NotSigned(OTHER.format(wanted=f"{self.name} <{self.email}>", given="{} <{}>".format(*found)))
        return ssh_signature(self.key, payload)


def identity_of(payload: bytes) -> tuple[str, str] | None:
    """Return the name and e-mail address of a commit's committer or a tag's tagger; None for any other object."""
    if len(payload) > MAX_OBJECT or b"\0" in payload:
        return None
    head = payload.partition(b"\n\n")[0] + b"\n"
    found = _COMMIT.match(head) or _TAG.match(head)
    who = _WHO.fullmatch(found[1].decode("utf-8", "replace")) if found else None
    return (who[1], who[2]) if who else None


class Allowance:
    """The rate limit for signatures of a workspace: `BURST` at once, and `PER_SECOND` more each second."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._left = float(BURST)
        self._at = clock()

    def take(self) -> None:
        """Use up one signature of the rate limit. Raises NotSigned if none is left."""
        now = self._clock()
        self._left = min(BURST, self._left + (now - self._at) * PER_SECOND)
        self._at = now
        if self._left < 1:
            raise NotSigned(TOO_MANY, 429)
        self._left -= 1


async def read_object(body: AsyncIterator[bytes]) -> bytes:
    """Return the bytes to sign, read from the body of a request. Raises NotSigned if they are too many."""
    held = b""
    async for data in body:
        held += data
        if len(held) > MAX_OBJECT:
            raise NotSigned(NO_OBJECT, 413)
    return held
