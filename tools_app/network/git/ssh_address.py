"""parse_ssh(): addresses of repositories and servers that are reached by ssh. Pure functions."""

import re
from dataclasses import dataclass
from typing import Final

from tools_app.web.address import DEFAULT_PORTS, BadAddress, WebAddress, parse_address

SCHEME: Final = "ssh://"
USAGE: Final = (
    "The address must look like git@git.example.org:team/shop.git or ssh://git@git.example.org:2222/team/shop.git."
)
_SCP: Final = re.compile(r"(?:([A-Za-z0-9._-]+)@)?([^/:@\[\]]+|\[[0-9a-fA-F:.]+\]):(?!//)(.*)")
_URL: Final = re.compile(r"ssh://(?:([A-Za-z0-9._-]+)@)?([^/@]+)(/.*)?")
_SEGMENT: Final = re.compile(r"[A-Za-z0-9_~][A-Za-z0-9_.~+-]*|\.[A-Za-z0-9_][A-Za-z0-9_.~+-]*")


@dataclass(frozen=True, slots=True)
class SshPlace:
    """A user at a server, and the path of a repository as the server gets it; "" for the server alone."""

    user: str
    host: WebAddress
    path: str = ""

    def __str__(self) -> str:
        """Return the text that is stored for an address. A path that does not begin with a slash is relative to the
        user's home."""
        return f"{SCHEME}{self.user}@{self.host.authority}" + (f"/{self.path}" if self.path else "")


def is_ssh(text: str) -> bool:
    """Return whether a text looks like an address of ssh."""
    return text.strip().startswith(SCHEME) or ("://" not in text and _SCP.fullmatch(text.strip()) is not None)


def parse_ssh(text: str) -> SshPlace:
    """Parse `user@host:path`, `ssh://user@host[:port]/path`, or either without a path. Raises BadAddress."""
    text = text.strip()
    if found := _URL.fullmatch(text):
        user, host, path = found[1], found[2], (found[3] or "")
    elif found := _SCP.fullmatch(text):
        user, host, path = found[1], found[2], found[3]
    elif "/" not in text and "@" in text:
        user, _, host = text.rpartition("@")
        path = ""
    else:
        raise BadAddress(USAGE)
    return SshPlace(user or "git", _host(host), check_path(path))


def stored_place(text: str) -> SshPlace:
    """Parse the text that `str()` of an address returned. The path is relative unless it begins with a second slash."""
    found = _URL.fullmatch(text)
    if found is None:
        raise BadAddress(USAGE)
    return SshPlace(found[1] or "git", _host(found[2]), (found[3] or "/")[1:])


def check_path(path: str) -> str:
    """Return the path of a repository without unneeded slashes. Raises BadAddress."""
    segments = [each for each in path.split("/") if each]
    if not all(map(_SEGMENT.fullmatch, segments)) or len(path) > 300:
        raise BadAddress("The path of the repository may have letters, digits, and . _ ~ + - between slashes.")
    return ("/" if path.startswith("/") and segments else "") + "/".join(segments)


def _host(text: str) -> WebAddress:
    parsed = parse_address(f"http://{text}/")
    if parsed.target != "/":
        raise BadAddress(USAGE)
    has_port = re.search(r":[0-9]+$", text.rpartition("]")[2]) is not None
    return WebAddress("ssh", parsed.host, parsed.port if has_port else DEFAULT_PORTS["ssh"], "/")
