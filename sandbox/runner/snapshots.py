"""Snapshots: recorded states of the workspace's files, stored where the tool user has no access.

A snapshot is a manifest that maps each path to mode, size and content hash. Its id is the hash of the manifest, so
equal states have equal ids. Contents are stored once per hash, compressed. A snapshot of a git repository has the files
that git lists (tracked or untracked, ignored ones left out); any other snapshot has the files found by walking the
folders. Either way this is only a list of names, each of which is opened like any other path. Files whose times and
size have not changed are not read again.
"""

import os
import stat
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Final

from .budgets import OBJECT_COST, Budget, MemoryPool, NameList
from .contents import Contents
from .digests import file_digest, sha256
from .entries import MODE, UNSETTLED, Steps, changed_states, stamp_of, stored_hashes
from .errors import LIMIT_REACHED, Refusal
from .manifest_files import ManifestFiles, packed_text
from .manifests import Manifest, Recorded, decompress, from_text
from .packs import COST as PACKED_COST
from .packs import PackWriter
from .privileges import Identity
from .processes import Job, Supervisor
from .programs import ENVIRONMENT, run_searcher
from .tree import StatBelow, Tree, open_exactly, status_exactly
from .tree_walk import walk
from .watching import Watch

MAX_STORED_BYTES: Final = 2 << 20  # of a file; of larger ones only the hash is recorded
MAX_HASHED_BYTES: Final = 64 << 20
"""Larger files are recorded by size and time: hashing a sparse file of a terabyte would block every snapshot."""
FILES_LIMIT: Final = 200_000  # files in a snapshot
MEMORY_LIMIT: Final = 64 << 20  # bytes for the names and hashes of one snapshot; a comparison holds three
ENTRY_COST: Final = OBJECT_COST + 128  # bytes of memory for a file, without its path
GIT_TIMEOUT: Final = 30.0  # seconds
KEPT_SNAPSHOTS: Final = 500  # if there are more, the older half is deleted
KEPT_ON_A_FULL_DISK: Final = 20
"""Snapshots that are kept even if the disk has no room for contents: a session's changes are compared with its first
one."""
SETTLED_NS: Final = 50_000_000
"""A file that changed less than this before it was read is read again next time: it may change once more without a
change of its time, whose resolution is limited."""
SKIPPED_FOLDERS: Final = frozenset(
    {".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", ".cache", ".tox", ".mypy_cache", "target"}
)
SKIPPED_NAMES: Final = frozenset(map(os.fsencode, SKIPPED_FOLDERS))
GIT: Final = ("git", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false")


TOO_MANY: Final = "The workspace has too many files to compare"
IGNORE_FILE: Final = b".gitignore"
GIT_INDEX: Final = (b".git/index", b".git/info/exclude")
"""Files of git that, besides the ignore files, decide which files it lists."""
ASKED_AT_ONCE: Final = 200  # names that git is asked about at once; with more new ones everything is listed
MAX_IGNORED: Final = 10_000  # names that are remembered as ignored


class Snapshots:
    """The recorded states of the workspace. The oldest are deleted when there are too many or the disk is full."""

    def __init__(self, folder: str, tree: Tree, identity: Identity, supervisor: Supervisor, pool: MemoryPool) -> None:
        self.manifests = ManifestFiles(f"{folder}/manifests")
        self.contents = Contents(f"{folder}/blobs")
        self._tree = tree
        self._identity = identity
        self._supervisor = supervisor
        self._pool = pool
        self._lock = threading.Lock()
        self._cache: dict[bytes, bytes] = {}
        self._cache_budget = self.budget()
        self._watch = Watch()
        self._watch_budget = pool.budget(MEMORY_LIMIT)
        self._again: set[bytes] = set()
        """Files to look at although no change was reported: they may change once more within the resolution of their
        times, or through another of their names."""
        self._ignored: set[bytes] = set()
        self._steps = Steps()
        self._is_repository = False
        self._taken: tuple[Manifest, str] | None = None
        self.needed: list[Callable[[], Iterable[str]]] = []
        """Functions that return the hashes of contents that are kept although no snapshot has them."""

    def budget(self) -> Budget:
        """Return a new memory budget, for the file names and the manifest of one snapshot."""
        return self._pool.budget(MEMORY_LIMIT)

    def take(self) -> str:
        """Store a snapshot of the workspace's files, unless they equal the newest one. Returns the snapshot's id."""
        manifest = self.current()
        if self._taken is not None and self._taken[0] is manifest and self.manifests.touch(self._taken[1]):
            return self._taken[1]
        snapshot_id, is_new = self.manifests.store(manifest)
        if is_new:
            self._delete_oldest()
        self._taken = manifest, snapshot_id
        return snapshot_id

    def load(self, snapshot_id: str, budget: Budget) -> Manifest:
        """Return a snapshot's manifest. Raises Refusal if there is no such snapshot, or no memory for it."""
        manifest: dict[bytes, bytes] = {}
        for path, packed in self.manifests.entries(snapshot_id):
            if not budget.spend(ENTRY_COST + len(path)):
                raise too_many("its names need too much memory")
            manifest[path] = packed
        return manifest

    def newest(self, count: int) -> Iterator[tuple[str, bytes, list[str]]]:
        """Yield (id, compressed manifest, hashes) of the current state, from which the next session may start, and of
        the newest snapshots, the newest first. `hashes` are the hashes of stored contents that no current file has.
        Yields nothing if there is no snapshot, or the files cannot be read."""
        found = self.manifests.by_age()[: -count - 1 : -1]
        try:
            manifest = self.current() if found else {}
        except Refusal:
            return
        now = set(stored_hashes(manifest.values()))
        if found:
            snapshot_id, compressed = packed_text(manifest)
            yield snapshot_id, compressed, []
            found = [each for each in found if each != snapshot_id]
        for snapshot_id in found:
            with suppress(Refusal):  # deleted meanwhile
                compressed = self.manifests.compressed(snapshot_id)
                hashes = stored_hashes(packed for _, packed in from_text(decompress(compressed)))
                yield snapshot_id, compressed, [digest for digest in hashes if digest not in now]

    def content(self, recorded: Recorded) -> bytes:
        """Return the stored content of a file."""
        return self.contents.read(recorded.sha256)

    def entry_of(self, path: bytes) -> bytes | None:
        """Return the current manifest entry of one file, and store the file's content.

        None if it is not a file or link, does not exist, or cannot be read.
        """
        with StatBelow(self._tree.root_fd) as below:
            return self._entry(path, below)[0]

    def current(self) -> Manifest:
        """Return the manifest of the current state of the workspace, and store the contents. If nothing has changed, it
        is the same object as last time; it is never modified."""
        with self._lock:
            changed = self._watch.changed()
            if changed is not None and self._update({os.fsencode(name) for name in changed}):
                return self._cache
            self._read_all()
            return self._cache

    def _read_all(self) -> None:
        budget = self.budget()
        try:
            self._restart_watch()
            fresh = self._record_all(budget)
        except BaseException:
            budget.close()
            self._watch.stop()
            raise
        self._cache_budget.close()
        self._cache_budget = budget
        if fresh != self._cache:
            self._steps.clear()
            self._cache = fresh

    def _restart_watch(self) -> None:
        """Watch all folders from now on. Changes during the reading of files are then reported next time."""
        self._watch_budget.close()
        self._watch_budget = self._pool.budget(MEMORY_LIMIT)
        self._again, self._ignored = set(), set()
        self._watch.restart()
        with self._identity.as_tool_user(), self._pool.budget(MEMORY_LIMIT) as walking:
            for folder, _ in walk(self._tree.root_fd, budget=walking, skipped=SKIPPED_FOLDERS, limit=FILES_LIMIT):
                self._watch_folder(os.path.normpath(folder))
            if walking.is_spent:
                self._watch.stop()
            try:
                if stat.S_ISDIR(status_exactly(self._tree.root_fd, ".git").st_mode):
                    self._watch_folder(".git")
                    self._watch_folder(".git/info", optional=True)
                else:
                    self._watch.stop()
            except OSError:
                return

    def _watch_folder(self, folder: str, *, optional: bool = False) -> None:
        """Add a folder to the inotify watch. Call it as the tool user."""
        try:
            fd = open_exactly(self._tree.root_fd, folder, os.O_RDONLY | os.O_DIRECTORY)
        except OSError:
            if not optional:
                self._watch.stop()
            return
        try:
            self._watch.add(fd, "" if folder == "." else folder, self._watch_budget)
        finally:
            os.close(fd)

    def _update(self, changed: set[bytes]) -> bool:
        """Update the manifest for the paths that may have changed. Returns False if everything has to be read again."""
        names = {name for name in changed if not name.startswith(b".git/")}
        if any(name in GIT_INDEX or name.endswith(IGNORE_FILE) for name in changed):
            return False
        if not names and not self._again:
            return True
        fresh: dict[bytes, bytes | None] = {}
        with StatBelow(self._tree.root_fd) as below:
            known = {name for name in names if name in self._cache}
            added = self._not_ignored([name for name in names - known - self._ignored if self._exists(name, below)])
            if added is None:
                return False
            for path in known | added | self._again:
                fresh[path] = self._record(path, below)
        cost = sum(ENTRY_COST + len(path) for path in added)
        if not self._cache_budget.spend(cost) or len(self._cache) + len(added) > FILES_LIMIT:
            return False
        self._again &= {path for path, entry in fresh.items() if entry}
        changed_paths = {path for path, entry in fresh.items() if self._cache.get(path) != entry}
        if changed_paths:
            self._replace(fresh, changed_paths)
        return True

    def _replace(self, fresh: dict[bytes, bytes | None], paths: set[bytes]) -> None:
        """Replace the manifest by a copy with the `fresh` entries for these paths. The old manifest is not modified."""
        merged = dict(self._cache)
        for path in paths:
            if entry := fresh[path]:
                merged[path] = entry
            else:
                merged.pop(path, None)
        self._steps.add(self._cache, merged, paths)
        self._cache = merged

    def changes(self, before: Manifest, after: Manifest) -> dict[bytes, list[Any]]:
        """Return [state before, state after] of each file whose content or mode differs. If the changes between the two
        manifests are known, only these files are compared."""
        return changed_states(before, after, self._steps.between(before, after))

    def _exists(self, path: bytes, below: StatBelow) -> bool:
        try:
            with self._identity.as_tool_user():
                return not stat.S_ISDIR(below.status(os.fsdecode(path)).st_mode)
        except OSError:
            return False

    def _not_ignored(self, names: list[bytes]) -> set[bytes] | None:
        """Return the new names that git does not ignore. None if git cannot tell, so that all files must be listed."""
        if not names or not self._is_repository:
            return set(names)
        if len(names) > ASKED_AT_ONCE:
            return None
        with self._pool.budget(MEMORY_LIMIT) as budget:
            listed = self._list_by_git(budget, names)
        if listed is None or len(self._ignored) > MAX_IGNORED:
            return None
        self._ignored |= set(names) - set(listed)
        return set(listed)

    def _record_all(self, budget: Budget) -> dict[bytes, bytes]:
        fresh: dict[bytes, bytes] = {}
        memory = self._pool.budget(MEMORY_LIMIT)
        with StatBelow(self._tree.root_fd) as below, self.contents.packing() as pack, memory:
            for path in self._list(budget):
                if not budget.spend(ENTRY_COST - OBJECT_COST):
                    raise too_many("their names need too much memory")
                if entry := self._record(path, below, pack if memory.spend(PACKED_COST) else None):
                    fresh[path] = entry
        return fresh

    def _record(self, path: bytes, below: StatBelow, pack: PackWriter | None = None) -> bytes | None:
        """Return a file's manifest entry, and note whether to read the file again even if no change is reported."""
        entry, again = self._entry(path, below, pack)
        (self._again.add if again else self._again.discard)(path)
        return entry

    def _entry(self, path: bytes, below: StatBelow, pack: PackWriter | None = None) -> tuple[bytes | None, bool]:
        """Return a file's manifest entry, and whether to read the file again even if no change is reported.

        The entry is None if the path is neither a file nor a link, was deleted, or cannot be read.
        """
        name = os.fsdecode(path)
        try:
            with self._identity.as_tool_user():
                status = below.status(name)
                stamp = stamp_of(status)
                cached = self._cache.get(path)
                if cached and cached.startswith(stamp):
                    return cached, status.st_nlink > 1
                read_at = time.time_ns()
                mode, size, sha256, content = self._read(name, below, is_link=stat.S_ISLNK(status.st_mode))
        except OSError:
            return None, False
        recorded = Recorded(mode, size, sha256, content is not None and self.contents.store(sha256, content, pack))
        settled = status.st_ctime_ns < read_at - SETTLED_NS
        entry = (stamp if settled else UNSETTLED) + MODE.pack(status.st_mode) + recorded.packed()
        return entry, not settled or status.st_nlink > 1

    @staticmethod
    def _read(path: str, below: StatBelow, *, is_link: bool) -> tuple[int, int, str, bytes | None]:
        """Return mode, size, hash and content of a file. The content is None if it is too large to store.

        Call it as the tool user.
        """
        if is_link:
            target = os.fsencode(below.target(path))
            return stat.S_IFLNK, len(target), sha256(target).hexdigest(), target
        fd = below.open_file(path)
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
        """Return the files that git lists or, without a repository, all files. The budget counts each path."""
        names = self._list_by_git(budget)
        self._is_repository = names is not None
        if names is None:
            with self._identity.as_tool_user():
                names = self._walk(budget)
        else:
            self._watch_listed(names)
        if len(names) > FILES_LIMIT:
            raise too_many(f"more than {FILES_LIMIT:,} are not ignored")
        return sorted(set(names))

    def _watch_listed(self, names: list[bytes]) -> None:
        """Watch the folders that walks of the workspace skip but in which git lists files (`names`)."""
        folders = {os.path.dirname(name) for name in names if not SKIPPED_NAMES.isdisjoint(name.split(b"/"))}
        with self._identity.as_tool_user():
            for folder in folders:
                self._watch_folder(os.fsdecode(folder) or ".", optional=True)

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

    def _list_by_git(self, budget: Budget, only: Sequence[bytes] = ()) -> list[bytes] | None:
        """Return the paths that git lists, limited to those in `only` if there are any. None if there is no repository
        that git can read."""
        try:
            with self._identity.as_tool_user():
                status_exactly(self._tree.root_fd, ".git")
        except OSError:
            return None
        listed = NameList(budget, FILES_LIMIT)
        root_fd = self._tree.root_fd
        wanted = ["--", *(f":(literal){os.fsdecode(name)}" for name in only)] if only else []
        argv = [*GIT, "ls-files", "-co", "--exclude-standard", "-z", *wanted]
        memory = self._pool.program_mib
        job = Job(argv, listed, cwd_fd=os.dup(root_fd), env=ENVIRONMENT, timeout=GIT_TIMEOUT, data_mib=memory)
        run_searcher(self._supervisor, self._identity, self._pool, job, root_fd)
        if listed.is_cut:
            raise too_many(f"there are more than {FILES_LIMIT:,}, or their names need too much memory")
        if job.exit_code != 0:
            return None
        return [name for name in listed.names if not name.startswith(b"/") and b".." not in name.split(b"/")]

    def _delete_oldest(self) -> None:
        """Delete the older half of the snapshots if there are too many or the disk is full."""
        by_age = self.manifests.by_age()
        if len(by_age) <= (KEPT_SNAPSHOTS if self.contents.has_room() else KEPT_ON_A_FULL_DISK):
            return
        for snapshot_id in by_age[: len(by_age) // 2]:
            self.manifests.delete(snapshot_id)
        self.delete_unneeded()

    def delete_unneeded(self) -> None:
        """Delete contents that are not needed by any snapshot, any record or the state that was read last."""
        with self._lock:
            wanted = {*stored_hashes(self._cache.values()), *(digest for hashes in self.needed for digest in hashes())}
            for snapshot_id in self.manifests.by_age():
                wanted.update(stored_hashes(packed for _, packed in self.manifests.entries(snapshot_id)))
            self.contents.delete_all_but(wanted)


def too_many(reason: str) -> Refusal:
    return Refusal(LIMIT_REACHED, f"{TOO_MANY}: {reason}. Remove files, or list them in .gitignore.")
