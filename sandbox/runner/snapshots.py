"""Snapshots: recorded states of the workspace's files, stored where the tool user has no access.

A snapshot is a manifest that maps each path to mode, size and content hash. Its id is the hash of the manifest, so
equal states have equal ids. Contents are stored once per hash, compressed. In a git repository the files are those that
git lists (tracked or untracked, ignored ones left out), otherwise those found by walking the folders. Either way this
is only a list of names, each of which is opened like any other path. Files whose times and size have not changed are
not read again.
"""

import os
import stat
import struct
import threading
import time
import zlib
from collections.abc import Iterable, Iterator
from typing import Final

from .budgets import OBJECT_COST, Budget, MemoryPool, NameList
from .digests import file_digest, sha256
from .errors import LIMIT_REACHED, NOT_FOUND, Refusal
from .manifests import Manifest, Recorded, compress, decompress, from_text, recorded_in, to_text
from .privileges import Identity
from .processes import Job, Supervisor
from .programs import ENVIRONMENT, run_searcher
from .tree import MAX_TIME_NS, StatBelow, Tree, open_exactly, status_exactly
from .tree_walk import walk

MAX_STORED_BYTES: Final = 2 << 20  # of a file; of larger ones only the hash is recorded
MAX_HASHED_BYTES: Final = 64 << 20
"""Larger files are recorded by size and time: hashing a sparse file of a terabyte would block every snapshot."""
FILES_LIMIT: Final = 100_000  # files in a snapshot
MEMORY_LIMIT: Final = 40 << 20  # bytes for the names and hashes of one snapshot
ENTRY_COST: Final = OBJECT_COST + 128  # bytes of memory for a file, without its path
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


TOO_MANY: Final = "The workspace has too many files to compare"
STAMP: Final = struct.Struct("<qqqQ")
"""Precedes a file's entry in the cache: mtime, ctime, size, inode."""
UNSETTLED: Final = bytes(STAMP.size)


class Snapshots:
    """Records and loads states of the workspace, and deletes the oldest."""

    def __init__(self, folder: str, tree: Tree, identity: Identity, supervisor: Supervisor, pool: MemoryPool) -> None:
        self._manifests = f"{folder}/manifests"
        self._blobs = f"{folder}/blobs"
        for path in (self._manifests, self._blobs):
            os.makedirs(path, mode=0o700, exist_ok=True)
        self._tree = tree
        self._identity = identity
        self._supervisor = supervisor
        self._pool = pool
        self._lock = threading.Lock()
        self._cache: dict[bytes, bytes] = {}
        self._cache_budget = self.budget()

    def budget(self) -> Budget:
        """Return a budget for the names of one state."""
        return self._pool.budget(MEMORY_LIMIT)

    def take(self) -> str:
        """Record the current state and return its id."""
        manifest = self.current()
        digest = sha256()
        for piece in to_text(manifest):
            digest.update(piece)
        snapshot_id = digest.hexdigest()
        path = f"{self._manifests}/{snapshot_id}"
        try:
            os.utime(path)
        except FileNotFoundError:
            put_file(path, compress(to_text(manifest)))
            self._delete_oldest()
        return snapshot_id

    def load(self, snapshot_id: str, budget: Budget) -> Manifest:
        """Return a snapshot's manifest. Raises Refusal if there is no such snapshot, or no memory for it."""
        if len(snapshot_id) != 64 or not set(snapshot_id) <= set("0123456789abcdef"):
            raise Refusal(NOT_FOUND, "This is not the id of a snapshot.")
        manifest: dict[bytes, bytes] = {}
        for path, packed in self._entries(snapshot_id):
            if not budget.spend(ENTRY_COST + len(path)):
                raise too_many("its names need too much memory")
            manifest[path] = packed
        return manifest

    def _entries(self, snapshot_id: str) -> Iterator[tuple[bytes, bytes]]:
        try:
            compressed = get_file(f"{self._manifests}/{snapshot_id}")
        except FileNotFoundError:
            raise Refusal(NOT_FOUND, f"There is no snapshot {snapshot_id[:12]}.") from None
        return from_text(decompress(compressed))

    def content(self, recorded: Recorded) -> bytes:
        """Return the stored content of a file."""
        return zlib.decompress(get_file(self._blob(recorded.sha256)))

    def current(self) -> Manifest:
        """Return the manifest of the workspace as it is now, and store the contents."""
        with self._lock:
            budget = self.budget()
            try:
                self._cache = self._record_all(budget)
            except BaseException:
                budget.close()
                raise
            self._cache_budget.close()
            self._cache_budget = budget
            return self._cache

    def _record_all(self, budget: Budget) -> dict[bytes, bytes]:
        fresh: dict[bytes, bytes] = {}
        with StatBelow(self._tree.root_fd) as below:
            for path in self._list(budget):
                if not budget.spend(ENTRY_COST - OBJECT_COST):
                    raise too_many("their names need too much memory")
                if entry := self._record(path, below):
                    fresh[path] = entry
        return fresh

    def _record(self, path: bytes, below: StatBelow) -> bytes | None:
        """Return the entry of one file. None if it is not a file or link, was deleted, or cannot be read."""
        name = os.fsdecode(path)
        try:
            with self._identity.as_tool_user():
                status = below.status(name)
                stamp = stamp_of(status)
                cached = self._cache.get(path)
                if cached and cached.startswith(stamp):
                    return cached
                read_at = time.time_ns()
                mode, size, sha256, content = self._read(name)
        except OSError:
            return None
        recorded = Recorded(mode, size, sha256, content is not None and self._store(sha256, content))
        settled = status.st_ctime_ns < read_at - SETTLED_NS
        return (stamp if settled else UNSETTLED) + recorded.packed()

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

    def _list(self, budget: Budget) -> list[bytes]:
        """Return the paths of all files, each of which is counted in the budget."""
        names = self._list_by_git(budget)
        if names is None:
            with self._identity.as_tool_user():
                names = self._walk(budget)
        if len(names) > FILES_LIMIT:
            raise too_many(f"more than {FILES_LIMIT:,} are not ignored")
        return sorted(set(names))

    def _walk(self, budget: Budget) -> list[bytes]:
        found: list[bytes] = []
        with self._pool.budget(MEMORY_LIMIT) as walking:
            for folder, names in walk(self._tree.root_fd, budget=walking, skipped=SKIPPED_FOLDERS, limit=FILES_LIMIT):
                for name in names:
                    path = os.fsencode(os.path.normpath(os.path.join(folder, name)))
                    if not budget.spend(OBJECT_COST + len(path)):
                        raise too_many("their names need too much memory")
                    found.append(path)
            if walking.is_spent:
                raise too_many("the names in one folder need too much memory")
        return found

    def _list_by_git(self, budget: Budget) -> list[bytes] | None:
        """Return the paths that git lists. None if there is no repository that git can read."""
        try:
            with self._identity.as_tool_user():
                status_exactly(self._tree.root_fd, ".git")
        except OSError:
            return None
        listed = NameList(budget, FILES_LIMIT)
        root_fd = self._tree.root_fd
        argv = [*GIT, "ls-files", "-co", "--exclude-standard", "-z"]
        memory = self._pool.program_mib
        job = Job(argv, listed, cwd_fd=os.dup(root_fd), env=ENVIRONMENT, timeout=GIT_TIMEOUT, data_mib=memory)
        run_searcher(self._supervisor, self._identity, self._pool, job, root_fd)
        if listed.is_cut:
            raise too_many(f"there are more than {FILES_LIMIT:,}, or their names need too much memory")
        if job.exit_code != 0:
            return None
        return [name for name in listed.names if not name.startswith(b"/") and b".." not in name.split(b"/")]

    def _store(self, sha256: str, content: bytes) -> bool:
        """Store a content unless it exists already. Returns False if there is no room for it."""
        path = self._blob(sha256)
        if not os.path.exists(path):
            if not self._has_room():
                return False
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            put_file(path, [zlib.compress(content, 1)])
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
            wanted = set(stored_hashes(self._cache.values()))
            for name in os.listdir(self._manifests):
                if not name.endswith(TEMPORARY_SUFFIX):
                    wanted.update(stored_hashes(packed for _, packed in self._entries(name)))
            for folder in os.scandir(self._blobs):
                for blob in os.scandir(folder.path):
                    if folder.name + blob.name not in wanted:
                        os.unlink(blob.path)


def stored_hashes(entries: Iterable[bytes]) -> Iterator[str]:
    """Yield the hashes of contents that are stored. There are never more than files on the runner's disk."""
    for recorded in map(recorded_in, entries):
        if recorded.stored:
            yield recorded.sha256


def stamp_of(status: os.stat_result) -> bytes:
    """Return what changes whenever a file changes. Times that do not fit into 64 bits are cut."""
    changed, described = status.st_mtime_ns, status.st_ctime_ns
    try:
        return STAMP.pack(changed, described, status.st_size, status.st_ino)
    except struct.error:
        return STAMP.pack(changed & MAX_TIME_NS, described & MAX_TIME_NS, status.st_size, status.st_ino)


def too_many(reason: str) -> Refusal:
    return Refusal(LIMIT_REACHED, f"{TOO_MANY}: {reason}. Remove files, or list them in .gitignore.")


def get_file(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def put_file(path: str, pieces: Iterable[bytes]) -> None:
    """Write a file atomically: it is complete or absent, even if the runner is killed."""
    temporary = f"{path}.{threading.get_ident()}{TEMPORARY_SUFFIX}"
    with open(temporary, "wb") as file:
        file.writelines(pieces)
    os.rename(temporary, path)
