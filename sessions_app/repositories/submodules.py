"""Find the source of each submodule of a repository: the project's git server, through the door, or the public web.
Submodules elsewhere cannot be fetched. Pure functions.

`.gitmodules` only names addresses. An admin decides in the project's settings which repositories of the connection's
forge a workspace may read.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from posixpath import normpath
from typing import Final
from urllib.parse import urlsplit

from sessions_app.repositories.models import ProjectRepository

MAX_SUBMODULES: Final = 50
DOOR: Final = "door:"
ODD: Final = "Its name or its path cannot be used here."
NOT_ALLOWED: Final = "An admin has to add {name} to the submodules in the project's settings, Repository."
NO_WEB_ADDRESS: Final = "Its address {url} is neither at the connection's server nor https://."
NO_CONNECTION: Final = "Its address {url} cannot be reached without a connection to its server."
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}(?:/[A-Za-z0-9][A-Za-z0-9._-]{0,99}){1,9}")
_SCP: Final = re.compile(r"(?:[\w.-]+@)?([\w.-]+):(?!//)(.+)")


@dataclass(frozen=True, slots=True)
class Submodule:
    """A submodule as `.gitmodules` names it. `address` is where a workspace gets it from: `door:` and the name of a
    repository at the connection's server, or an address on the web. If it is "", `problem` says why."""

    name: str
    path: str
    url: str
    address: str = ""
    problem: str = ""


def read_settings(listed: str) -> list[Submodule]:
    """Parse the submodules from the output of `git config --list -z` for `.gitmodules`, in the order of the output."""
    found: dict[str, dict[str, str]] = {}
    for entry in listed.split("\0"):
        key, _, value = entry.partition("\n")
        section, _, rest = key.partition(".")
        name, _, setting = rest.rpartition(".")
        if section == "submodule" and name and setting in ("path", "url"):
            found.setdefault(name, {})[setting] = value
    return [Submodule(name, each.get("path", ""), each.get("url", "")) for name, each in found.items()]


def placed(submodule: Submodule, row: ProjectRepository) -> Submodule:
    """Return the submodule with the address from which a workspace fetches it or, if it cannot be fetched, with a
    problem."""
    name, path, url = submodule.name, submodule.path, submodule.url
    if not path or not url or any(not each.isprintable() or "\t" in each for each in (name, path, url)):
        return Submodule(name, path, url, problem=ODD)
    full_name = name_at_forge(url, row)
    if full_name:
        if not may_read(full_name, row.submodules):
            return Submodule(name, path, url, problem=NOT_ALLOWED.format(name=full_name))
        return Submodule(name, path, url, f"{DOOR}{full_name}")
    if url.startswith(("./", "../")):
        return Submodule(name, path, url, problem=NO_CONNECTION.format(url=url))
    if urlsplit(url).scheme == "https":
        return Submodule(name, path, url, url)
    return Submodule(name, path, url, problem=NO_WEB_ADDRESS.format(url=url))


def name_at_forge(url: str, row: ProjectRepository) -> str:
    """Return the full name of a repository at the server of the project's connection; "" if the URL is not at that
    server."""
    if row.connection is None:
        return ""
    base = urlsplit(row.connection.base_url if "://" in row.connection.base_url else f"ssh://{row.connection.base_url}")
    if url.startswith(("./", "../")):
        path = normpath(f"/{row.full_name}/{url}")
        return _full_name(path)
    if found := _SCP.fullmatch(url):
        host, path = found[1], f"/{found[2]}"
        return _full_name(path) if host == base.hostname else ""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https", "ssh") or parts.hostname != base.hostname:
        return ""
    if parts.scheme == base.scheme and parts.port != base.port:
        return ""
    below = base.path.rstrip("/") if parts.scheme == base.scheme else ""
    return _full_name(parts.path.removeprefix(below)) if parts.path.startswith(f"{below}/") else ""


def may_read(full_name: str, allowed: Sequence[str]) -> bool:
    """Return whether the project allows workspaces to read this additional repository. `team/*` in `allowed` stands for
    all repositories directly below `team`."""
    return any(
        full_name == each or (each.endswith("/*") and full_name.rpartition("/")[0] == each.removesuffix("/*"))
        for each in allowed
    )


def is_allowed_name(text: str) -> bool:
    """Return whether a text is valid in the project's list of submodules: the name of a repository, or `team/*`."""
    return _NAME.fullmatch(text.removesuffix("/*") + ("/x" if text.endswith("/*") else "")) is not None


def _full_name(path: str) -> str:
    name = path.strip("/").removesuffix(".git")
    return name if _NAME.fullmatch(name) else ""
