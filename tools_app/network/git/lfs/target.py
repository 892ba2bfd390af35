"""read_lfs_target(): find out which request of Git LFS a path belongs to. A pure function."""

import re
from dataclasses import dataclass
from typing import Final, Literal
from urllib.parse import parse_qs, quote

from sandbox.runner.door import PROXY_PORT
from tools_app.network.git.target import NAME, NoGitRequest, origin_of

Operation = Literal["download", "upload"]
Kind = Literal["batch", "locks", "download", "upload", "verify"]

MARK: Final = b".git/info/lfs"
BATCH_PATH: Final = "/info/lfs/objects/batch"
LOCKS_PATH: Final = "/info/lfs/locks/verify"
_PATH: Final = re.compile(
    rf"/git/({NAME})\.git/info/lfs/(objects/batch|locks/verify|objects/([0-9a-f]{{64}})(/verify)?)"
)
_HOST: Final = re.compile(rb"127\.0\.0\.1:(\d{1,5})")
_SIZE: Final = re.compile(r"\d{1,15}")
USAGE: Final = "The door serves batch requests and objects of Git LFS here, and nothing else."
NO_LOCKS: Final = (
    "Locks of files in Git LFS are respected, and neither made nor removed here: lock and unlock files outside of "
    "agentsite."
)


@dataclass(frozen=True, slots=True)
class LfsTarget:
    """A request of Git LFS. `name` is the name of the repository.

    `oid`, `size` and `ref` (the ref that is pushed to) are only set for a transfer.
    """

    name: str
    kind: Kind
    oid: str = ""
    size: int = 0
    ref: str = ""

    @property
    def operation(self) -> Operation:
        return "download" if self.kind == "download" else "upload"


def is_lfs(target: bytes) -> bool:
    """Return whether the target of an HTTP request belongs to Git LFS."""
    return MARK in target.partition(b"?")[0]


def read_lfs_target(method: bytes, target: bytes) -> LfsTarget:
    """Parse the path of a Git LFS request. Raises NoGitRequest."""
    path, _, query = target.decode("latin-1").partition("?")
    found = _PATH.fullmatch(path)
    if found is None:
        raise NoGitRequest(*((NO_LOCKS, 403) if "/info/lfs/locks" in path else (USAGE,)))
    name, what, oid, verifies = found.groups()
    if oid is None:
        if method != b"POST":
            raise NoGitRequest(USAGE, 405)
        return LfsTarget(name, "batch" if what == "objects/batch" else "locks")
    kinds: dict[tuple[bytes, bool], Kind] = {
        (b"GET", False): "download", (b"PUT", False): "upload", (b"POST", True): "verify",
    }  # fmt: skip
    kind = kinds.get((method, bool(verifies)))
    if kind is None:
        raise NoGitRequest(USAGE, 405)
    given = parse_qs(query)
    size = given.get("size", [""])[0]
    if not _SIZE.fullmatch(size):
        raise NoGitRequest(USAGE)
    return LfsTarget(name, kind, oid, int(size), given.get("ref", [""])[0])


def port_of(host: bytes) -> int:
    """Return the port in a request's Host header, at which the program reaches the door."""
    found = _HOST.fullmatch(host)
    return int(found[1]) if found else PROXY_PORT


def transfer_address(name: str, kind: Kind, oid: str, size: int, ref: str, *, port: int = PROXY_PORT) -> str:
    """Return the address inside a workspace where an object is transferred."""
    query = f"?size={size}" + (f"&ref={quote(ref, safe='')}" if ref else "")
    return f"{origin_of(name, port)}/info/lfs/objects/{oid}{'/verify' if kind == 'verify' else ''}{query}"
