"""read_target(): find out which request of git's HTTP protocol a path belongs to. A pure function."""

import re
from dataclasses import dataclass
from typing import Final, Literal

from sandbox.runner.door import LOOPBACK, PROXY_PORT

Service = Literal["git-upload-pack", "git-receive-pack"]

FETCH: Final[Service] = "git-upload-pack"
PUSH: Final[Service] = "git-receive-pack"
_SEGMENT: Final = r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}"
NAME: Final = rf"{_SEGMENT}(?:/{_SEGMENT}){{0,9}}"
_PATH: Final = re.compile(rf"/git/({NAME})\.git/(info/refs|git-upload-pack|git-receive-pack)")
USAGE: Final = "The door serves git requests of the project's own repository here, and nothing else."


class NoGitRequest(ValueError):
    """The path does not belong to git's HTTP protocol. The message says what is served; `status` is the HTTP status."""

    def __init__(self, message: str, status: int = 404) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class GitTarget:
    """A request of git. `name` is the name of the project's repository, or the full name of a submodule's repository.
    `announces`: it asks the server to announce its refs, before the fetch or the push itself."""

    name: str
    service: Service
    announces: bool

    @property
    def path(self) -> str:
        """The path after the repository's address, with the query."""
        return f"/info/refs?service={self.service}" if self.announces else f"/{self.service}"


def origin_of(name: str, port: int = PROXY_PORT) -> str:
    """Return the URL at which programs in a workspace reach a repository through the door."""
    return f"http://{LOOPBACK}:{port}/git/{name}.git"


def read_target(method: bytes, target: bytes) -> GitTarget:
    """Parse the path of an HTTP request from git. Raises NoGitRequest."""
    path, _, query = target.decode("latin-1").partition("?")
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
