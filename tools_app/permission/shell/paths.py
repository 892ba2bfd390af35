"""Lexical functions that join, normalise and check paths, without a file system. The sandbox resolves links."""

import posixpath
import re
from typing import Final

_HARMLESS_DEVICES: Final = re.compile(
    r"/dev/(?:null|zero|full|random|urandom|stdin|stdout|stderr|tty|fd/\d+)|/proc/self/fd/[012]"
)
_GLOB: Final = r"[^/]*[*?\[][^/]*"
_THROUGH_PROCESS: Final = re.compile(
    r"/(?:dev/(?:fd/[^/]+|stdin|stdout|stderr)"
    rf"|proc/(?!(?:net|sys|fs)/)[^/]+(?:/task/[^/]+)?/(?:fd/[^/]+|cwd|root|{_GLOB}))(?:/|$)"
)
_BEHIND_LINK: Final = re.compile(r"(?<=[^/])/(?:dev/fd|proc/(?:self|thread-self|\d+|net))/.*")
"""The rest of a path through a link to a folder above `/proc`."""
_OWN_FOLDER: Final = re.compile(rf"/proc/(?:net|{_GLOB})(?=/)")
"""A link of `/proc` into the folder of the process itself, or a glob that may match one."""
_PROCESS: Final = re.compile(r"/(?:proc/[^/]+(?:/task/[^/]+)?|dev/fd/\.\.)/(?P<link>cwd|root)(?=/|$)")
_ABOVE_OWN: Final = re.compile(rf"/proc/(?:net|{_GLOB})/\.\.(?=/)")
_MAX_LINKS: Final = 4
_NETWORK: Final = re.compile(r"/dev/(?:tcp|udp)/")


def join(folder: str, path: str) -> str:
    """Return the absolute path of `path` in a folder. `..` is not resolved, because with links only the file system
    knows where it leads."""
    return path if path.startswith("/") else f"{folder.rstrip('/')}/{path}"


def normal(path: str) -> str:
    """Resolve `.`, `..` and repeated slashes in an absolute path."""
    found = posixpath.normpath(path)
    return found[1:] if found.startswith("//") else found


def is_device(path: str) -> bool:
    return bool(_HARMLESS_DEVICES.fullmatch(normal(path)))


def leads_through_process(path: str) -> bool:
    """Return whether a path leads through directories or open files of a process, whose targets only that process
    knows."""
    if "proc/" not in path and "dev/" not in path:
        return False
    plain = re.sub(r"/(?:\./|/)*", "/", path)
    if is_device(plain.rstrip("/")) or plain in {"/dev/fd/", "/proc/self/fd/"}:
        return False
    behind = found[0] if (found := _BEHIND_LINK.search(plain)) else plain
    ways = {plain, behind, *(_OWN_FOLDER.sub("/proc/self/net", each) for each in (plain, behind) if "/.." in each)}
    return any(_THROUGH_PROCESS.match(each) for way in ways for each in (way, normal(way)))


def behind_process(path: str, folder: str) -> str:
    """Return a path without its links to the working directory and the root of a process: `/proc/self/cwd/a` is `a` in
    `folder`."""
    if "/cwd" not in path and "/root" not in path:
        return path
    plain = _ABOVE_OWN.sub("/proc/self", re.sub(r"/(?:\./|/)*", "/", path))
    for _ in range(_MAX_LINKS):
        found = _PROCESS.search(plain)
        if not found:
            break
        plain = join(folder if found["link"] == "cwd" else "/", plain[found.end() :].lstrip("/"))
    return plain


def is_network(path: str) -> bool:
    return bool(_NETWORK.match(normal(path) + "/"))


def is_under(path: str, folder: str) -> bool:
    return folder in {"/", path} or path.startswith(f"{folder}/")


def leaves(path: str, root: str) -> bool:
    """Return whether `path`, or a part of it up to a `..`, lies outside `root`."""
    if not is_under(normal(path), root):
        return True
    if "/.." not in path:
        return False
    position = len(root)
    if not path.startswith(root):
        return True
    while (position := path.find("/..", position)) >= 0:
        position += 3
        if path[position : position + 1] in {"", "/"} and not is_under(normal(path[:position]), root):
            return True
    return False


def outside_pattern(path: str, *, directory: bool) -> str:
    """Return the `external_directory` pattern for a path: its parent directory, or the path if it is a directory."""
    normalised = normal(path)
    folder = normalised if directory else posixpath.dirname(normalised)
    return f"{folder.rstrip('/')}/*"


def fixed_part(pattern: str) -> str:
    """Return the directory part of a glob before its first special character; the whole pattern if it has none."""
    found = re.search(r"[*?\[]", pattern)
    if not found:
        return pattern
    before = pattern[: found.start()]
    return before[: before.rfind("/")] or "/"
