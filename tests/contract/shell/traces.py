"""What really happened, as values: the tracer's lines of one case, read."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import O_CREAT, O_DIRECTORY, O_NOFOLLOW, O_RDWR, O_TRUNC, O_WRONLY
from typing import Final

WRITE_FLAGS: Final = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC
SCRIPTS: Final = ("/bin/", "/usr/bin/", "/usr/lib/git-core/")
READING: Final = frozenset({"chdir", "read"})
FOLLOWING: Final = frozenset({"chdir", "chmod", "chown", "truncate", "open"})
_ESCAPED: Final = re.compile(r"\\x([0-9a-f]{2})")


@dataclass(frozen=True, slots=True)
class Started:
    """A program that the kernel started: `program` by its file, `launcher` the program that asked for it."""

    program: str
    launcher: str
    cwd: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Touched:
    """A path that `program` asked the kernel for: absolute, links and `..` as they were given."""

    program: str
    deed: str
    path: str
    flags: int = 0

    @property
    def is_write(self) -> bool:
        return bool(self.flags & WRITE_FLAGS) if self.deed == "open" else self.deed not in READING

    @property
    def follows(self) -> bool:
        """Whether a link at the end of the path is followed."""
        return not self.flags & O_NOFOLLOW if self.deed == "open" else self.deed in FOLLOWING

    @property
    def is_of_folder(self) -> bool:
        return self.deed == "chdir" or bool(self.flags & O_DIRECTORY)


@dataclass(frozen=True, slots=True)
class Connected:
    program: str
    family: int


Deed = Started | Touched | Connected


@dataclass(frozen=True, slots=True)
class Trace:
    """`deeds` in the order in which they happened; the first shell is left out. `is_cut`: its time was over."""

    id: str
    deeds: tuple[Deed, ...]
    is_cut: bool
    seconds: float


def read(id: str, lines: Sequence[str], seconds: float) -> Trace:  # noqa: A002
    split = [[_plain(field) for field in line.split("\t")] for line in lines]
    parents = {fields[2]: fields[0] for fields in split if fields[1] == "fork"}
    deeds = tuple(_deeds(split, parents))
    return Trace(id, deeds[1:], any(fields[1] == "timeout" for fields in split), seconds)


def _deeds(split: Iterable[Sequence[str]], parents: Mapping[str, str]) -> Iterator[Deed]:
    programs: dict[str, str] = {}
    for pid, kind, *rest in split:
        program = programs.get(pid) or programs.get(parents.get(pid, ""), "")
        if kind == "fork":
            programs.setdefault(rest[0], program)
        elif kind == "exec":
            started = _started(program, *rest)
            programs[pid] = started.program
            yield started
        elif kind == "connect":
            yield Connected(program, int(rest[0]))
        elif kind in ("open", "open2"):
            flags = int(rest[0]) if kind == "open" else 0
            yield Touched(program, "open", rest[-1], flags)
        elif kind == "link":
            yield Touched(program, "read", rest[0])
            yield Touched(program, kind, rest[1])
        elif kind != "timeout":
            yield from (Touched(program, kind, path) for path in rest)


def _started(launcher: str, program: str, cwd: str, *words: str) -> Started:
    """A script of the system is the program, not what reads it: the kernel puts that before its words."""
    if len(words) > 1 and words[0].startswith("/") and words[1].startswith(SCRIPTS):
        return Started(words[1], launcher, cwd, words[1:])
    return Started(program, launcher, cwd, words)


def _plain(field: str) -> str:
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), field)
