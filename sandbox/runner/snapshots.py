"""States of the workspace's files, kept where the tool user cannot reach them.

A snapshot is a manifest: path to mode, size and content hash. Its id is the hash of the manifest, so equal states
have equal ids. Contents are stored once, compressed, by hash. Which files count is git's answer in a repository
(tracked or not, ignored ones left out), otherwise a walk; either way only a list of names, each of which is opened
like any other path. Files whose times and size did not change are not read again.
"""

import json
import os
import stat
import threading
import time
import zlib
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from .digests import file_digest, sha256
from .errors import LIMIT_REACHED, NOT_FOUND, Refusal
from .privileges import Identity
from .processes import Job, Supervisor
from .programs import ENVIRONMENT, Head, run_searcher
from .tree import Below, Tree, open_exactly, status_exactly
from .tree_walk import walk

STORED_BELOW: Final = 2 << 20
HASHED_BELOW: Final = 64 << 20
"""Larger files are recorded by size and time: one sparse file of a terabyte would keep every snapshot from ending."""
FILES_LIMIT: Final = 100_000
LIST_LIMIT: Final = 64 << 20
GIT_TIMEOUT: Final = 30.0
KEPT_SNAPSHOTS: Final = 500
JOURNALS_ROOM: Final = 160 << 20
JOURNALS_FILES: Final = 100
"""Left free on the runner's disk: a command cannot start when the journal cannot be written. Contents for which there
is no room are recorded by hash only, like those of large files."""
SETTLED_NS: Final = 50_000_000
"""A file changed less than this before it was read may change again within the clock's step: it is read again."""
SKIPPED: Final = frozenset(
    {".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", ".cache", ".tox", ".mypy_cache", "target"}
)
UNFINISHED: Final = ".new"
GIT: Final = ("git", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false")


class Recorded(NamedTuple):
    """`stored`: the content is kept, not only its hash. A symbolic link's content is where it points."""

    mode: int
    size: int
    sha256: str
    stored: bool


Manifest = Mapping[str, Recorded]
Stamp = tuple[int, int, int, int]


class Snapshots:
    def __init__(self, folder: str, tree: Tree, identity: Identity, supervisor: Supervisor) -> None:
        self._manifests = f"{folder}/manifests"
        self._blobs = f"{folder}/blobs"
        for path in (self._manifests, self._blobs):
            os.makedirs(path, mode=0o700, exist_ok=True)
        self._tree = tree
        self._identity = identity
        self._supervisor = supervisor
        self._lock = threading.Lock()
        self._cache: dict[str, tuple[Stamp, Recorded]] = {}

    def take(self) -> str:
        manifest = self.current()
        text = json.dumps(manifest, sort_keys=True, separators=(",", ":")).encode("ascii")
        snapshot_id = sha256(text).hexdigest()
        path = f"{self._manifests}/{snapshot_id}"
        try:
            os.utime(path)
        except FileNotFoundError:
            put_file(path, zlib.compress(text, 1))
            self._forget_oldest()
        return snapshot_id

    def load(self, snapshot_id: str) -> Manifest:
        if len(snapshot_id) != 64 or not set(snapshot_id) <= set("0123456789abcdef"):
            raise Refusal(NOT_FOUND, "This is not the id of a snapshot.")
        try:
            text = zlib.decompress(get_file(f"{self._manifests}/{snapshot_id}"))
        except FileNotFoundError:
            raise Refusal(NOT_FOUND, f"There is no snapshot {snapshot_id[:12]}.") from None
        return {path: Recorded(*fields) for path, fields in json.loads(text).items()}

    def content(self, recorded: Recorded) -> bytes:
        return zlib.decompress(get_file(self._blob(recorded.sha256)))

    def current(self) -> Manifest:
        """The workspace as it is now, its contents stored."""
        with self._lock:
            fresh: dict[str, tuple[Stamp, Recorded]] = {}
            with Below(self._tree.root_fd) as below:
                for path in self._list():
                    if known := self._record(path, below):
                        fresh[path] = known
            self._cache = fresh
        return {path: recorded for path, (_, recorded) in fresh.items()}

    def _record(self, path: str, below: Below) -> tuple[Stamp, Recorded] | None:
        """None for what is not a file or link, is gone, or may not be read."""
        try:
            with self._identity.as_tool_user():
                status = below.status(path)
                stamp = (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)
                cached = self._cache.get(path)
                if cached and cached[0] == stamp:
                    return cached
                read_at = time.time_ns()
                mode, size, sha256, content = self._read(path)
        except OSError:
            return None
        recorded = Recorded(mode, size, sha256, content is not None and self._store(sha256, content))
        settled = status.st_ctime_ns < read_at - SETTLED_NS
        return (stamp if settled else (0, 0, 0, 0)), recorded

    def _read(self, path: str) -> tuple[int, int, str, bytes | None]:
        """As the tool user. Content is None for a file too large to keep."""
        parent, name = os.path.split(path)
        parent_fd = open_exactly(self._tree.root_fd, parent or ".", os.O_PATH | os.O_DIRECTORY)
        try:
            if stat.S_ISLNK(os.lstat(name, dir_fd=parent_fd).st_mode):
                target = os.fsencode(os.readlink(name, dir_fd=parent_fd))
                return stat.S_IFLNK, len(target), sha256(target).hexdigest(), target
            fd = open_exactly(parent_fd, name, os.O_RDONLY | os.O_NOFOLLOW)
        finally:
            os.close(parent_fd)
        with open(fd, "rb", buffering=0) as file:
            status = os.fstat(fd)
            if not stat.S_ISREG(status.st_mode):
                raise OSError("Only regular files are recorded.")
            mode = stat.S_IFREG | (status.st_mode & 0o111 and 0o111)
            if status.st_size <= STORED_BELOW and len(content := file.read(STORED_BELOW + 1)) <= STORED_BELOW:
                return mode, len(content), sha256(content).hexdigest(), content
            if status.st_size > HASHED_BELOW:
                seen = f"{status.st_size} {status.st_mtime_ns} {status.st_ino}"
                return mode, status.st_size, sha256(seen.encode()).hexdigest(), None
            os.lseek(fd, 0, os.SEEK_SET)
            return mode, status.st_size, file_digest(file), None

    def _list(self) -> list[str]:
        names = self._list_by_git()
        if names is None:
            with self._identity.as_tool_user():
                names = list(self._walk())
        if len(names) > FILES_LIMIT:
            raise Refusal(LIMIT_REACHED, f"The workspace has more than {FILES_LIMIT} files that are not ignored.")
        return sorted(set(names))

    def _walk(self) -> Iterator[str]:
        for folder, names in walk(self._tree.root_fd, skipped=SKIPPED, limit=FILES_LIMIT):
            for name in names:
                yield os.path.normpath(os.path.join(folder, name))

    def _list_by_git(self) -> list[str] | None:
        """None where there is no repository that git can read."""
        try:
            with self._identity.as_tool_user():
                status_exactly(self._tree.root_fd, ".git")
        except OSError:
            return None
        head = Head(LIST_LIMIT)
        root_fd = self._tree.root_fd
        argv = [*GIT, "ls-files", "-co", "--exclude-standard", "-z"]
        job = Job(argv, head, cwd_fd=os.dup(root_fd), env=ENVIRONMENT, timeout=GIT_TIMEOUT)
        run_searcher(self._supervisor, self._identity, job, root_fd)
        if job.exit_code != 0:
            return None
        names = [os.fsdecode(name) for name in bytes(head.kept).split(b"\0")]
        return [name for name in names if name and not name.startswith("/") and ".." not in name.split("/")]

    def _store(self, sha256: str, content: bytes) -> bool:
        """Whether it is there now."""
        path = self._blob(sha256)
        if not os.path.exists(path):
            if not self._has_room():
                return False
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            put_file(path, zlib.compress(content, 1))
        return True

    def _has_room(self) -> bool:
        disk = os.statvfs(self._blobs)
        return disk.f_bavail * disk.f_frsize > JOURNALS_ROOM and (disk.f_favail > JOURNALS_FILES or not disk.f_files)

    def _blob(self, sha256: str) -> str:
        return f"{self._blobs}/{sha256[:2]}/{sha256[2:]}"

    def _forget_oldest(self) -> None:
        """Keeps the newest snapshots and the contents that they, or the state that was just read, refer to."""
        by_age = sorted(os.scandir(self._manifests), key=lambda entry: entry.stat().st_mtime_ns)
        if len(by_age) <= KEPT_SNAPSHOTS and self._has_room():
            return
        for entry in by_age[: len(by_age) // 2]:
            os.unlink(entry.path)
        with self._lock:
            wanted = {recorded.sha256 for _, recorded in self._cache.values()}
            for name in os.listdir(self._manifests):
                if not name.endswith(UNFINISHED):
                    wanted |= {recorded.sha256 for recorded in self.load(name).values()}
            for folder in os.scandir(self._blobs):
                for blob in os.scandir(folder.path):
                    if folder.name + blob.name not in wanted:
                        os.unlink(blob.path)


def get_file(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def put_file(path: str, content: bytes) -> None:
    """Complete or not at all, even if the runner is killed."""
    temporary = f"{path}.{threading.get_ident()}{UNFINISHED}"
    with open(temporary, "wb") as file:
        file.write(content)
    os.rename(temporary, path)
