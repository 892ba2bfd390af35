"""Compare the traced actions of a command with its analysis.

A `complete` analysis promises that `commands` contains every program that the shell or a wrapper starts, and `paths`
every path that is touched. Reading harmless files inside of the workspace and the accesses in noise.py are excepted. An
incomplete analysis promises nothing. A program that our tables do not know has to be allowed by its name: its own
actions are not promised, and neither are the actions of a script file that a shell runs.
"""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache
from pathlib import PurePosixPath
from posixpath import normpath
from socket import AF_UNIX
from typing import Final

from sandbox.ports import HOME, WORKSPACE_ROOT
from tests.contract.shell import noise
from tests.contract.shell.traces import Connected, Started, Touched, Trace
from tests.corpora.shell.workspace import LINKS
from tools_app.permission.shell.commands import is_known
from tools_app.permission.shell.model import Command, PathUse, ShellAnalysis
from tools_app.secret_paths import is_secret

ROOT: Final = PurePosixPath(WORKSPACE_ROOT)
HOME_PATH: Final = PurePosixPath(HOME)

LONGEST_CHAIN: Final = 40
PROGRAM_OF: Final = {
    "sh": "dash",
    "awk": "mawk",
    "nawk": "mawk",
    "python": "python3.11",
    "python3": "python3.11",
    "rbash": "bash",
    "strings": "x86_64-linux-gnu-strings",
    "pkill": "pgrep",
    "reset": "tset",
    **dict.fromkeys(("unxz", "lzma", "unlzma", "lzcat"), "xz"),
    "xzcat": "xz",
    **{
        name: f"x86_64-linux-gnu-{name}"
        for name in (
            *("addr2line", "ar", "as", "c++filt", "elfedit", "gprof", "nm", "objcopy", "objdump", "ranlib", "readelf"),
            *("size", "strip"),
        )
    },
    **dict.fromkeys(("ld", "ld.bfd"), "x86_64-linux-gnu-ld.bfd"),
    **dict.fromkeys(("gold", "ld.gold"), "x86_64-linux-gnu-gold"),
    "gcc-12": "x86_64-linux-gnu-gcc-12",
    **dict.fromkeys(("cpp", "cpp-12"), "x86_64-linux-gnu-cpp-12"),
}
"""Programs of the sandbox image that are links, and the file that each of them leads to."""
UNKNOWN_PART: Final = re.compile(r"[$`~{]|[<>]\(")
BEHIND_DESCRIPTOR: Final = re.compile(r"/dev/fd/\d+/")
"""Paths below an open folder. They were judged when the folder was opened, together with its content."""
_LINK_PATHS: Final = tuple(f"{WORKSPACE_ROOT}/{name}" for name in LINKS)
XARGS_INPUT: Final = "the input of xargs"
WILDCARD: Final = re.compile(r"[*?\[]")


def differences(trace: Trace, analysis: ShellAnalysis) -> list[str]:
    """Return a sentence for each traced action that a complete analysis does not contain; nothing for an incomplete
    one."""
    if not analysis.complete:
        return []
    return list(dict.fromkeys(_differences(trace, analysis)))


def _differences(trace: Trace, analysis: ShellAnalysis) -> Iterator[str]:
    for deed in trace.deeds:
        if deed.by_script or not _is_known(_name(deed.launcher if isinstance(deed, Started) else deed.program)):
            continue
        if isinstance(deed, Started):
            if not _is_listed(deed, analysis):
                yield f"{_name(deed.launcher)} started {list(deed.words)} in {deed.cwd}"
        elif isinstance(deed, Connected):
            if deed.family != AF_UNIX and _name(deed.program) not in noise.TALKATIVE:
                yield f"{_name(deed.program)} opened a connection"
        elif not _is_explained(deed, analysis):
            yield f"{_name(deed.program)} did {deed.deed} {'for writing ' if deed.flags & 3 else ''}of {deed.path}"


def _is_known(program: str) -> bool:
    return is_known(program) or any(is_known(name) for name, file in PROGRAM_OF.items() if file == program)


def _is_listed(deed: Started, analysis: ShellAnalysis) -> bool:
    program = _name(deed.program)
    if noise.is_child(deed.launcher, {program, _name(deed.words[0])}):
        return True
    return any(_matches(deed, program, command, more=deed.listed) for command in analysis.commands)


def _matches(deed: Started, program: str, command: Command, *, more: bool) -> bool:
    if not command.words:
        return False
    name = command.words[0].rpartition("/")[2]
    if program not in (name, PROGRAM_OF.get(name), name.partition("-")[0]) and not UNKNOWN_PART.search(
        command.words[0]
    ):
        return False
    words = "".join(f"\0{word}" for word in deed.words[1:])
    return _words_pattern(command.words[1:], more).fullmatch(words) is not None


@cache
def _words_pattern(words: tuple[str, ...], more: bool) -> re.Pattern[str]:
    if more:
        words = tuple(word if word.startswith("-") else "{}" for word in (*words, "{}"))
    return re.compile("".join(_word_pattern(word) for word in words), re.DOTALL)


def _word_pattern(word: str) -> str:
    """Return a regular expression for the actual arguments that a word of the analysis stands for.

    A word whose value only the shell knows matches any number of arguments; a wildcard matches itself or any number of
    names.
    """
    if word.startswith("/dev/fd/"):
        return r"\x00/dev/fd/\d+/?"
    if UNKNOWN_PART.search(word) or word == XARGS_INPUT:
        return r"(\x00[^\x00]*)*"
    literal = rf"\x00{re.escape(word)}"
    if not WILDCARD.search(word):
        return literal
    found = re.escape(word).replace(r"\*", r"[^\x00]*").replace(r"\?", r"[^\x00]")
    found = re.sub(r"\\\[.*?\\\]", r"[^\\x00]", found)
    return rf"({literal}|(\x00{found})*)"


def _is_explained(deed: Touched, analysis: ShellAnalysis) -> bool:
    path = resolved(deed.path, follow=deed.follows)
    if noise.is_noise(deed, _name(deed.program), path) or _is_work_of_git(deed, path, analysis):
        return True
    if not deed.is_write and _is_inside(path) and not is_secret(path):
        return True
    if BEHIND_DESCRIPTOR.match(deed.path) and any(use.opened for use in analysis.paths):
        return True
    return any(_covers(use, deed, path) for use in analysis.paths) or _is_search(deed, path, analysis)


def _is_search(deed: Touched, path: str, analysis: ShellAnalysis) -> bool:
    """Return whether an action belongs to the shell's expansion of a wildcard: it lists a folder above the matches, or
    reads a match."""
    globs = [normpath(use.path).split("/") for use in analysis.paths if use.glob]
    found = [each.rstrip("/").split("/") for each in (path, normpath(deed.path))]
    folder = deed.is_of_folder and _name(deed.program) == "bash"
    return any(
        (len(parts) < len(glob) if folder else len(parts) == len(glob)) and all(map(fnmatchcase, parts, glob))
        for glob in globs
        for parts in found
        if not deed.is_write
    )


def _is_work_of_git(deed: Touched, path: str, analysis: ShellAnalysis) -> bool:
    """Return whether an action is git's own change of a file, in a command with a subcommand that is meant to change
    files."""
    return (
        _name(deed.program) == "git"
        and (_is_inside(path) or any(_is_below(path, use) for use in analysis.paths if use.mode == "write"))
        and any(not noise.GIT_CHANGES_FILES.isdisjoint(command.words) for command in analysis.commands)
    )


def _is_below(path: str, use: PathUse) -> bool:
    return path.startswith(resolved(use.path).rstrip("/") + "/")


def _covers(use: PathUse, deed: Touched, path: str) -> bool:
    if deed.is_write and use.mode != "write":
        return False
    if _reaches(use, normpath(use.path), deed, normpath(deed.path)) or _follows_anywhere(use):
        return True
    return any(_reaches(use, place, deed, path) for place in _places(use))


def _places(use: PathUse) -> set[str]:
    """Return the paths to which a path of the analysis resolves. If the first parts of a pattern match a link, the link
    is followed, too."""
    places = {resolved(use.path), resolved(use.path, follow=False)}
    parts = normpath(use.path).split("/")
    for link in _LINK_PATHS if use.glob else ():
        names = link.split("/")
        if len(names) <= len(parts) and all(map(fnmatchcase, names, parts)):
            places.add("/".join([resolved(link).rstrip("/"), *parts[len(names) :]]) or "/")
    return places


def _follows_anywhere(use: PathUse) -> bool:
    """Return whether a path is used recursively with links followed, and contains a link. Such a use can reach every
    path, because a link may lead to the root."""
    return use.follow and use.recursive and any(place.startswith(f"{resolved(use.path)}/") for place in _LINK_PATHS)


def _reaches(use: PathUse, place: str, deed: Touched, path: str) -> bool:
    if _same(place, path, glob=use.glob):
        return True
    if (use.directory or use.mode == "write") and _same(place, path.rpartition("/")[0] or "/", glob=use.glob):
        return True
    if use.mode == "write" and _is_on_the_way(deed, place, path):
        return True
    is_tree = use.recursive or use.opened  # a redirection that opens a folder is judged by its tree
    walks = is_tree or (_name(deed.program) in noise.WALKERS and deed.is_of_folder)
    return walks and any(_same(place, str(parent), glob=use.glob) for parent in PurePosixPath(path).parents)


def _is_on_the_way(deed: Touched, place: str, path: str) -> bool:
    """Return whether `path` is a folder above the written path `place`, or lies beside `place` and begins with its name
    (backups, locks, partial files)."""
    if place.startswith(f"{path.rstrip('/')}/"):
        return deed.is_of_folder or deed.deed == "mkdir"
    return path.startswith(place) and "/" not in path[len(place) :]


def _same(place: str, path: str, *, glob: bool) -> bool:
    if not glob or place == path:
        return place == path
    patterns, parts = place.split("/"), path.split("/")
    return len(patterns) == len(parts) and all(map(fnmatchcase, parts, patterns))


def _is_inside(path: str) -> bool:
    return path == WORKSPACE_ROOT or path.startswith(f"{WORKSPACE_ROOT}/")


@cache
def resolved(path: str, follow: bool = True) -> str:
    """Resolve the symbolic links in a path without a file system, using the table of links in the corpora's
    workspace."""
    if not follow:
        folder, _, last = path.rstrip("/").rpartition("/")
        return f"{resolved(folder).rstrip('/')}/{last}" if last not in ("", ".", "..") else resolved(path)
    done: list[str] = []
    todo = path.split("/")[::-1]
    chain = 0
    while todo:
        part = todo.pop()
        if part == "..":
            done = done[:-1]
        elif part not in ("", "."):
            target = LINKS.get("/".join([*done, part]).removeprefix(WORKSPACE_ROOT.lstrip("/")).lstrip("/"))
            if target is None or done[:1] != [ROOT.name] or chain > LONGEST_CHAIN:
                done.append(part)
                continue
            chain += 1
            done = [] if target.startswith("/") else done
            todo.extend(target.split("/")[::-1])
    return "/" + "/".join(done)


def _name(program: str) -> str:
    return program.rpartition("/")[2]
