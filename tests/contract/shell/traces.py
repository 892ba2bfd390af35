"""Parse the tracer's lines about one command into values."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import O_CREAT, O_DIRECTORY, O_NOFOLLOW, O_RDWR, O_TRUNC, O_WRONLY
from posixpath import join, normpath
from typing import Final

WRITE_FLAGS: Final = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC
SCRIPTS: Final = ("/bin/", "/usr/bin/", "/usr/lib/git-core/", "/opt/agentsite/bin/")
SHELLS: Final = frozenset({"bash", "dash"})
LISTS_WORDS: Final = frozenset({"xargs", "find", "parallel"})
"""Programs that add words to the commands that they start."""
MADE: Final = ("/dev/", "/proc/")
"""Folders whose files contain a text that the command itself made."""
READING: Final = frozenset({"chdir", "read"})
FOLLOWING: Final = frozenset({"chdir", "chmod", "chown", "truncate", "open"})
_ESCAPED: Final = re.compile(r"\\x([0-9a-f]{2})")


@dataclass(frozen=True, slots=True)
class Started:
    """A program that the kernel started: `program` is its file, `launcher` the program that started it.

    `listed`: it was started by `find` or another program that adds words, directly or through a wrapper.
    """

    program: str
    launcher: str
    cwd: str
    words: tuple[str, ...]
    listed: bool = False
    by_script: bool = False


@dataclass(frozen=True, slots=True)
class Touched:
    """A path in a system call of `program`: absolute, but with unresolved links and `..`."""

    program: str
    deed: str
    path: str
    flags: int = 0
    by_script: bool = False

    @property
    def is_write(self) -> bool:
        return bool(self.flags & WRITE_FLAGS) if self.deed == "open" else self.deed not in READING

    @property
    def follows(self) -> bool:
        """Return whether a link at the end of the path is followed."""
        return not self.flags & O_NOFOLLOW if self.deed == "open" else self.deed in FOLLOWING

    @property
    def is_of_folder(self) -> bool:
        return self.deed == "chdir" or bool(self.flags & O_DIRECTORY)


@dataclass(frozen=True, slots=True)
class Connected:
    program: str
    family: int
    by_script: bool = False


Deed = Started | Touched | Connected


@dataclass(frozen=True, slots=True)
class Trace:
    """The traced actions of one command, in order, without the start of the first shell. `is_cut`: it reached the time
    limit."""

    id: str
    deeds: tuple[Deed, ...]
    is_cut: bool
    seconds: float


def read(id: str, lines: Sequence[str], seconds: float) -> Trace:  # noqa: A002
    split = [[_plain(field) for field in line.split("\t")] for line in lines]
    parents = {fields[2]: fields[0] for fields in split if fields[1] == "fork"}
    deeds = tuple(_deeds(split, parents))
    return Trace(id, deeds[1:], any(fields[1] == "timeout" for fields in split), seconds)


@dataclass(frozen=True, slots=True)
class _Process:
    """A traced process. `script` is the absolute path of the script file that a shell runs in it or in an ancestor."""

    program: str = ""
    script: str = ""
    listed: bool = False

    def after(self, started: Started, written: Collection[str]) -> "_Process":
        name = started.program.rpartition("/")[2]
        script = _script_of(name, started)
        kept = script if script not in written and not script.startswith(MADE) else ""
        listed = name in LISTS_WORDS or (self.listed and name not in SHELLS)
        return _Process(started.program, self.script or kept, listed)


def _deeds(split: Iterable[Sequence[str]], parents: Mapping[str, str]) -> Iterator[Deed]:
    """Yield the actions of programs that the tracer's lines describe. `by_script` marks the actions of a script file
    that existed before the command, except for reading that file."""
    processes: dict[str, _Process] = {}
    written: set[str] = set()
    files: dict[str, str] = {}
    for pid, kind, *rest in split:
        process = processes.get(pid) or processes.get(parents.get(pid, ""), _Process())
        program, is_script = process.program, bool(process.script)
        if kind == "fork":
            processes.setdefault(rest[0], process)
        elif kind == "exec":
            started = replace(_started(program, files.pop(pid, ""), *rest), listed=process.listed, by_script=is_script)
            processes[pid] = process.after(started, written)
            yield started
        elif kind == "file":
            files[pid] = rest[0]
        elif kind == "connect":
            yield Connected(program, int(rest[0]), is_script)
        elif kind in ("open", "open2"):
            flags = int(rest[0]) if kind == "open" else 0
            found = Touched(program, "open", rest[-1], flags)
            written.update([normpath(found.path)] if found.is_write else [])
            is_itself = not found.is_write and normpath(found.path) == process.script
            yield replace(found, by_script=is_script and not is_itself)
        elif kind == "link":
            yield Touched(program, "read", rest[0], by_script=is_script)
            yield Touched(program, kind, rest[1], by_script=is_script)
        elif kind != "timeout":
            yield from (Touched(program, kind, path, by_script=is_script) for path in rest)


def _script_of(shell: str, started: Started) -> str:
    """Return the path of the script file that a shell runs; empty for a text (`-c`) or the standard input."""
    words = list(started.words[1:]) if shell in SHELLS else []
    while words and words[0][:1] in ("-", "+"):
        option = words.pop(0)
        if option in ("-", "--"):
            break
        if not option.startswith("--") and "c" in option:
            return ""
        if not option.startswith("--") and option.endswith("o"):
            words = words[1:]
    return normpath(join(started.cwd, words[0])) if words else ""


def _started(launcher: str, file: str, program: str, cwd: str, *words: str) -> Started:
    """Return the started program. For a system script, this is the script `file` instead of its interpreter. The kernel
    puts the interpreter, perhaps with an option, before the words; both are left out."""
    before = words.index(file) if file.startswith(SCRIPTS) and file in words[1:3] and words[0] != file else 0
    if before:
        return Started(file, launcher, cwd, words[before:])
    return Started(program, launcher, cwd, words)


def _plain(field: str) -> str:
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), field)
