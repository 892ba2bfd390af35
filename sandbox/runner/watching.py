"""Ask inotify for the names in a directory tree that changed since the last call, to avoid reading an unchanged tree.

The kernel reports changes by name. Changes through another name of the same file are not reported, so `Snapshots`
always reads files with several names again. If something is not certain (a folder was created, removed or moved, or the
kernel's queue was full), the result is "unknown", and the whole tree has to be read.
"""

import contextlib
import os
import struct
from typing import Final

from . import kernel
from .budgets import OBJECT_COST, Budget

EVENT: Final = struct.Struct("iIII")
READ_BYTES: Final = 1 << 16
MAX_FOLDERS: Final = 20_000  # more are not watched
MODIFY, ATTRIB, CLOSE_WRITE, MOVED_FROM, MOVED_TO, CREATE, DELETE = 0x2, 0x4, 0x8, 0x40, 0x80, 0x100, 0x200
DELETE_SELF, MOVE_SELF, ONLY_FOLDERS = 0x400, 0x800, 0x01000000
UNMOUNT, OVERFLOW, IGNORED, IS_FOLDER = 0x2000, 0x4000, 0x8000, 0x40000000
WANTED: Final = (
    MODIFY | ATTRIB | CLOSE_WRITE | MOVED_FROM | MOVED_TO | CREATE | DELETE | DELETE_SELF | MOVE_SELF | ONLY_FOLDERS
)
UNCERTAIN: Final = DELETE_SELF | MOVE_SELF | UNMOUNT | OVERFLOW | IGNORED | IS_FOLDER


class Watch:
    """An inotify watch on folders.

    `changed` returns None before `restart` and `add` are called, and after a change that cannot be interpreted.
    """

    def __init__(self) -> None:
        self._fd = -1
        self._folders: dict[int, str] = {}
        self.is_certain = False

    def restart(self) -> None:
        """Forget all folders and open a new inotify instance.

        If inotify is not available, `changed` returns None from now on.
        """
        self.stop()
        with contextlib.suppress(OSError):
            self._fd = kernel.inotify_init()
            self.is_certain = True

    def add(self, folder_fd: int, folder: str, budget: Budget) -> None:
        """Watch one more open folder, whose path relative to the root is `folder` ("" for the root)."""
        if not self.is_certain:
            return
        if len(self._folders) >= MAX_FOLDERS or not budget.spend(OBJECT_COST + len(folder)):
            self.stop()
            return
        try:
            self._folders[kernel.inotify_add(self._fd, folder_fd, WANTED)] = folder
        except OSError:
            self.stop()

    def changed(self) -> set[str] | None:
        """Return the paths of files whose content, attributes or existence changed since the last call. None if this
        is unknown."""
        names: set[str] = set()
        while self.is_certain:
            try:
                events = os.read(self._fd, READ_BYTES)
            except BlockingIOError:
                return names
            except OSError:
                break
            if not self._note(events, names):
                break
        self.stop()
        return None

    def _note(self, events: bytes, names: set[str]) -> bool:
        """Add the paths that the events name. Returns False if an event makes it uncertain which paths changed."""
        position = 0
        while position < len(events):
            watch, mask, _, length = EVENT.unpack_from(events, position)
            start = position + EVENT.size
            position = start + length
            folder = self._folders.get(watch)
            if mask & UNCERTAIN or folder is None:
                return False
            name = os.fsdecode(events[start:position].rstrip(b"\0"))
            if name:
                names.add(os.path.join(folder, name))
        return True

    def stop(self) -> None:
        """Stop watching all folders, so that `changed` returns None from now on."""
        self.is_certain = False
        self._folders = {}
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
