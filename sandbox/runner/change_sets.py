"""Apply several file changes as one: either all of them, or none.

The new contents are first written to temporary files beside their targets. Then the files are replaced one by one,
while each old file is kept under a backup name; if one replacement fails, the earlier ones are undone. A recovery file
outside the workspace records what is under way: a runner that was killed in between undoes the changes when it starts
again. (Like the journal, this survives the killing of any process, but not a power failure of the host.)
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
from .files import WriteCondition, describe, open_parent, os_errors_as_refusals, temporary_name, write_temporary
from .privileges import Identity
from .tree import ResolvedPath, Tree, open_exactly, status_exactly

MAX_CHANGES: Final = 500  # files in one change set
RECOVERY_FILE: Final = "change-set"  # its name in the runner's state folder


class RequestedChange(NamedTuple):
    """One file of a change set. `content` is None if the file is to be removed.

    `expected` is as in `files.WriteCondition`; `mode` None keeps the file's mode.
    """

    path: str
    content: bytes | None
    expected: str
    mode: int | None
    exact: bool


class Step(NamedTuple):
    """The values needed to replace one file, and to undo it.

    `temporary` is the file with the new content ("" if the file is removed) and `backup` the name for the old file.
    `inode` is that of the new file, 0 before it is written.
    """

    real: str
    name: str
    temporary: str
    backup: str
    inode: int = 0


class StagedFile:
    """One file while its change is applied.

    `parent_fd` (-1 before) and `existed` are set when the file is staged; `touched` becomes true just before the old
    file is replaced.
    """

    def __init__(self, wanted: RequestedChange, resolved: ResolvedPath, step: Step) -> None:
        self.wanted = wanted
        self.resolved = resolved
        self.step = step
        self.parent_fd = -1
        self.existed = False
        self.touched = False
        self.status: os.stat_result | None = None


class ChangeSets:
    """Applies change sets.

    `writing` is the lock that every writer holds, so that two writers cannot both find the content they expect.
    """

    def __init__(self, tree: Tree, identity: Identity, writing: threading.Lock, state: str) -> None:
        self._tree = tree
        self._identity = identity
        self._writing = writing
        self._recovery_path = f"{state}/{RECOVERY_FILE}"
        self._recover()

    def apply(self, header: Mapping[str, Any], body: bytes) -> list[dict[str, Any]]:
        """Apply a change set and return the status of each file afterwards.

        Raises Refusal if a change cannot be made. Nothing has changed then, unless the message says otherwise.
        """
        changes = read_changes(header, body)
        with self._writing:
            with self._identity.as_tool_user():
                files = self._planned(changes)
                folders = _missing_folders(files)
            try:
                self._replace_all(files, folders)
            finally:
                for file in files:
                    if file.parent_fd >= 0:
                        os.close(file.parent_fd)
        return [self._described(file) for file in files]

    def _planned(self, changes: Sequence[RequestedChange]) -> list[StagedFile]:
        """Resolve the path of each change. Touches nothing."""
        files: dict[str, StagedFile] = {}
        for wanted in changes:
            with os_errors_as_refusals(wanted.path):
                resolved = self._tree.locate_permitted(wanted.path, exact=wanted.exact)
            if resolved.is_root or wanted.path.endswith("/"):
                raise Refusal(WRONG_KIND, f"This is a directory: {wanted.path}")
            if resolved.real in files:
                raise Refusal(REFUSED, f"This file is listed twice in the change set: {wanted.path}")
            name = resolved.relative.rpartition("/")[2]
            temporary = "" if wanted.content is None else temporary_name(name)
            files[resolved.real] = StagedFile(
                wanted, resolved, Step(resolved.real, name, temporary, temporary_name(name))
            )
        return list(files.values())

    def _replace_all(self, files: Sequence[StagedFile], folders: Sequence[ResolvedPath]) -> None:
        """Stage and replace all files, or undo everything.

        At any moment the recovery file describes how to undo the changes; at the end it records that they are final.
        """
        self._write_recovery_file(files, folders, done=False)
        try:
            with self._identity.as_tool_user():
                for file in files:
                    with os_errors_as_refusals(file.wanted.path):
                        _stage(file)
            self._write_recovery_file(files, folders, done=False)
            with self._identity.as_tool_user():
                for file in files:
                    with os_errors_as_refusals(file.wanted.path):
                        _put(file)
            self._write_recovery_file(files, folders, done=True)
        except BaseException:
            self._undo(files, folders)
            raise
        with self._identity.as_tool_user():
            for file in files:
                _unlink(file.parent_fd, file.step.backup)
        self._delete_recovery_file()

    def _undo(self, files: Sequence[StagedFile], folders: Sequence[ResolvedPath]) -> None:
        """Undo the changes. Raises Refusal, and keeps the recovery file, if a file cannot be put back."""
        staged = [file for file in reversed(files) if file.parent_fd >= 0]
        with self._identity.as_tool_user():
            lost = [file.wanted.path for file in staged if not _put_back(file.parent_fd, file.step) and file.touched]
            _drop_folders(folders)
        if lost:
            raise Refusal(
                UNAVAILABLE, f"Only some of the files were changed, and these could not be restored: {', '.join(lost)}"
            )
        self._delete_recovery_file()

    def _write_recovery_file(self, files: Sequence[StagedFile], folders: Sequence[ResolvedPath], *, done: bool) -> None:
        """Replace the recovery file atomically, so that it is never incomplete."""
        note = {
            "done": done,
            "steps": [tuple(file.step) for file in files],
            "folders": [folder.real for folder in folders],
        }
        fresh = f"{self._recovery_path}.new"
        with open(fresh, "wb") as file:
            file.write(frames.to_json(note))
        os.rename(fresh, self._recovery_path)

    def _recover(self) -> None:
        """Undo the change set during which the previous runner was killed, or finish its cleanup."""
        try:
            done, steps, folders = self._read_recovery_file()
        except FileNotFoundError:
            return
        except (OSError, ValueError, TypeError, LookupError, RecursionError) as error:
            sys.stderr.write(f"The recovery file of a change set cannot be read: {error}\n")
        else:
            with self._identity.as_tool_user():
                for step in reversed(steps):
                    self._recover_step(step, done=done)
                for folder in reversed(() if done else folders):
                    with contextlib.suppress(Refusal):
                        _drop_folders([self._tree.locate(folder, exact=True)])
        self._delete_recovery_file()

    def _read_recovery_file(self) -> tuple[bool, list[Step], list[str]]:
        """Return whether all files were replaced, the steps, and the folders created for them.

        Raises OSError, ValueError, TypeError, LookupError or RecursionError if the file is missing or invalid.
        """
        with open(self._recovery_path, "rb") as file:
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
            return  # the folder does not exist, so nothing was staged in it
        try:
            if done:
                _unlink(parent_fd, step.backup)
            elif not _put_back(parent_fd, step):
                sys.stderr.write(f"A file of a change set could not be restored: {step.name!r}\n")
        finally:
            os.close(parent_fd)

    def _delete_recovery_file(self) -> None:
        """Delete the recovery file. A failure does no harm: the temporary names in it are no longer in use."""
        with contextlib.suppress(OSError):
            os.unlink(self._recovery_path)

    def _described(self, file: StagedFile) -> dict[str, Any]:
        resolved = file.resolved
        found = {"path": resolved.requested, "real_path": self._tree.to_shown(resolved.real), "inside": resolved.inside}
        return {**found, **(describe(file.status) if file.status else {"exists": False})}


def read_changes(header: Mapping[str, Any], body: bytes) -> list[RequestedChange]:
    """Return the changes that a request describes. Raises Refusal if it is malformed."""
    items = header.get("changes")
    if not isinstance(items, list) or not 0 < len(items) <= MAX_CHANGES:
        raise Refusal(REFUSED, f"A change set must have between 1 and {MAX_CHANGES} files.")
    wanted: list[RequestedChange] = []
    position = 0
    for item in items:
        size = item.get("size") if isinstance(item, dict) else -1
        end = position if size is None else position + size if _is_number(size) else -1
        if not position <= end <= len(body):
            raise Refusal(REFUSED, "A file of the change set has a missing or invalid field.")
        wanted.append(_wanted(item, None if size is None else body[position:end]))
        position = end
    if position != len(body):
        raise Refusal(REFUSED, "The change set's body is longer than its files.")
    return wanted


def _wanted(item: Mapping[str, Any], content: bytes | None) -> RequestedChange:
    path, expected, mode = item.get("path"), item.get("expected"), item.get("mode")
    if not isinstance(path, str) or not isinstance(expected, str) or not (mode is None or _is_number(mode)):
        raise Refusal(REFUSED, "A file of the change set has a missing or invalid field.")
    return RequestedChange(path, content, expected, mode, item.get("exact") is True)


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _missing_folders(files: Sequence[StagedFile]) -> list[ResolvedPath]:
    """Return the directories that must be created, each after its parent."""
    missing: dict[str, ResolvedPath] = {}
    for resolved in (file.resolved for file in files if file.wanted.content is not None):
        parts = resolved.relative.split("/")[:-1]
        for count in range(len(parts), 0, -1):
            relative = "/".join(parts[:count])
            real = resolved.real[: len(resolved.real) - len(resolved.relative) + len(relative)]
            if real in missing or not _is_missing(resolved, relative):
                break
            missing[real] = resolved._replace(real=real, relative=relative)
    return sorted(missing.values(), key=lambda folder: folder.real)


def _is_missing(resolved: ResolvedPath, relative: str) -> bool:
    try:
        status_exactly(resolved.base_fd, relative)
    except OSError as error:
        return error.errno == errno.ENOENT
    return False


def _open_parent(resolved: ResolvedPath) -> int:
    return open_exactly(resolved.base_fd, os.path.dirname(resolved.relative) or ".", os.O_PATH | os.O_DIRECTORY)


def _stage(file: StagedFile) -> None:
    """Check the existing file, and write the new content beside it."""
    wanted, step = file.wanted, file.step
    file.parent_fd = _open_parent(file.resolved) if wanted.content is None else open_parent(file.resolved)[0]
    old_mode = WriteCondition(wanted.path, wanted.expected).check(file.parent_fd, step.name)
    file.existed = old_mode is not None
    if wanted.content is not None:
        mode = old_mode if wanted.mode is None else wanted.mode
        file.status = write_temporary(file.parent_fd, step.temporary, wanted.content, mode)
        file.step = step._replace(inode=file.status.st_ino)
    elif not file.existed:
        raise Refusal(NOT_FOUND, f"There is no such file: {wanted.path}")


def _put(file: StagedFile) -> None:
    """Replace or remove the file.

    Checks the condition again: commands do not know our lock and may have changed the file since it was staged.
    """
    step, fd = file.step, file.parent_fd
    exists = WriteCondition(file.wanted.path, file.wanted.expected).check(fd, step.name) is not None
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
    """Keep the old file under its backup name.

    A hard link keeps the file in place meanwhile. The kernel refuses one to another user's file (EPERM); then the file
    is renamed, and missing from its place for a moment.
    """
    try:
        os.link(step.name, step.backup, src_dir_fd=fd, dst_dir_fd=fd, follow_symlinks=False)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EMLINK):
            raise
        os.rename(step.name, step.backup, src_dir_fd=fd, dst_dir_fd=fd)


def _put_back(fd: int, step: Step) -> bool:
    """Undo `_stage` and `_put` for one file, even if only some of their steps were done. Returns False if it fails."""
    try:
        if _inode(fd, step.backup) is not None:
            os.rename(step.backup, step.name, src_dir_fd=fd, dst_dir_fd=fd)
            _unlink(fd, step.backup)  # a rename between two hard links of one file does nothing, so the backup remains
        elif step.inode and _inode(fd, step.name) == step.inode:
            os.unlink(step.name, dir_fd=fd)
    except OSError:
        return False
    finally:
        _unlink(fd, step.temporary)
    return True


def _inode(fd: int, name: str) -> int | None:
    """Return the inode number of a file, None if it does not exist."""
    try:
        return os.lstat(name, dir_fd=fd).st_ino
    except FileNotFoundError:
        return None


def _unlink(fd: int, name: str) -> None:
    """Delete a file if it exists. Errors are ignored."""
    if name:
        with contextlib.suppress(OSError):
            os.unlink(name, dir_fd=fd)


def _drop_folders(folders: Sequence[ResolvedPath]) -> None:
    """Remove created folders that are still empty."""
    for folder in reversed(folders):
        with contextlib.suppress(OSError):
            parent_fd = _open_parent(folder)
            try:
                os.rmdir(os.path.basename(folder.relative), dir_fd=parent_fd)
            finally:
                os.close(parent_fd)
