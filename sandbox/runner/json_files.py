"""A folder of small JSON files that belong to the runner. Each is written atomically."""

import contextlib
import json
import os
from typing import Any, Final

from .contents import TEMPORARY_SUFFIX, get_file, put_file
from .errors import REFUSED, Refusal
from .frames import to_json

NAME_CHARACTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:")
MAX_NAME: Final = 120  # characters


class JsonFiles:
    """JSON objects in files of a folder, under names that may come from requests."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        os.makedirs(folder, mode=0o700, exist_ok=True)

    def read(self, name: str) -> dict[str, Any]:
        """Return the object of this name; {} if there is none, or its file is not valid."""
        try:
            found = json.loads(get_file(self.path(name)))
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def write(self, name: str, value: dict[str, Any]) -> None:
        put_file(self.path(name), [to_json(value)])

    def rename(self, name: str, new: str) -> None:
        os.rename(self.path(name), self.path(new))

    def set_time(self, name: str, at_ns: int) -> None:
        """Set the file time of an object, by which `names` sorts. Does nothing if the object was deleted."""
        with contextlib.suppress(FileNotFoundError):
            os.utime(self.path(name), ns=(at_ns, at_ns))

    def delete(self, name: str) -> None:
        os.unlink(self.path(name))

    def __contains__(self, name: str) -> bool:
        return os.path.exists(self.path(name))

    def names(self) -> list[str]:
        """Return all names, the oldest first."""
        entries = [entry for entry in os.scandir(self._folder) if not entry.name.endswith(TEMPORARY_SUFFIX)]
        return [entry.name for entry in sorted(entries, key=lambda entry: entry.stat().st_mtime_ns)]

    def path(self, name: str) -> str:
        """Return the path of the file for a name. Raises Refusal for an invalid one."""
        if not name or len(name) > MAX_NAME or not NAME_CHARACTERS.issuperset(name) or name[0] == ".":
            raise Refusal(REFUSED, "This is not the id of a call or a revert.")
        return f"{self._folder}/{name}"
