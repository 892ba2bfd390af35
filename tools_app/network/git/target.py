"""read_target(): which of git's requests a path is. A pure function."""

import re
from dataclasses import dataclass
from typing import Final, Literal

from sandbox.runner.door import LOOPBACK, PROXY_PORT

Service = Literal["git-upload-pack", "git-receive-pack"]

FETCH: Final[Service] = "git-upload-pack"
PUSH: Final[Service] = "git-receive-pack"
_PATH: Final = re.compile(r"/git/([A-Za-z0-9][A-Za-z0-9._-]{0,99})\.git/(info/refs|git-upload-pack|git-receive-pack)")
USAGE: Final = "The door serves git requests of the project's own repository here, and nothing else."
LFS: Final = (
    "Git LFS is not available: files that the repository keeps in LFS stay pointers (small text files) in workspaces."
)


class NoGitRequest(ValueError):
    """The path is none of git's. The message says what is served, and `status` is the answer's."""

    def __init__(self, message: str, status: int = 404) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class GitTarget:
    """A request of git. `announces`: the server is to announce its refs, before the fetch or the push itself."""

    name: str
    service: Service
    announces: bool

    @property
    def path(self) -> str:
        """The path behind the repository's address, with the query."""
        return f"/info/refs?service={self.service}" if self.announces else f"/{self.service}"


def origin_of(name: str, port: int = PROXY_PORT) -> str:
    """Return the address of a repository inside a workspace."""
    return f"http://{LOOPBACK}:{port}/git/{name}.git"


def read_target(method: bytes, target: bytes) -> GitTarget:
    """Return what a request asks for. Raises NoGitRequest."""
    path, _, query = target.decode("latin-1").partition("?")
    if "/info/lfs" in path:
        raise NoGitRequest(LFS, 403)
    found = _PATH.fullmatch(path)
    if found is None:
        raise NoGitRequest(USAGE)
    name, kind = found.groups()
    if kind != "info/refs":
        if method != b"POST" or query:
            raise NoGitRequest(USAGE, 405)
        return GitTarget(name, FETCH if kind == FETCH else PUSH, announces=False)
    services: dict[str, Service] = {f"service={FETCH}": FETCH, f"service={PUSH}": PUSH}
    if query not in services:  # the old protocol reads files of the repository
        raise NoGitRequest("Only git's smart protocol is served here.", 403)
    if method != b"GET":
        raise NoGitRequest(USAGE, 405)
    return GitTarget(name, services[query], announces=True)
