"""glob and grep: run ripgrep as the tool user, inside the directory that was resolved, and verify its output."""

import heapq
import itertools
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from .budgets import AnswerRoom, Budget, MemoryPool, NameList
from .errors import LIMIT_REACHED, REFUSED, WRONG_KIND, Refusal, from_os_error
from .globs import compile_glob
from .matches import Match, parse_matches, verified_matches
from .names import Listing, NameBlock, NameFinder, best_names
from .privileges import Identity
from .processes import Job, Sink, Supervisor
from .programs import ENVIRONMENT, Head, run_searcher
from .tree import ResolvedPath, StatBelow, Tree

RIPGREP: Final = (
    "rg",
    "--no-config",
    "--no-mmap",
    "--no-messages",
    "--no-require-git",
    "--no-ignore-parent",
    "--hidden",
)
NOT_GIT: Final = ("--glob", "!.git")
FILES_LIMIT: Final = 500_000  # names that a glob looks at
MATCHES_KEPT: Final = 8 << 20  # bytes of matches
MATCHES_DIVISOR: Final = 8
"""A match exists in several copies while it is parsed, verified and described."""
OVERSAMPLE: Final = 20
"""This many times as many matches as requested are read before they are sorted and cut, for stable results."""
SEARCH_TIMEOUT: Final = 25.0  # seconds
LINE_LIMIT: Final = 2_000  # characters
RESULT_LIMIT: Final = 10_000  # paths or matches in one response
RIPGREP_ERROR: Final = 2  # its exit code after an error


class Search:
    """The search for names and contents of files."""

    def __init__(self, tree: Tree, identity: Identity, supervisor: Supervisor, pool: MemoryPool) -> None:
        self._tree = tree
        self._identity = identity
        self._supervisor = supervisor
        self._pool = pool
        self._finder = NameFinder(pool)

    def glob(self, pattern: str, path: str, limit: int, *, exact: bool = False) -> dict[str, Any]:
        """Return the paths below `path` that match the pattern, the newest first."""
        wanted = compile_glob(pattern)
        with self._pool.budget() as budget, self._opened(path, exact=exact) as (fd, resolved):
            if not stat.S_ISDIR(os.fstat(fd).st_mode):
                raise Refusal(WRONG_KIND, f"This is not a directory: {path}")
            listed = NameList(budget, FILES_LIMIT)
            job = self._ripgrep(fd, listed, ["--files", "--null", "--", "."])
            names = (name for name in listed.names if wanted.fullmatch(os.fsdecode(name.removeprefix(b"./"))))
            limit = min(limit, RESULT_LIMIT)
            found = newest_first(fd, names, limit + 1)
            room = AnswerRoom(budget)
            shown = (self._shown(resolved, os.fsdecode(name)) for name in found[:limit])
            paths = list(itertools.takewhile(room.fits, shown))
        return {"paths": paths, "capped": len(found) > len(paths) or is_incomplete(job)}

    def names(self, text: str, path: str, limit: int) -> dict[str, Any]:
        """Return the paths below `path` that contain the text, best matches first."""
        with self._pool.budget() as budget, self._opened(path, exact=False) as (fd, resolved):
            if not stat.S_ISDIR(os.fstat(fd).st_mode):
                raise Refusal(WRONG_KIND, f"This is not a directory: {path}")

            def make() -> Listing:
                listed = NameBlock(budget, FILES_LIMIT)
                job = self._ripgrep(fd, listed, ["--files", "--null", "--", "."])
                return Listing.of(bytes(listed.kept), is_complete=not (listed.is_cut or is_incomplete(job)))

            found = best_names(self._finder.listing(resolved.real, make), text, min(limit, RESULT_LIMIT))
            return {"paths": [self._shown(resolved, name) for name in found.names], "capped": found.is_cut}

    def grep(self, pattern: str, path: str, include: str | None, limit: int, *, exact: bool = False) -> dict[str, Any]:
        """Return the lines below `path` that match the regular expression, in files that match the glob `include`."""
        limit = min(limit, RESULT_LIMIT)
        with self._pool.budget() as budget, self._opened(path, exact=exact) as (fd, resolved):
            if stat.S_ISDIR(os.fstat(fd).st_mode):
                matches, cut = self._in_directory(fd, pattern, include, limit, budget)
            else:
                matches, cut = self._in_file(fd, pattern, limit, budget)
            room = AnswerRoom(budget)
            described = (self._described(resolved, match) for match in matches)
            found = list(itertools.takewhile(room.fits, described))
        found.sort(key=lambda match: (match["path"], match["line"]))
        return {"matches": found[:limit], "capped": len(matches) > min(limit, len(found)) or cut}

    def _in_directory(
        self, fd: int, pattern: str, include: str | None, limit: int, budget: Budget
    ) -> tuple[list[Match], bool]:
        wanted = compile_glob(include) if include else None
        narrow = ["--type-add", f"wanted:{include}", "--type", "wanted"] if include and "/" not in include else []
        found, cut = self._matches(fd, pattern, [*narrow, "--", "."], limit * OVERSAMPLE, budget)
        matches = [match for match in found if wanted is None or wanted.fullmatch(match.path)]
        matches.sort(key=lambda match: (match.path, match.line))
        shown = list(itertools.islice(verified_matches(fd, matches), limit + 1))
        return shown, cut or len(shown) < min(len(matches), limit + 1)

    def _in_file(self, fd: int, pattern: str, limit: int, budget: Budget) -> tuple[list[Match], bool]:
        """Search one file through its descriptor, so that it cannot be replaced meanwhile."""
        found, cut = self._matches(fd, pattern, ["--", f"/proc/self/fd/{fd}"], limit * OVERSAMPLE, budget)
        return [match._replace(path="") for match in found], cut

    def _matches(
        self, fd: int, pattern: str, rest: Sequence[str], enough: int, budget: Budget
    ) -> tuple[list[Match], bool]:
        form = ["--line-number", "--byte-offset", "--with-filename", "--null", "--no-heading", "--color=never"]
        form += [f"--max-columns={LINE_LIMIT}", "--max-columns-preview", f"--regexp={pattern}"]
        head = Head(min(MATCHES_KEPT, budget.limit // MATCHES_DIVISOR), enough)
        job = self._ripgrep(fd, head, [*form, *rest])
        if not budget.spend(MATCHES_DIVISOR * len(head.kept)):
            raise Refusal(LIMIT_REACHED, "The matches need too much memory. Search a smaller folder, or try again.")
        output = bytes(head.kept)
        matches = list(parse_matches(output))
        if job.exit_code == RIPGREP_ERROR and not matches and output:
            raise Refusal(REFUSED, f"ripgrep rejected this search: {output[:500].decode('utf-8', 'replace').strip()}")
        return matches, is_incomplete(job)

    def _described(self, resolved: ResolvedPath, match: Match) -> dict[str, Any]:
        text = match.text[: 2 * LINE_LIMIT].decode("utf-8", "replace")
        return {"path": self._shown(resolved, match.path), "line": match.line, "text": text}

    @contextmanager
    def _opened(self, path: str, *, exact: bool) -> Iterator[tuple[int, ResolvedPath]]:
        """Open a directory or regular file for the duration of a search."""
        with self._identity.as_tool_user():
            try:
                with self._tree.opened(path, os.O_RDONLY, exact=exact) as (fd, resolved):
                    kind = os.fstat(fd).st_mode
                    if not stat.S_ISDIR(kind) and not stat.S_ISREG(kind):
                        raise Refusal(WRONG_KIND, f"This is neither a directory nor a regular file: {path}")
                    yield fd, resolved
            except OSError as error:
                raise from_os_error(error, path) from error

    def _ripgrep(self, fd: int, sink: Sink, arguments: Sequence[str]) -> Job:
        directory = fd if stat.S_ISDIR(os.fstat(fd).st_mode) else self._tree.root_fd
        job = Job(
            [*RIPGREP, *NOT_GIT, *arguments],
            sink,
            cwd_fd=os.dup(directory),
            env=ENVIRONMENT,
            timeout=SEARCH_TIMEOUT,
            data_mib=self._pool.program_mib,
            pass_fds=(fd,),
        )
        return run_searcher(self._supervisor, self._identity, self._pool, job, directory)

    def _shown(self, resolved: ResolvedPath, name: str) -> str:
        """Return a path relative to the workspace if it is inside, else an absolute one."""
        if resolved.inside:
            return os.path.normpath(os.path.join(resolved.relative, name))
        return self._tree.to_shown(os.path.normpath(os.path.join(resolved.real, name)))


def newest_first(fd: int, names: Iterable[bytes], most: int) -> list[bytes]:
    """Return the `most` names with the latest modification times. Names that were deleted or are now behind a link are
    left out."""
    with StatBelow(fd) as below:
        return [name for _, name in heapq.nsmallest(most, _stamped(below, names))]


def _stamped(below: StatBelow, names: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    for name in names:
        try:
            yield -below.status(os.fsdecode(name)).st_mtime_ns, name
        except OSError:
            continue


def is_incomplete(job: Job) -> bool:
    """Return whether the output of ripgrep may be incomplete, because ripgrep was stopped or ended by a signal."""
    return job.end != "exited" or job.exit_code > RIPGREP_ERROR
