"""Several files written and removed as one: all of it, or nothing.

New contents are first written beside their places. Then one file after the other takes its place, while the old one is
kept under a second name; when one cannot, those before it are put back. What is under way is noted where no tool can
reach it: a runner that was killed between two files puts them back when it starts again. (Like the journal, this
survives any process being killed, not the host losing power.)
"""

import contextlib
import errno
import json
import os
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from . import frames
from .errors import CONFLICT, NOT_FOUND, REFUSED, UNAVAILABLE, WRONG_KIND, Refusal
from .files import Condition, describe, explained, name_beside, open_parent, write_beside
from .privileges import Identity
from .tree import Place, Tree, open_exactly, status_exactly

MOST_CHANGES: Final = 500
NOTE: Final = "change-set"


class Wanted(NamedTuple):
    """One file of a change set; `content` None removes it."""

    path: str
    content: bytes | None
    expected: str
    mode: int | None
    exact: bool


class Step(NamedTuple):
    """What it takes to put one file in its place, and back. `temporary` holds the new content (empty: the file is
    removed) and `backup` the old one, if there was any; `inode` is that of the new one, 0 before it is there."""

    real: str
    name: str
    temporary: str
    backup: str
    inode: int = 0


class File:
    """One file on its way. `parent_fd` is open, and what was there is known, once it is staged; its place is `touched`
    from the moment when the old file is."""

    def __init__(self, wanted: Wanted, place: Place, step: Step) -> None:
        self.wanted = wanted
        self.place = place
        self.step = step
        self.parent_fd = -1
        self.existed = False
        self.touched = False
        self.status: os.stat_result | None = None


class ChangeSets:
    """`writing` is held by whoever writes, so that two writers do not both find what they expected."""

    def __init__(self, tree: Tree, identity: Identity, writing: threading.Lock, state: str) -> None:
        self._tree = tree
        self._identity = identity
        self._writing = writing
        self._note = f"{state}/{NOTE}"
        self._recover()

    def apply(self, header: Mapping[str, Any], body: bytes) -> list[dict[str, Any]]:
        """What is at each place afterwards. A refusal means that nothing has changed, unless it says otherwise."""
        changes = read_changes(header, body)
        with self._writing:
            with self._identity.as_tool_user():
                files = self._planned(changes)
                folders = _missing_folders(files)
            try:
                self._do(files, folders)
            finally:
                for file in files:
                    if file.parent_fd >= 0:
                        os.close(file.parent_fd)
        return [self._described(file) for file in files]

    def _planned(self, changes: Sequence[Wanted]) -> list[File]:
        """Where each leads. Nothing is touched yet."""
        files: dict[str, File] = {}
        for wanted in changes:
            with explained(wanted.path):
                place = self._tree.reach(wanted.path, exact=wanted.exact)
            if place.is_root or wanted.path.endswith("/"):
                raise Refusal(WRONG_KIND, f"This is a directory: {wanted.path}")
            if place.real in files:
                raise Refusal(REFUSED, f"This file is named twice: {wanted.path}")
            name = place.relative.rpartition("/")[2]
            temporary = "" if wanted.content is None else name_beside(name)
            files[place.real] = File(wanted, place, Step(place.real, name, temporary, name_beside(name)))
        return list(files.values())

    def _do(self, files: Sequence[File], folders: Sequence[Place]) -> None:
        """At any moment the note says how to go back, and in the end that there is no way back."""
        self._write_note(files, folders, done=False)
        try:
            with self._identity.as_tool_user():
                for file in files:
                    with explained(file.wanted.path):
                        _stage(file)
            self._write_note(files, folders, done=False)
            with self._identity.as_tool_user():
                for file in files:
                    with explained(file.wanted.path):
                        _put(file)
            self._write_note(files, folders, done=True)
        except BaseException:
            self._undo(files, folders)
            raise
        with self._identity.as_tool_user():
            for file in files:
                _unlink(file.parent_fd, file.step.backup)
        self._forget()

    def _undo(self, files: Sequence[File], folders: Sequence[Place]) -> None:
        """Refusal when a file cannot be put back; the note stays then."""
        staged = [file for file in reversed(files) if file.parent_fd >= 0]
        with self._identity.as_tool_user():
            lost = [file.wanted.path for file in staged if not _put_back(file.parent_fd, file.step) and file.touched]
            _drop_folders(folders)
        if lost:
            raise Refusal(UNAVAILABLE, f"Only a part was changed, and could not be put back: {', '.join(lost)}")
        self._forget()

    def _write_note(self, files: Sequence[File], folders: Sequence[Place], *, done: bool) -> None:
        """In one step, so that there is never half of one."""
        note = {
            "done": done,
            "steps": [tuple(file.step) for file in files],
            "folders": [folder.real for folder in folders],
        }
        fresh = f"{self._note}.new"
        with open(fresh, "wb") as file:
            file.write(frames.to_json(note))
        os.rename(fresh, self._note)

    def _recover(self) -> None:
        """Finish, or undo, what a runner before this one was killed in."""
        try:
            done, steps, folders = self._read_note()
        except FileNotFoundError:
            return
        except (OSError, ValueError, TypeError, LookupError, RecursionError) as error:
            sys.stderr.write(f"The note of a change set cannot be read: {error}\n")
        else:
            with self._identity.as_tool_user():
                for step in reversed(steps):
                    self._recover_step(step, done=done)
                for folder in reversed(() if done else folders):
                    with contextlib.suppress(Refusal):
                        _drop_folders([self._tree.locate(folder, exact=True)])
        self._forget()

    def _read_note(self) -> tuple[bool, list[Step], list[str]]:
        """Whether all was done, the steps and the folders made for them. Raises what nonsense raises."""
        with open(self._note, "rb") as file:
            note = json.loads(file.read())
        steps = [
            Step(str(real), str(name), str(temporary), str(backup), int(inode))
            for real, name, temporary, backup, inode in note["steps"]
        ]
        return bool(note["done"]), steps, [str(folder) for folder in note["folders"]]

    def _recover_step(self, step: Step, *, done: bool) -> None:
        try:
            parent_fd = _open_parent(self._tree.locate(step.real, exact=True))
        except (OSError, Refusal):
            return  # nothing was staged there
        try:
            if done:
                _unlink(parent_fd, step.backup)
            elif not _put_back(parent_fd, step):
                sys.stderr.write(f"A file of a change set could not be put back: {step.name!r}\n")
        finally:
            os.close(parent_fd)

    def _forget(self) -> None:
        """One that stays is harmless: the names in it are nobody's any more."""
        with contextlib.suppress(OSError):
            os.unlink(self._note)

    def _described(self, file: File) -> dict[str, Any]:
        place = file.place
        found = {"path": place.asked, "real_path": self._tree.to_shown(place.real), "inside": place.inside}
        return {**found, **(describe(file.status) if file.status else {"exists": False})}


def read_changes(header: Mapping[str, Any], body: bytes) -> list[Wanted]:
    """Refusal for a request that is not put together as it must be."""
    items = header.get("changes")
    if not isinstance(items, list) or not 0 < len(items) <= MOST_CHANGES:
        raise Refusal(REFUSED, f"A change set has between one and {MOST_CHANGES} files.")
    wanted: list[Wanted] = []
    position = 0
    for item in items:
        size = item.get("size") if isinstance(item, dict) else -1
        end = position if size is None else position + size if _is_number(size) else -1
        if not position <= end <= len(body):
            raise Refusal(REFUSED, "A file of the change set is not described as it must be.")
        wanted.append(_wanted(item, None if size is None else body[position:end]))
        position = end
    if position != len(body):
        raise Refusal(REFUSED, "The change set has more content than files.")
    return wanted


def _wanted(item: Mapping[str, Any], content: bytes | None) -> Wanted:
    path, expected, mode = item.get("path"), item.get("expected"), item.get("mode")
    if not isinstance(path, str) or not isinstance(expected, str) or not (mode is None or _is_number(mode)):
        raise Refusal(REFUSED, "A file of the change set is not described as it must be.")
    return Wanted(path, content, expected, mode, item.get("exact") is True)


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _missing_folders(files: Sequence[File]) -> list[Place]:
    """The directories that will have to be made, each behind the one it lies in."""
    missing: dict[str, Place] = {}
    for place in (file.place for file in files if file.wanted.content is not None):
        parts = place.relative.split("/")[:-1]
        for count in range(len(parts), 0, -1):
            relative = "/".join(parts[:count])
            real = place.real[: len(place.real) - len(place.relative) + len(relative)]
            if real in missing or not _is_missing(place, relative):
                break
            missing[real] = place._replace(real=real, relative=relative)
    return sorted(missing.values(), key=lambda folder: folder.real)


def _is_missing(place: Place, relative: str) -> bool:
    try:
        status_exactly(place.base_fd, relative)
    except OSError as error:
        return error.errno == errno.ENOENT
    return False


def _open_parent(place: Place) -> int:
    return open_exactly(place.base_fd, os.path.dirname(place.relative) or ".", os.O_PATH | os.O_DIRECTORY)


def _stage(file: File) -> None:
    """Check what is there, and put the new content beside it."""
    wanted, step = file.wanted, file.step
    file.parent_fd = _open_parent(file.place) if wanted.content is None else open_parent(file.place)[0]
    old_mode = Condition(wanted.path, wanted.expected).check(file.parent_fd, step.name)
    file.existed = old_mode is not None
    if wanted.content is not None:
        mode = old_mode if wanted.mode is None else wanted.mode
        file.status = write_beside(file.parent_fd, step.temporary, wanted.content, mode)
        file.step = step._replace(inode=file.status.st_ino)
    elif not file.existed:
        raise Refusal(NOT_FOUND, f"There is no such file: {wanted.path}")


def _put(file: File) -> None:
    """The file may have been changed since it was looked at: commands know nothing of our lock."""
    step, fd = file.step, file.parent_fd
    exists = Condition(file.wanted.path, file.wanted.expected).check(fd, step.name) is not None
    if exists != file.existed:
        raise Refusal(CONFLICT, f"{file.wanted.path} has changed since it was read; read it again.")
    file.touched = True
    if not exists:
        os.link(step.temporary, step.name, src_dir_fd=fd, dst_dir_fd=fd, follow_symlinks=False)
        os.unlink(step.temporary, dir_fd=fd)
        return
    _keep_old(fd, step)
    if step.temporary:
        os.rename(step.temporary, step.name, src_dir_fd=fd, dst_dir_fd=fd)
    else:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(step.name, dir_fd=fd)


def _keep_old(fd: int, step: Step) -> None:
    """Under a second name, so that the place is never empty. Another user's file may get none (EPERM): then it is
    out of its place for a moment."""
    try:
        os.link(step.name, step.backup, src_dir_fd=fd, dst_dir_fd=fd, follow_symlinks=False)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EMLINK):
            raise
        os.rename(step.name, step.backup, src_dir_fd=fd, dst_dir_fd=fd)


def _put_back(fd: int, step: Step) -> bool:
    """As it was before `_stage` and `_put`, however far they came. False when that is not possible."""
    try:
        if _inode(fd, step.backup) is not None:
            os.rename(step.backup, step.name, src_dir_fd=fd, dst_dir_fd=fd)
            _unlink(fd, step.backup)  # renaming one name of a file to another of the same does nothing
        elif step.inode and _inode(fd, step.name) == step.inode:
            os.unlink(step.name, dir_fd=fd)
    except OSError:
        return False
    finally:
        _unlink(fd, step.temporary)
    return True


def _inode(fd: int, name: str) -> int | None:
    """None when there is no such file."""
    try:
        return os.lstat(name, dir_fd=fd).st_ino
    except FileNotFoundError:
        return None


def _unlink(fd: int, name: str) -> None:
    """If there is one."""
    if name:
        with contextlib.suppress(OSError):
            os.unlink(name, dir_fd=fd)


def _drop_folders(folders: Sequence[Place]) -> None:
    """Those that were made; what is not empty stays."""
    for folder in reversed(folders):
        with contextlib.suppress(OSError):
            parent_fd = _open_parent(folder)
            try:
                os.rmdir(os.path.basename(folder.relative), dir_fd=parent_fd)
            finally:
                os.close(parent_fd)
