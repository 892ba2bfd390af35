"""Apply several file changes as one: either all of them, or none.

The new contents are first written to temporary files beside their targets. Then the files are replaced one by one,
while each old file is kept under a backup name; if one replacement fails, the earlier ones are undone. A recovery file
outside the workspace records the change set in progress. If the runner is killed, it uses this file to undo the changes
at its next start. (Like the journal, this survives the killing of any process, but not a power failure of the host.)
"""

import contextlib
import errno
import json
import os
import stat
import sys
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from . import frames
from .errors import CONFLICT, NOT_FOUND, REFUSED, UNAVAILABLE, WRONG_KIND, Refusal
from .files import WriteCondition, describe, open_parent, os_errors_as_refusals, temporary_name, write_temporary
from .privileges import Identity
from .requested_changes import RequestedChange
from .tree import ResolvedPath, Tree, open_exactly, status_exactly

RECOVERY_FILE: Final = "change-set"  # its name in the runner's state folder
PREPARED: Final = ".prepared"  # suffix of an outcome file whose changes were not made


class Step(NamedTuple):
    """The values needed to replace one file, and to undo it.

    `temporary` is the file with the new content ("" if the file is removed) and `backup` the name for the old file.
    `inode` is the inode number of the new file, 0 before it is written.
    """

    real: str
    name: str
    temporary: str
    backup: str
    inode: int = 0


class StagedFile:
    """One file while its change is applied.

    `parent_fd` and `existed` are set when the file is staged; until then `parent_fd` is -1. `touched` becomes true just
    before the old file is replaced.
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
    """The operations that apply change sets. Callers hold the lock of all writers, so that two change sets cannot both
    find the content that they expect."""

    def __init__(self, tree: Tree, identity: Identity, state: str) -> None:
        self._tree = tree
        self._identity = identity
        self._recovery_path = f"{state}/{RECOVERY_FILE}"
        self._recover()

    def apply(self, changes: Sequence[RequestedChange]) -> list[dict[str, Any]]:
        """Apply a change set and return the status of each file afterwards.

        Raises Refusal if a change cannot be made. Nothing has changed then, unless the message says otherwise.
        """
        return [self._described(file) for file in self.apply_all(changes)]

    def apply_all(self, changes: Sequence[RequestedChange], outcome: str = "") -> Sequence["StagedFile"]:
        """Apply all changes or none. The caller holds the lock of all writers.

        `outcome` is a file of the runner that is renamed, together with the last change, to its name without
        `PREPARED`. It has the new name if, and only if, the changes were made.
        """
        with self._identity.as_tool_user():
            files = self._planned(changes)
            folders = _missing_folders(files)
        try:
            self._replace_all(files, folders, outcome)
        finally:
            for file in files:
                if file.parent_fd >= 0:
                    os.close(file.parent_fd)
        return files

    def drop_empty_folders(self, removed: Sequence[str]) -> None:
        """Remove folders that have become empty because their files were removed; the workspace itself is kept."""
        with self._identity.as_tool_user():
            for path in removed:
                resolved = self._tree.locate(path, follow=False, exact=True)
                parts = resolved.relative.split("/")[:-1]
                below = [resolved._replace(relative="/".join(parts[: count + 1])) for count in range(len(parts))]
                _drop_folders(below)

    def _planned(self, changes: Sequence[RequestedChange]) -> list[StagedFile]:
        """Resolve the path of each change, without changing anything."""
        files: dict[str, StagedFile] = {}
        for wanted in changes:
            with os_errors_as_refusals(wanted.path):
                resolved = self._tree.locate_permitted(wanted.path, follow=wanted.follow, exact=wanted.exact)
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

    def _replace_all(self, files: Sequence[StagedFile], folders: Sequence[ResolvedPath], outcome: str) -> None:
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
            self._write_recovery_file(files, folders, done=True, outcome=outcome)
        except BaseException:
            self._undo(files, folders)
            raise
        _settle(outcome)
        with self._identity.as_tool_user():
            for file in files:
                _unlink(file.parent_fd, file.step.backup)
        self._delete_recovery_file()

    def _undo(self, files: Sequence[StagedFile], folders: Sequence[ResolvedPath]) -> None:
        """Undo the changes to the files and folders. Raises Refusal, and keeps the recovery file, if a file cannot be
        put back."""
        staged = [file for file in reversed(files) if file.parent_fd >= 0]
        with self._identity.as_tool_user():
            lost = [file.wanted.path for file in staged if not _put_back(file.parent_fd, file.step) and file.touched]
            _drop_folders(folders)
        if lost:
            raise Refusal(
                UNAVAILABLE, f"Only some of the files were changed, and these could not be restored: {', '.join(lost)}"
            )
        self._delete_recovery_file()

    def _write_recovery_file(
        self, files: Sequence[StagedFile], folders: Sequence[ResolvedPath], *, done: bool, outcome: str = ""
    ) -> None:
        """Replace the recovery file atomically, so that it is never incomplete."""
        note = {
            "done": done,
            "outcome": outcome,
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
            done, outcome, steps, folders = self._read_recovery_file()
        except FileNotFoundError:
            return
        except (OSError, ValueError, TypeError, LookupError, RecursionError) as error:
            sys.stderr.write(f"The recovery file of a change set cannot be read: {error}\n")
        else:
            _settle(outcome if done else "")
            with self._identity.as_tool_user():
                for step in reversed(steps):
                    self._recover_step(step, done=done)
                for folder in reversed(() if done else folders):
                    with contextlib.suppress(Refusal):
                        _drop_folders([self._tree.locate(folder, exact=True)])
        self._delete_recovery_file()

    def _read_recovery_file(self) -> tuple[bool, str, list[Step], list[str]]:
        """Return the note in the recovery file as (all files were replaced, outcome file, steps, created folders).

        Raises OSError, ValueError, TypeError, LookupError or RecursionError if the file is missing or invalid.
        """
        with open(self._recovery_path, "rb") as file:
            note = json.loads(file.read())
        steps = [
            Step(str(real), str(name), str(temporary), str(backup), int(inode))
            for real, name, temporary, backup, inode in note["steps"]
        ]
        return bool(note["done"]), str(note.get("outcome", "")), steps, [str(folder) for folder in note["folders"]]

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
        """Delete the recovery file. If that fails, it is harmless, because the temporary names in it are no longer in
        use."""
        with contextlib.suppress(OSError):
            os.unlink(self._recovery_path)

    def _described(self, file: StagedFile) -> dict[str, Any]:
        resolved = file.resolved
        found = {"path": resolved.requested, "real_path": self._tree.to_shown(resolved.real), "inside": resolved.inside}
        return {**found, **(describe(file.status) if file.status else {"exists": False})}


def _settle(outcome: str) -> None:
    """Rename a prepared outcome file to its final name. Repeating this does nothing."""
    if outcome:
        with contextlib.suppress(FileNotFoundError):
            os.rename(outcome, outcome.removesuffix(PREPARED))


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
    old_mode = _checked(file)
    file.existed = old_mode is not None
    if wanted.content is not None and wanted.is_link:
        os.symlink(wanted.content, step.temporary, dir_fd=file.parent_fd)
        file.status = os.lstat(step.temporary, dir_fd=file.parent_fd)
        file.step = step._replace(inode=file.status.st_ino)
    elif wanted.content is not None:
        mode = old_mode if wanted.mode is None else wanted.mode
        file.status = write_temporary(file.parent_fd, step.temporary, wanted.content, mode)
        file.step = step._replace(inode=file.status.st_ino)
    elif not file.existed:
        raise Refusal(NOT_FOUND, f"There is no such file: {wanted.path}")


def _checked(file: StagedFile) -> int | None:
    """Return the mode of the existing file; None if there is no file. Raises Refusal if it is not in the expected
    state."""
    wanted, fd, name = file.wanted, file.parent_fd, file.step.name
    if wanted.link is None:
        return WriteCondition(wanted.path, wanted.expected).check(fd, name)
    status = os.lstat(name, dir_fd=fd)
    if not stat.S_ISLNK(status.st_mode) or os.readlink(name, dir_fd=fd) != wanted.link:
        raise Refusal(CONFLICT, f"{wanted.path} has changed since it was read; read it again.")
    return stat.S_IMODE(status.st_mode)


def _put(file: StagedFile) -> None:
    """Replace or remove one file of the change set.

    Checks again that the file is in the expected state: commands do not know our lock and may have changed it since
    it was staged.
    """
    step, fd = file.step, file.parent_fd
    exists = _checked(file) is not None
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

    With a hard link, the file also stays in its place meanwhile. If the kernel refuses a hard link, because the file is
    another user's (EPERM) or has too many links (EMLINK), the file is renamed instead, and missing from its place for a
    moment.
    """
    try:
        os.link(step.name, step.backup, src_dir_fd=fd, dst_dir_fd=fd, follow_symlinks=False)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EMLINK):
            raise
        os.rename(step.name, step.backup, src_dir_fd=fd, dst_dir_fd=fd)


def _put_back(fd: int, step: Step) -> bool:
    """Undo `_stage` and `_put` for one file, even if only some of their steps were done. Returns False if that
    fails."""
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
    """Remove the folders that a change set has created, except folders that are not empty."""
    for folder in reversed(folders):
        with contextlib.suppress(OSError):
            parent_fd = _open_parent(folder)
            try:
                os.rmdir(os.path.basename(folder.relative), dir_fd=parent_fd)
            finally:
                os.close(parent_fd)
