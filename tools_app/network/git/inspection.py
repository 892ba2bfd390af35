"""Inspection: read the objects of a push and determine its effects, before any part of it is forwarded.

Two questions are answered for each branch: does the push replace commits, and does it change files that tell a CI
service what to run? If an answer cannot be determined, it counts as a yes.
"""

import asyncio
from collections import deque
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

from tools_app.network.git.history import DEPTH, History
from tools_app.network.git.judging import Inspected
from tools_app.network.git.objects import Store, Unreadable, entries_of, parents_of, tree_of
from tools_app.network.git.requirements import Requirements
from tools_app.network.git.wire import PushRequest, RefUpdate

TIMEOUT: Final = 180.0  # seconds for a whole push
MAX_COMMITS: Final = 20_000  # that are walked for one branch
FAR_APART: Final = f"its present and its new commit may be more than {DEPTH} generations apart"
NOTHING: Final = Requirements()
EMPTY_PACK: Final = 12 + 20  # bytes

WORKFLOWS: Final = (
    ".github/workflows", ".github/actions", ".gitlab-ci.yml", ".gitlab-ci.yaml", ".gitlab/ci", ".gitea/workflows",
    ".forgejo/workflows", ".circleci", ".buildkite", ".woodpecker", ".woodpecker.yml", ".woodpecker.yaml",
    ".drone.yml", ".travis.yml", "bitbucket-pipelines.yml", "azure-pipelines.yml", "Jenkinsfile",
)  # fmt: skip
"""Files and folders that CI services read. Folders are compared as a whole."""


class Inspection:
    """The inspection of one push. `folder` is private to it and deleted afterwards; its file `request` contains the
    body of the push. `tip` is the newest commit of the default branch, if any. `requirements` apply to new commits."""

    def __init__(
        self, folder: Path, push: PushRequest, history: History, tip: str, requirements: Requirements = NOTHING
    ) -> None:
        self._requirements = requirements
        self._folder = folder
        self._push = push
        self._history = history
        self._tip = tip

    async def look(self) -> Mapping[str, Inspected]:
        """Inspect the updates and return the findings by ref. Deletions are skipped."""
        updates = [update for update in self._push.updates if not update.deletes]
        if not updates:
            return {}
        try:
            async with asyncio.timeout(TIMEOUT), AsyncExitStack() as stack:
                pushed = await stack.enter_async_context(Store(self._folder / "pushed"))
                known = await stack.enter_async_context(Store(self._folder / "known"))
                await self._fill(pushed, known, updates)
                walk = _Comparison(pushed, known, self._tip, self._requirements)
                return {update.ref: await walk.inspect(update) for update in updates}
        except Unreadable as error:
            reason = str(error)
        except TimeoutError:
            reason = "reading it takes too long"
        return {update.ref: Inspected(force=not update.creates, unread=reason) for update in updates}

    async def _fill(self, pushed: Store, known: Store, updates: list[RefUpdate]) -> None:
        """Add the objects of the push to `pushed`, and the newest commits of the branches that it is compared with to
        `known`."""
        pack = self._folder / "pushed.pack"
        await asyncio.to_thread(_copy_from, self._folder / "request", self._push.length, pack)
        object_format = "sha256" if "object-format=sha256" in self._push.capabilities else "sha1"
        if pack.stat().st_size > EMPTY_PACK:
            await pushed.add_pack(pack, object_format=object_format)
        compared = {self._tip, *(update.old for update in updates if not update.creates)} - {""}
        if compared:
            fetched = self._folder / "known.pack"
            try:
                await self._history.fetch(sorted(compared), fetched)
            except Unreadable:  # a server that cannot leave out files
                await self._history.fetch(sorted(compared), fetched, whole=True)
            await known.add_pack(fetched, object_format=object_format)


class _Comparison:
    """A comparison of pushed commits with the commits of the repository. `tip` is the newest commit of the default
    branch, if any."""

    def __init__(self, pushed: Store, known: Store, tip: str, requirements: Requirements) -> None:
        self._requirements = requirements
        self._pushed = pushed
        self._known = known
        self._tip = tip

    async def inspect(self, update: RefUpdate) -> Inspected:
        """Compare one ref update of a push with the repository, and return the findings."""
        try:
            if lacks := await self._lacks(update.new):
                return Inspected(lacks=lacks)
            if not update.ref.startswith("refs/heads/"):
                return Inspected()
            bases, reached, missing = await self._walk(update)
            force = not (update.creates or reached)
            compared = [*([] if update.creates else [update.old]), *([self._tip] if self._tip else []), *bases]
            workflows = await self._changed_workflows(update.new, compared)
        except Unreadable as error:
            return Inspected(force=not update.creates, unread=str(error))
        if force and missing:
            return Inspected(force=True, workflows=workflows, unread=FAR_APART)
        return Inspected(force=force, workflows=workflows)

    async def _lacks(self, new: str) -> str:
        """Find the first new commit that does not meet the requirements, and return the requirements that it does not
        meet as text; "" if all new commits meet them. Raises Unreadable."""
        queue, seen = deque([new] if self._requirements else []), {new}
        while queue:
            commit = queue.popleft()
            found = await self._pushed.read(commit)
            if found is None or found[0] != "commit":  # the repository has it, or a tag
                continue
            if lacks := self._requirements.missing_in(commit, found[1]):
                return lacks
            fresh = [each for each in parents_of(found[1]) if each not in seen]
            seen.update(fresh)
            queue.extend(fresh)
            if len(seen) > MAX_COMMITS:
                raise Unreadable(f"it has more than {MAX_COMMITS:,} commits")
        return ""

    async def _walk(self, update: RefUpdate) -> tuple[list[str], bool, bool]:
        """Walk from the new commit to its ancestors. Return the first known commits, whether the old commit was
        reached, and whether some ancestors are unknown. Raises Unreadable."""
        bases: list[str] = []
        reached = missing = False
        queue, seen = deque([(update.new, True)]), {update.new}
        while queue and not reached:
            commit, is_new = queue.popleft()
            reached = commit == update.old
            content = await self._commit(commit)
            if content is None:
                missing = True
                continue
            is_pushed, parents = content
            if is_new and not is_pushed:
                bases.append(commit)
            for parent in parents:
                if parent not in seen:
                    seen.add(parent)
                    queue.append((parent, is_new and is_pushed))
            if len(seen) > MAX_COMMITS:
                raise Unreadable(f"it has more than {MAX_COMMITS:,} commits")
        return bases, reached, missing

    async def _commit(self, commit: str) -> tuple[bool, list[str]] | None:
        """Return whether a commit is in the push, and its parents; None if the commit is unknown."""
        for store in (self._pushed, self._known):
            if found := await store.read(commit):
                if found[0] != "commit":
                    raise Unreadable("it is not a commit")
                return store is self._pushed, parents_of(found[1])
        return None

    async def _changed_workflows(self, new: str, bases: list[str]) -> tuple[str, ...]:
        """Return the files for CI services that differ from the files of the first base; () if some base has the same
        files. Without a base, return all files for CI services."""
        changed: list[tuple[str, ...]] = []
        for base in dict.fromkeys(bases):
            different = tuple([path for path in WORKFLOWS if not await self._is_same(new, base, path)])
            if not different:
                return ()
            changed.append(different)
        if changed:
            return changed[0]
        return tuple([path for path in WORKFLOWS if await self._entry(await self._root(new), path) is not None])

    async def _is_same(self, new: str, base: str, path: str) -> bool:
        ours, theirs = await self._root(new), await self._root(base)
        first = path.partition("/")[0].encode()
        if ours.get(first) == theirs.get(first):
            return True
        return await self._entry(ours, path) == await self._entry(theirs, path)

    async def _root(self, commit: str) -> Mapping[bytes, str]:
        for store in (self._pushed, self._known):
            if found := await store.read(commit):
                return await self._entries(tree_of(found[1]))
        raise Unreadable("a commit that it is compared with is not known")

    async def _entry(self, entries: Mapping[bytes, str], path: str) -> str | None:
        """Return the id of the file or folder `path` below the tree with these entries; None if there is none.
        Raises Unreadable."""
        first, _, rest = path.partition("/")
        found = entries.get(first.encode())
        if found is None or not rest:
            return found
        return await self._entry(await self._entries(found), rest)

    async def _entries(self, tree: str) -> Mapping[bytes, str]:
        for store in (self._pushed, self._known):
            if found := await store.read(tree):
                return entries_of(found[1], len(tree) // 2) if found[0] == "tree" else {}
        raise Unreadable("one of its folders is not known")


def _copy_from(source: Path, at: int, target: Path) -> None:
    """Copy the pack of a push, which begins at `at` or, if there are push options, after them."""
    with source.open("rb") as whole, target.open("wb") as pack:
        whole.seek(at)
        while data := whole.read(1 << 20):
            if not pack.tell() and not data.startswith(b"PACK"):
                data = data[max(data.find(b"PACK"), 0) :]
            pack.write(data)
