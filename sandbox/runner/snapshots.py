"""Snapshots: recorded states of the workspace's files, stored where the tool user has no access.

A snapshot is a manifest that maps each path to mode, size and content hash. Its id is the hash of the manifest, so
equal states have equal ids. Contents are stored once per hash, compressed. In a git repository the files are those that
git lists (tracked or untracked, ignored ones left out), otherwise those found by walking the folders. Either way this
is only a list of names, each of which is opened like any other path. Files whose times and size have not changed are
not read again.
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
from .tree import StatBelow, Tree, open_exactly, status_exactly
from .tree_walk import walk

MAX_STORED_BYTES: Final = 2 << 20  # of a file; of larger ones only the hash is recorded
MAX_HASHED_BYTES: Final = 64 << 20
"""Larger files are recorded by size and time: hashing a sparse file of a terabyte would block every snapshot."""
FILES_LIMIT: Final = 100_000  # files in a snapshot
LIST_LIMIT: Final = 64 << 20  # bytes of git's output
GIT_TIMEOUT: Final = 30.0  # seconds
KEPT_SNAPSHOTS: Final = 500  # if there are more, the older half is deleted
JOURNAL_RESERVE_BYTES: Final = 160 << 20
JOURNAL_RESERVE_INODES: Final = 100
"""Space left free on the runner's disk: no command can start if the journal cannot be written. Contents that do not fit
are recorded by hash only, like those of large files."""
SETTLED_NS: Final = 50_000_000
"""A file that changed less than this before it was read is read again next time: it may change once more without a
change of its time, whose resolution is limited."""
SKIPPED_FOLDERS: Final = frozenset(
    {".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", ".cache", ".tox", ".mypy_cache", "target"}
)
TEMPORARY_SUFFIX: Final = ".new"
GIT: Final = ("git", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false")


class Recorded(NamedTuple):
    """What a snapshot holds of one file.

    `stored`: the content is stored, not only its hash. The content of a symbolic link is its target.
    """

    mode: int
    size: int
    sha256: str
    stored: bool


Manifest = Mapping[str, Recorded]
Stamp = tuple[int, int, int, int]  # mtime, ctime, size, inode


class Snapshots:
    """Records and loads states of the workspace, and deletes the oldest."""

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
        """Record the current state and return its id."""
        manifest = self.current()
        text = json.dumps(manifest, sort_keys=True, separators=(",", ":")).encode("ascii")
        snapshot_id = sha256(text).hexdigest()
        path = f"{self._manifests}/{snapshot_id}"
        try:
            os.utime(path)
        except FileNotFoundError:
            put_file(path, zlib.compress(text, 1))
            self._delete_oldest()
        return snapshot_id

    def load(self, snapshot_id: str) -> Manifest:
        """Return a snapshot's manifest. Raises Refusal if there is no such snapshot."""
        if len(snapshot_id) != 64 or not set(snapshot_id) <= set("0123456789abcdef"):
            raise Refusal(NOT_FOUND, "This is not the id of a snapshot.")
        try:
            text = zlib.decompress(get_file(f"{self._manifests}/{snapshot_id}"))
        except FileNotFoundError:
            raise Refusal(NOT_FOUND, f"There is no snapshot {snapshot_id[:12]}.") from None
        return {path: Recorded(*fields) for path, fields in json.loads(text).items()}

    def content(self, recorded: Recorded) -> bytes:
        """Return the stored content of a file."""
        return zlib.decompress(get_file(self._blob(recorded.sha256)))

    def current(self) -> Manifest:
        """Return the manifest of the workspace as it is now, and store the contents."""
        with self._lock:
            fresh: dict[str, tuple[Stamp, Recorded]] = {}
            with StatBelow(self._tree.root_fd) as below:
                for path in self._list():
                    if known := self._record(path, below):
                        fresh[path] = known
            self._cache = fresh
        return {path: recorded for path, (_, recorded) in fresh.items()}

    def _record(self, path: str, below: StatBelow) -> tuple[Stamp, Recorded] | None:
        """Record one file. None if it is not a file or link, was deleted, or cannot be read."""
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
        """Return mode, size, hash and content of a file. Content is None if it is too large to store.

        Call it as the tool user.
        """
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
            if (
                status.st_size <= MAX_STORED_BYTES
                and len(content := file.read(MAX_STORED_BYTES + 1)) <= MAX_STORED_BYTES
            ):
                return mode, len(content), sha256(content).hexdigest(), content
            if status.st_size > MAX_HASHED_BYTES:
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
        for folder, names in walk(self._tree.root_fd, skipped=SKIPPED_FOLDERS, limit=FILES_LIMIT):
            for name in names:
                yield os.path.normpath(os.path.join(folder, name))

    def _list_by_git(self) -> list[str] | None:
        """Return the paths that git lists. None if there is no repository that git can read."""
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
        """Store a content unless it exists already. Returns False if there is no room for it."""
        path = self._blob(sha256)
        if not os.path.exists(path):
            if not self._has_room():
                return False
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            put_file(path, zlib.compress(content, 1))
        return True

    def _has_room(self) -> bool:
        disk = os.statvfs(self._blobs)
        return disk.f_bavail * disk.f_frsize > JOURNAL_RESERVE_BYTES and (
            disk.f_favail > JOURNAL_RESERVE_INODES or not disk.f_files
        )

    def _blob(self, sha256: str) -> str:
        return f"{self._blobs}/{sha256[:2]}/{sha256[2:]}"

    def _delete_oldest(self) -> None:
        """Delete the older half of the snapshots if there are too many or the disk is full.

        Contents are then deleted unless a remaining snapshot, or the state that was read last, needs them.
        """
        by_age = sorted(os.scandir(self._manifests), key=lambda entry: entry.stat().st_mtime_ns)
        if len(by_age) <= KEPT_SNAPSHOTS and self._has_room():
            return
        for entry in by_age[: len(by_age) // 2]:
            os.unlink(entry.path)
        with self._lock:
            wanted = {recorded.sha256 for _, recorded in self._cache.values()}
            for name in os.listdir(self._manifests):
                if not name.endswith(TEMPORARY_SUFFIX):
                    wanted |= {recorded.sha256 for recorded in self.load(name).values()}
            for folder in os.scandir(self._blobs):
                for blob in os.scandir(folder.path):
                    if folder.name + blob.name not in wanted:
                        os.unlink(blob.path)


def get_file(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def put_file(path: str, content: bytes) -> None:
    """Write a file atomically: it is complete or absent, even if the runner is killed."""
    temporary = f"{path}.{threading.get_ident()}{TEMPORARY_SUFFIX}"
    with open(temporary, "wb") as file:
        file.write(content)
    os.rename(temporary, path)
