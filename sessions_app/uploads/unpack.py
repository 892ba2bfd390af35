"""Turn an uploaded file into a workspace. This module runs as a program inside a container, as the tool user.

It imports only the standard library, because the sandbox worker sends its source code into the container. It reads the
file from stdin, unpacks it below the folder, makes a git repository with one commit unless the file contains a
repository, and prints one JSON object: a summary of the unpacked files, or `refused` with a sentence for people.
"""

import json
import lzma
import os
import posixpath
import re
import shutil
import stat
import subprocess
import sys
import tarfile
import unicodedata
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import IO, Any, Final, Literal

READ_BYTES: Final = 1 << 18
STAGE: Final = ".agentsite-upload"
MAX_PATH_BYTES: Final = 4096
MAX_NAME_BYTES: Final = 255
KEPT_TOP: Final = frozenset({"src", "lib", "app", "test", "tests", "docs"})
"""Names that a project's own folders have. If an archive has a single top folder, the folder is left out of the paths,
unless its name is one of these or begins with a dot."""
JUNK: Final = frozenset({"__MACOSX", ".DS_Store", "Thumbs.db"})  # what file managers add
PACKED_FROM: Final = 2_000  # files; more are packed, so that a workspace starts faster
ENCRYPTED: Final = 0x1  # flag bits of zip entries
UTF8: Final = 0x800
RUNNABLE: Final = 0o755
FIRST_COMMIT: Final = "Start of the project"
AUTHOR: Final = ("-c", "user.name=agentsite", "-c", "user.email=agentsite@localhost")
GIT_TIMEOUT: Final = 300  # seconds
BROKEN: Final = "The file is damaged, or was not sent completely: {}."
PREFERRED: Final = ("main", "master", "trunk")  # branches, if a bundle does not say which is checked out
EntryKind = Literal["file", "directory", "symlink", "hardlink", "other"]


class Refused(Exception):
    """The upload cannot become a workspace; the message is for people."""


@dataclass(frozen=True)
class Limits:
    """The limits of an upload. `max_bytes` is the maximum size of the unpacked content. `disk_mib` is the workspace's
    disk limit, which is only used in error messages."""

    max_bytes: int
    max_entries: int
    disk_mib: int


@dataclass
class Tally:
    """Counts of the entries that were unpacked so far. `left_out` counts entries whose kind or name a workspace cannot
    have. `modeless`: the modes of files are unknown, because browsers and some zip programs do not send them."""

    limits: Limits
    files: int = 0
    bytes: int = 0
    entries: int = 0
    left_out: int = 0
    modeless: bool = False
    directories: dict[str, int] = field(default_factory=dict)

    def add_entry(self) -> None:
        self.entries += 1
        if self.entries > self.limits.max_entries:
            raise Refused(f"The upload has more than {self.limits.max_entries:,} files and folders (limit inodes).")

    def add_bytes(self, size: int) -> None:
        self.bytes += size
        if self.bytes > self.limits.max_bytes:
            raise Refused(
                f"Unpacked, the upload has more than {self.limits.max_bytes >> 20:,} MiB, which is half of the limit"
                f" disk_mib ({self.limits.disk_mib:,} MiB)."
            )


@dataclass(frozen=True)
class Entry:
    """An entry of an archive. `source` is the object of `zipfile` or `tarfile` for the entry."""

    name: str
    kind: EntryKind
    mode: int
    source: Any
    target: str = ""
    size: int = 0


def main(folder: str, options: dict[str, Any], source: IO[bytes]) -> dict[str, Any]:
    """Unpack an upload into `folder`, and return its kind, size, number of files and branch. Raises Refused."""
    os.umask(0o022)
    limits = Limits(options["max_bytes"], options["max_entries"], options["disk_mib"])
    upload = os.path.join(folder, ".agentsite-upload.part")
    receive(source, upload, options["size"])
    tally = Tally(limits)
    try:
        if options["kind"] == "bundle":
            fetch_bundle(upload, folder)
        else:
            unpack(folder, entries_of(upload, options["kind"], limits), tally)
    finally:
        os.unlink(upload)
        shutil.rmtree(os.path.join(folder, STAGE), ignore_errors=True)
    tally.files = tally.files or sum(1 for _ in files_in(folder))
    if not tally.files:
        raise Refused("The upload contains no files.")
    known = has_repository(folder)
    if tally.modeless:
        restore_modes(folder, has_index=known)
    if not known:
        make_repository(folder, tally.files)
    facts = {"kind": options["kind"], "files": tally.files, "left_out": tally.left_out, "branch": branch_of(folder)}
    return {**facts, "bytes": tally.bytes or size_of(folder)}


def receive(source: IO[bytes], path: str, size: int) -> None:
    """Write exactly `size` bytes of `source` to the path."""
    with open(path, "wb") as file:
        while size:
            piece = source.read(min(size, READ_BYTES))
            if not piece:
                raise Refused(BROKEN.format("its end is missing"))
            file.write(piece)
            size -= len(piece)


def entries_of(upload: str, kind: str, limits: Limits) -> Iterator[Entry]:
    return zip_entries(upload, limits) if kind == "zip" else tar_entries(upload)


def zip_entries(upload: str, limits: Limits) -> Iterator[Entry]:
    with zipfile.ZipFile(upload) as archive:
        entries = archive.infolist()
        declared = sum(each.file_size for each in entries)
        if declared > limits.max_bytes:
            Tally(limits).add_bytes(declared)
        for each in entries:
            if each.flag_bits & ENCRYPTED:
                raise Refused("The zip file is encrypted with a password. Make one without.")
            yield zip_entry(archive, each)


def zip_entry(archive: zipfile.ZipFile, each: zipfile.ZipInfo) -> Entry:
    name = each.orig_filename if each.flag_bits & UTF8 else in_utf8(each.orig_filename)
    mode = each.external_attr >> 16
    if each.is_dir():
        return Entry(name, "directory", 0o755, None)
    if stat.S_ISLNK(mode):
        target = os.fsdecode(archive.read(each)) if each.file_size < MAX_PATH_BYTES else ""
        return Entry(name, "symlink", 0, None, target)
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        return Entry(name, "other", 0, None)
    return Entry(name, "file", mode & 0o777, (archive, each), size=each.file_size)


def in_utf8(name: str) -> str:
    """Return the name of a zip entry decoded as UTF-8, if possible. zipfile reads it as cp437, because many programs do
    not set the flag for UTF-8."""
    try:
        return name.encode("cp437").decode("utf-8")
    except UnicodeError:
        return name


def tar_entries(upload: str) -> Iterator[Entry]:
    with tarfile.open(upload, "r:*") as archive:
        for each in archive:
            if each.isreg():
                yield Entry(each.name, "file", each.mode & 0o777, (archive, each), size=each.size)
            elif each.isdir():
                yield Entry(each.name, "directory", each.mode & 0o777, None)
            elif each.issym():
                yield Entry(each.name, "symlink", 0, None, each.linkname)
            elif each.islnk():
                yield Entry(each.name, "hardlink", 0, None, each.linkname)
            else:
                yield Entry(each.name, "other", 0, None)
            archive.members.clear()  # type: ignore[attr-defined]  # otherwise all entries stay in memory


def unpack(folder: str, entries: Iterable[Entry], tally: Tally) -> None:
    """Write entries below the folder. The name of a single top folder that contains all entries is removed."""
    stage = os.path.join(folder, STAGE)
    os.mkdir(stage)
    for entry in entries:
        tally.add_entry()
        path = clean_path(entry.name)
        if path == "":
            continue
        if path is None or not put(stage, path, entry, tally):
            tally.left_out += 1
    for path, mode in sorted(tally.directories.items(), reverse=True):
        os.chmod(os.path.join(stage, path), mode | 0o700)
    top = top_of(stage)
    for name in os.listdir(top):
        os.rename(os.path.join(top, name), os.path.join(folder, name))


def clean_path(name: str) -> str | None:
    """Return the relative path of the entry with this name: "" for an entry to skip, None for a forbidden name."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".")]
    if not JUNK.isdisjoint(parts):
        return ""
    too_long = any(len(os.fsencode(part)) > MAX_NAME_BYTES for part in parts) or len(os.fsencode(name)) > MAX_PATH_BYTES
    absolute = name.startswith(("/", "\\")) or re.match(r"[A-Za-z]:[\\/]", name)
    if ".." in parts or "\0" in name or too_long or absolute:
        return None
    return "/".join(unicodedata.normalize("NFC", part) if part.isprintable() else part for part in parts)


def put(stage: str, path: str, entry: Entry, tally: Tally) -> bool:
    """Write one entry. Returns False if the entry cannot be written. A full disk ends the program."""
    if entry.kind == "other" or not has_real_parent(stage, path):
        return False
    place = os.path.join(stage, path)
    try:
        if entry.kind == "directory":
            os.makedirs(place, exist_ok=True)
            tally.directories[path] = entry.mode
            return True
        os.makedirs(os.path.dirname(place), exist_ok=True)
        if os.path.lexists(place) and not (os.path.isdir(place) and not os.path.islink(place)):
            os.unlink(place)
        return put_file(stage, place, entry, tally)
    except (FileExistsError, NotADirectoryError, IsADirectoryError, PermissionError):
        return False


def put_file(stage: str, place: str, entry: Entry, tally: Tally) -> bool:
    if entry.kind == "symlink":
        if not entry.target or "\0" in entry.target:
            return False
        os.symlink(entry.target, place)
    elif entry.kind == "hardlink":
        first = clean_path(entry.target)
        if not first or not has_real_parent(stage, first) or not is_file(os.path.join(stage, first)):
            return False
        tally.add_bytes(os.path.getsize(os.path.join(stage, first)))
        shutil.copy2(os.path.join(stage, first), place, follow_symlinks=False)
    else:
        with opened(entry) as source, open(place, "xb") as file:
            while piece := source.read(READ_BYTES):
                tally.add_bytes(len(piece))
                file.write(piece)
        os.chmod(place, (entry.mode or 0o644) | 0o600)
        tally.modeless = tally.modeless or not entry.mode
    tally.files += 1
    return True


def opened(entry: Entry) -> IO[bytes]:
    archive, member = entry.source
    if isinstance(archive, zipfile.ZipFile):
        return archive.open(member)
    source: IO[bytes] | None = archive.extractfile(member)
    if source is None:
        raise Refused(BROKEN.format("an entry has no content"))
    return source


def has_real_parent(stage: str, path: str) -> bool:
    """Return whether no parent folder of the path is a symbolic link, which an archive could contain."""
    at = stage
    for part in path.split("/")[:-1]:
        at = os.path.join(at, part)
        if os.path.islink(at):
            return False
    return True


def is_file(path: str) -> bool:
    return os.path.isfile(path) and not os.path.islink(path)


def top_of(stage: str) -> str:
    """Return the folder whose content becomes the workspace: the stage, or the single folder in it."""
    names = os.listdir(stage)
    single = os.path.join(stage, names[0]) if len(names) == 1 else ""
    if not single or os.path.islink(single) or not os.path.isdir(single):
        return stage
    return stage if names[0] in KEPT_TOP or names[0].startswith(".") else single


def run_git(folder: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    environment = {"PATH": os.defpath, "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}
    command = ["git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "gc.auto=0", *arguments]
    options: dict[str, Any] = {"cwd": folder, "env": environment, "timeout": GIT_TIMEOUT}
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False, **options)


def git(folder: str, *arguments: str, check: bool = True) -> str:
    """Run git in the folder and return its output. Raises Refused if git fails."""
    done = run_git(folder, *arguments)
    if check and done.returncode != 0:
        last = done.stderr.decode("utf-8", "replace").strip()[-300:]
        raise Refused(f"git could not read the upload: {last or 'it ended unexpectedly'}")
    return done.stdout.decode("utf-8", "surrogateescape") if done.returncode == 0 else ""


def has_repository(folder: str) -> bool:
    """Return whether the upload contains a repository. An entry `.git` that is not a repository itself, such as the
    file `.git` of a worktree, is renamed."""
    place = os.path.join(folder, ".git")
    if not os.path.lexists(place):
        return False
    if os.path.isdir(place) and git(folder, "rev-parse", "--absolute-git-dir", check=False).strip() == place:
        return True
    os.rename(place, os.path.join(folder, ".git-of-upload"))
    return False


def restore_modes(folder: str, *, has_index: bool) -> None:
    """Make executable those files that the repository's index lists as executable or, without an index, those that
    begin with `#!`."""
    if has_index:
        for line in git(folder, "ls-files", "-s", "-z").split("\0")[:-1]:
            place = os.path.join(folder, line.partition("\t")[2])
            if line.startswith("100755") and is_file(place):
                os.chmod(place, RUNNABLE)
        return
    for place in files_in(folder):
        if is_file(place):
            with open(place, "rb") as file:
                if file.read(2) == b"#!":
                    os.chmod(place, RUNNABLE)


def make_repository(folder: str, files: int) -> None:
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, *AUTHOR, "commit", "-q", "--allow-empty", "--no-verify", "--no-gpg-sign", "-m", FIRST_COMMIT)
    if files > PACKED_FROM:
        git(folder, "repack", "-adq")


def fetch_bundle(upload: str, folder: str) -> None:
    """Put the branches and tags of a bundle into a new repository, and check out its current branch."""
    git(folder, "init", "-q", "-b", "main")
    if b"lacks these prerequisite" in run_git(folder, "bundle", "verify", upload).stderr:
        raise Refused("The bundle needs commits that are not in it. Make a complete one: git bundle create FILE --all")
    git(folder, "bundle", "verify", "-q", upload)
    git(folder, "fetch", "-q", "--update-head-ok", "--no-recurse-submodules", upload, "+refs/heads/*:refs/heads/*",
        "+refs/tags/*:refs/tags/*")  # fmt: skip
    heads = dict(line.split(" ", 1)[::-1] for line in git(folder, "bundle", "list-heads", upload).splitlines())
    branches = {name.removeprefix("refs/heads/"): id_ for name, id_ in heads.items() if name.startswith("refs/heads/")}
    if not branches:
        raise Refused("The bundle has no branch. Make one with: git bundle create FILE --all")
    current = [name for name, id_ in branches.items() if id_ == heads.get("HEAD")]
    known = [name for name in PREFERRED if name in (current or branches)]
    git(folder, "symbolic-ref", "HEAD", f"refs/heads/{[*known, *current, *branches][0]}")
    git(folder, "reset", "-q", "--hard")


def branch_of(folder: str) -> str:
    return git(folder, "symbolic-ref", "-q", "--short", "HEAD", check=False).strip()[:200]


def files_in(folder: str) -> Iterator[str]:
    for above, folders, names in os.walk(folder):
        if above == folder and ".git" in folders:
            folders.remove(".git")
        yield from (posixpath.join(above, name) for name in names)


def size_of(folder: str) -> int:
    return sum(os.lstat(path).st_size for path in files_in(folder))


def run(folder: str, options: dict[str, Any], source: IO[bytes]) -> dict[str, Any]:
    """Unpack an upload as `main` does, but return every expected failure as {"refused": sentence}."""
    try:
        return main(folder, options, source)
    except Refused as error:
        return {"refused": str(error)}
    except (zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError) as error:
        return {"refused": BROKEN.format(str(error)[:200] or type(error).__name__)}
    except NotImplementedError as error:
        return {"refused": f"The file is compressed in a way that is not supported ({error}). Use an ordinary zip."}
    except subprocess.TimeoutExpired:
        return {"refused": f"git did not finish within {GIT_TIMEOUT} s."}
    except MemoryError:
        return {"refused": "The file needs more memory to be unpacked than the limit memory_mib."}
    except OSError as error:
        full = "The upload does not fit on the workspace's disk (limits disk_mib and inodes)."
        return {"refused": full if error.errno in (28, 122) else BROKEN.format(error.strerror or error)}
    except (ValueError, RuntimeError, KeyError) as error:  # of zipfile and tarfile, for files that nobody made
        return {"refused": BROKEN.format(str(error)[:200] or type(error).__name__)}


if __name__ == "__main__":
    print(json.dumps(run(os.getcwd(), json.loads(sys.argv[1]), sys.stdin.buffer)))
