"""Where a word of a command leads, and whether that is outside the root. By the text: links are for the sandbox."""

import posixpath
import re
from typing import Final

_HARMLESS_DEVICES: Final = re.compile(
    r"/dev/(?:null|zero|full|random|urandom|stdin|stdout|stderr|tty|fd/\d+)|/proc/self/fd/[012]"
)
_NETWORK: Final = re.compile(r"/dev/(?:tcp|udp)/")


def join(folder: str, path: str) -> str:
    """Absolute, with `..` left in place: only the system knows where it leads when there are links."""
    return path if path.startswith("/") else f"{folder.rstrip('/')}/{path}"


def normal(path: str) -> str:
    found = posixpath.normpath(path)
    return found[1:] if found.startswith("//") else found


def is_device(path: str) -> bool:
    return bool(_HARMLESS_DEVICES.fullmatch(normal(path)))


def is_network(path: str) -> bool:
    return bool(_NETWORK.match(normal(path) + "/"))


def is_under(path: str, folder: str) -> bool:
    return folder in {"/", path} or path.startswith(f"{folder}/")


def leaves(path: str, root: str) -> bool:
    """True when the path leads out of `root`, as a whole or somewhere on its way."""
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
    """The `external_directory` pattern of a place outside: its folder, or itself when it is a folder."""
    place = normal(path)
    folder = place if directory else posixpath.dirname(place)
    return f"{folder.rstrip('/')}/*"


def fixed_part(pattern: str) -> str:
    """The folder above the first special character of a glob."""
    found = re.search(r"[*?\[]", pattern)
    if not found:
        return pattern
    before = pattern[: found.start()]
    return before[: before.rfind("/")] or "/"
