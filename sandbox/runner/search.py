"""glob and grep: ripgrep as the tool user, started inside the directory that was resolved."""

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from .calls import BASE_ENVIRONMENT
from .globs import compile_glob
from .identity import Identity
from .processes import Job, Supervisor
from .refusals import LIMIT_REACHED, REFUSED, UNAVAILABLE, WRONG_KIND, Refusal, from_os_error
from .tree import Place, Tree

RIPGREP: Final = ("rg", "--no-config", "--no-messages", "--no-require-git", "--no-ignore-parent", "--hidden")
NOT_GIT: Final = ("--glob", "!.git")
FILES_KEPT: Final = 64 << 20
MATCHES_KEPT: Final = 8 << 20
OVERSAMPLE: Final = 20
"""How many more matches than asked for are taken before they are sorted and cut, so that an answer rarely varies."""
SEARCH_TIMEOUT: Final = 25.0
LINE_LIMIT: Final = 2_000
RESULT_LIMIT: Final = 10_000
NOT_FOUND_BY_SHELLS: Final = 127


class Head:
    """The first bytes and lines of an output; then it has enough."""

    def __init__(self, limit: int, lines: int | None = None) -> None:
        self._limit = limit
        self._lines_left = lines
        self.kept = bytearray()

    def feed(self, chunk: bytes) -> str:
        self.kept += chunk
        if self._lines_left is not None:
            self._lines_left -= chunk.count(b"\n")
        full = len(self.kept) > self._limit or (self._lines_left is not None and self._lines_left < 0)
        return "enough" if full else ""


class Search:
    def __init__(self, tree: Tree, identity: Identity, supervisor: Supervisor) -> None:
        self._tree = tree
        self._identity = identity
        self._supervisor = supervisor

    def glob(self, pattern: str, path: str, limit: int) -> dict[str, Any]:
        wanted = compile_glob(pattern)
        with self._opened(path) as (fd, place):
            if not stat.S_ISDIR(os.fstat(fd).st_mode):
                raise Refusal(WRONG_KIND, f"This is not a directory: {path}")
            job, output = self._ripgrep(fd, Head(FILES_KEPT), ["--files", "--null", "--", "."])
            names = [os.fsdecode(name).removeprefix("./") for name in output.split(b"\0")[:-1]]
            with self._identity.as_tool_user():
                found = newest_first(fd, [name for name in names if wanted.fullmatch(name)])
        limit = min(limit, RESULT_LIMIT)
        return {
            "paths": [self._shown(place, name) for name in found[:limit]],
            "capped": len(found) > limit or job.end != "exited",
        }

    def grep(self, pattern: str, path: str, include: str | None, limit: int) -> dict[str, Any]:
        limit = min(limit, RESULT_LIMIT)
        with self._opened(path) as (fd, place):
            matches, cut = self._matches(fd, pattern, include, limit * OVERSAMPLE)
            for match in matches:
                match["path"] = self._shown(place, match["path"])
        matches.sort(key=lambda match: (match["path"], match["line"]))
        return {"matches": matches[:limit], "capped": len(matches) > limit or cut}

    def _matches(self, fd: int, pattern: str, include: str | None, enough: int) -> tuple[list[dict[str, Any]], bool]:
        wanted = compile_glob(include) if include else None
        narrow = ["--type-add", f"wanted:{include}", "--type", "wanted"] if include and "/" not in include else []
        form = ["--line-number", "--with-filename", "--null", "--no-heading", "--color=never"]
        form += [f"--max-columns={LINE_LIMIT}", "--max-columns-preview", f"--regexp={pattern}"]
        one_file = not stat.S_ISDIR(os.fstat(fd).st_mode)
        target = f"/proc/self/fd/{fd}" if one_file else "."
        job, output = self._ripgrep(fd, Head(MATCHES_KEPT, enough), [*form, *narrow, "--", target])
        matches = [match for line in output.split(b"\n") if (match := parse_match(line))]
        if job.exit_code == 2 and not matches and output:
            raise Refusal(REFUSED, f"ripgrep did not accept this: {output[:500].decode('utf-8', 'replace').strip()}")
        if one_file:
            matches = [{**match, "path": ""} for match in matches]
        elif wanted:
            matches = [match for match in matches if wanted.fullmatch(match["path"])]
        return matches, job.end != "exited"

    @contextmanager
    def _opened(self, path: str) -> Iterator[tuple[int, Place]]:
        """A directory or regular file, checked and held open while it is searched."""
        with self._identity.as_tool_user():
            try:
                with self._tree.opened(path, os.O_RDONLY) as (fd, place):
                    kind = os.fstat(fd).st_mode
                    if not stat.S_ISDIR(kind) and not stat.S_ISREG(kind):
                        raise Refusal(WRONG_KIND, f"This is neither a directory nor a regular file: {path}")
                    yield fd, place
            except OSError as error:
                raise from_os_error(error, path) from error

    def _ripgrep(self, fd: int, head: Head, arguments: Sequence[str]) -> tuple[Job, bytes]:
        directory = fd if stat.S_ISDIR(os.fstat(fd).st_mode) else self._tree.root_fd
        argv = [*RIPGREP, *NOT_GIT, *arguments]
        job = run_program(self._supervisor, argv, head, cwd_fd=directory, timeout=SEARCH_TIMEOUT, pass_fds=(fd,))
        return job, bytes(head.kept)

    def _shown(self, place: Place, name: str) -> str:
        """Relative to the workspace inside it, else absolute."""
        if place.inside:
            return os.path.normpath(os.path.join(place.relative, name))
        return self._tree.to_shown(os.path.normpath(os.path.join(place.real, name)))


def run_program(
    supervisor: Supervisor,
    argv: Sequence[str],
    head: Head,
    *,
    cwd_fd: int,
    timeout: float,
    pass_fds: Sequence[int] = (),
    bystander: bool = False,
) -> Job:
    """Run one of our own programs to its end. Refusal when it is missing, cannot start or takes too long."""
    job = Job(
        argv,
        head,
        cwd_fd=os.dup(cwd_fd),
        env=BASE_ENVIRONMENT,
        timeout=timeout,
        pass_fds=pass_fds,
        bystander=bystander,
    )
    supervisor.start(job)
    job.wait()
    if isinstance(job.failure, Refusal):
        missing = job.failure.code == "not_found"
        raise Refusal(UNAVAILABLE, f"The sandbox image lacks {argv[0]}.") if missing else job.failure
    if job.exit_code == NOT_FOUND_BY_SHELLS:
        raise Refusal(UNAVAILABLE, f"The sandbox image lacks {argv[0]}.")
    if job.end == "timeout":
        raise Refusal(LIMIT_REACHED, f"{argv[0]} took longer than {timeout:.0f} s; look at a smaller part.")
    return job


def newest_first(fd: int, names: Sequence[str]) -> list[str]:
    """By modification time; files that are gone again are left out."""
    stamped = []
    for name in names:
        try:
            stamped.append((os.lstat(name, dir_fd=fd).st_mtime_ns, name))
        except OSError:
            continue
    return [name for _, name in sorted(stamped, key=lambda pair: (-pair[0], pair[1]))]


def parse_match(line: bytes) -> dict[str, Any] | None:
    """`path NUL number : text`, None for anything else."""
    path, _, rest = line.partition(b"\0")
    number, colon, text = rest.partition(b":")
    if not colon or not number.isdigit():
        return None
    name = os.fsdecode(path).removeprefix("./")
    return {"path": name, "line": int(number), "text": text[: 2 * LINE_LIMIT].decode("utf-8", "replace")}
