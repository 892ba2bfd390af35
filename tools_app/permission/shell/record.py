"""The record that the walker of a shell text fills: paths, commands, and reasons why the analysis is incomplete."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell import paths
from tools_app.permission.shell.model import Command, NewBranch, PathUse, Redirect
from tools_app.permission.shell.project_variables import may_get
from tools_app.permission.shell.uses import without_kinds
from tools_app.permission.shell.words import UNKNOWN

# For one shell text:
MAX_REASONS: Final = 12
MAX_PATHS: Final = 500
MAX_PATTERNS: Final = 500
MAX_GUESSES: Final = 200
MAX_VISITED: Final = 8
MAX_NAMES: Final = 20
MAX_PIPED: Final = 3
"""How many commands later a printed text may be written into a file."""
MAX_LINKS_OF_LINKS: Final = 3
"""Links to links that are followed."""

_IGNORE_FILES: Final = names(".gitignore .ignore .rgignore .fdignore .ripgreprc ripgreprc exclude")
_CODE_FILE: Final = re.compile(
    r"\.(?!(?:md|txt|rst|csv|tsv|log|html?|adoc)\b)\w+['\"]?$|(?i:file|cmakelists\.txt)['\"]?$|\b(?:BUILD|WORKSPACE|SConstruct|SConscript)['\"]?$"
)
_SHOWS_HIDDEN: Final = re.compile("dotglob|GLOBIGNORE|globskipdots")
_HIDDEN_BEGIN: Final = re.compile(r"\*+|\?|\[[^]]*\]")
_CLASS: Final = re.compile(r"\[[^]]*\[[:.=]|/\.[^/]*\[")


@dataclass(slots=True)
class Record:
    """The findings in a shell text so far. See ShellAnalysis for most of the fields.

    A dict whose values are None is an ordered set.
    """

    root: str
    start: str
    """The working directory at the beginning, an absolute path like `root`."""
    visited: dict[str, None] = field(default_factory=dict)
    """The working directories that the text names. Where the current one is not known, it may be any of them."""
    patterns: dict[str, None] = field(default_factory=dict)
    spellings: dict[str, None] = field(default_factory=dict)
    always: dict[str, None] = field(default_factory=dict)
    once_only: bool = False
    """True if no "always" is offered for this text."""
    outside: dict[str, None] = field(default_factory=dict)
    """Patterns of directories outside the root."""
    reasons: dict[str, None] = field(default_factory=dict)
    commands: list[Command] = field(default_factory=list)
    redirects: list[Redirect] = field(default_factory=list)
    paths: dict[PathUse, int] = field(default_factory=dict)
    """Paths, each with the number of the command that uses it first."""
    possible: dict[str, None] = field(default_factory=dict)
    """Absolute paths, of which only those that presets protect are judged."""
    words: dict[str, None] = field(default_factory=dict)
    """Absolute paths, of which only those are judged that exist and that rules of people name."""
    names: dict[str, None] = field(default_factory=dict)
    """Absolute paths of plain words, of which only those that are links are judged."""
    followed: dict[str, None] = field(default_factory=dict)
    """Absolute paths that may be folders whose links a command follows."""
    links: dict[str, int] = field(default_factory=dict)
    """Paths that may be replaced by links, each with the number of the command that does it."""
    linked: dict[tuple[str, str], None] = field(default_factory=dict)
    """Links that are made, with what they lead to."""
    copied: dict[tuple[str, str], int] = field(default_factory=dict)
    """Copies that may contain links, with what was copied, each with the number of the command that does it."""
    runs: dict[str, int] = field(default_factory=dict)
    """Files that are run, each with the number of the command that does it."""
    task_files: list[tuple[tuple[str, ...], tuple[str, ...], int]] = field(default_factory=list)
    """The files in which a command may find commands to run: their folders, their names, and the number of the
    command."""
    reads_operands: bool = False
    """True if words that look like options may be operands."""
    has_globs: bool = False
    """True if a glob may match a file whose name begins with a dash, which then becomes an option."""
    repositories: dict[str, None] = field(default_factory=dict)
    patches: dict[str, None] = field(default_factory=dict)
    branches: dict[NewBranch, None] = field(default_factory=dict)
    project_variables: dict[str, None] = field(default_factory=dict)
    """Names of variables that only commands may get that run the project's code."""
    number: int = 0
    """The number of the current command."""
    doubts: int = 0
    """The number of doubts so far."""
    codes: dict[str, None] = field(default_factory=dict)
    """Texts that are run in a way that is not analysed."""
    code_folders: dict[str, None] = field(default_factory=dict)
    """Working directories of the programs that run `codes`."""
    printed: list[str] = field(default_factory=list)
    """Texts that commands print, and here-documents: something may run them."""
    printed_at: list[int] = field(default_factory=list)
    """The number of the command that prints each of them."""
    fed: list[str] = field(default_factory=list)
    """Texts that programs without a table get as their input."""
    writers: dict[int, None] = field(default_factory=dict)
    """The numbers of commands that write files which may be code."""
    runner: int = 0
    """The number of the last command that may run files of the project."""
    recent: list[PathUse] = field(default_factory=list)
    """All uses of paths in their order."""
    printed_names: list[PathUse] = field(default_factory=list)
    """The files whose names commands print, if these are known more exactly than from the paths that the commands
    list."""
    piped: Sequence[PathUse] = ()
    """The paths used by the commands whose output the current command gets through a pipe."""
    inserted: Sequence[PathUse] = ()
    """The paths used by commands whose output stands in words of the current command, or goes through a loop."""
    input_texts: Sequence[str] = ()
    """Texts that the current command gets as its input, or may get."""
    guesses: dict[str, None] = field(default_factory=dict)
    """The possible meanings of commands that are only partly known."""
    possible_texts: dict[str, None] = field(default_factory=dict)
    """Texts in values of variables that programs may give to a shell."""
    aliases: dict[str, None] = field(default_factory=dict)
    """Values of variables that give the actions of a program other names."""
    kept_names: list[PathUse] = field(default_factory=list)
    """Files whose names variables may contain."""
    guessed_files: dict[str, str] = field(default_factory=dict)
    """Possible contents of files that the text writes, by their names as written."""
    guessed_values: dict[str, str] = field(default_factory=dict)
    """Possible values of variables whose values are not certain."""
    too_many: bool = False
    """There are more commands or paths than are listed."""
    kept: list[str] = field(default_factory=list)
    """Printed texts that variables may contain, and values of variables."""

    def __post_init__(self) -> None:
        self.visited[self.start] = None

    def visit(self, folder: str) -> None:
        if len(self.visited) < MAX_VISITED:
            self.visited.setdefault(paths.normal(folder))

    def doubt(self, reason: str) -> None:
        """Add a reason why the analysis is incomplete. It is shown to people as a sentence."""
        self.doubts += 1
        if len(self.reasons) < MAX_REASONS:
            self.reasons.setdefault(_sentence(reason))

    def overflow(self, reason: str) -> None:
        """Add a reason why the analysis is incomplete: a list is full. The shell text itself is then searched for
        the missing commands and paths."""
        self.too_many = True
        self.doubt(reason)

    def pattern(self, text: str) -> None:
        if text and len(self.patterns) < MAX_PATTERNS:
            self.patterns.setdefault(text)
        elif text and text not in self.patterns:
            self.overflow("the command runs too many programs to list")

    def path(self, use: PathUse) -> None:
        if len(self.paths) >= MAX_PATHS:
            self.overflow("the command touches too many paths to list")
            return
        self.paths.setdefault(use, self.number)
        self.recent.append(use)
        if use.mode == "write" and may_be_code_file(use.path):
            self.writers.setdefault(self.number)
        if use.glob and _CLASS.search(use.path):
            self.doubt("a glob contains a character class, which may match `..`")
            self.paths.setdefault(replace(use, path=without_kinds(use.path)), self.number)
        fixed = paths.fixed_part(use.path) if use.glob else use.path
        if paths.leaves(use.path, self.root):
            folder = use.directory or use.recursive or use.glob or use.path.endswith("/")
            outside = fixed if paths.leaves(fixed, self.root) else paths.normal(use.path)
            self.outside.setdefault(paths.outside_pattern(outside, directory=folder and outside == fixed))

    def possibly(self, path: str) -> None:
        if len(self.possible) < MAX_PATHS:
            self.possible.setdefault(path)
        elif path not in self.possible:
            self.overflow("the command may touch too many paths to list")

    def may_be_link(self, path: str) -> None:
        if len(self.names) < MAX_NAMES:
            self.names.setdefault(path)

    def may_follow(self, path: str) -> None:
        if len(self.followed) < MAX_NAMES:
            self.followed.setdefault(path)

    def link(self, path: str) -> None:
        self.links[paths.normal(path)] = self.number

    def run(self, path: str) -> None:
        self.runs[paths.normal(path)] = self.number

    def mark(self) -> tuple[int, int]:
        """Return the current position in this record, to pass to `names_since`."""
        return len(self.recent), len(self.printed_names)

    def names_since(self, mark: tuple[int, int]) -> Sequence[PathUse]:
        """Return the files whose names the commands after the position `mark` may have printed, each once."""
        seen, named = mark
        touched = dict.fromkeys(self.recent[seen:])
        return list(dict.fromkeys(self.printed_names[named:])) or [
            use for use in touched if use.mode == "read" and (use.directory or use.recursive or use.glob)
        ]

    def code(self, texts: Iterable[str], folders: Iterable[str]) -> None:
        """Record texts that may be code, and the folders in which a program that is not analysed may run this code."""
        self.codes |= dict.fromkeys(each.replace(UNKNOWN, " ") for each in texts)
        self.code_folders |= dict.fromkeys(folders)

    def guess(self, command: str, folders: Iterable[str]) -> None:
        """Record `command` as a possible meaning of a command that is only partly known."""
        if len(self.guesses) < MAX_GUESSES and command not in self.guesses:
            self.guesses.setdefault(command)
            self.code([command], folders)

    def prints(self, text: str) -> None:
        self.printed.append(text)
        self.printed_at.append(self.number)

    def run_texts(self) -> Sequence[str]:
        """Return the texts that a program may run.

        These are the program's input, and texts written into files before the last command that may run such files: a
        command that runs project files, or that gets the names of the written files.
        """
        if not self.runner:
            return self.fed
        given = {*self.words, *(paths.normal(use.path) for use, number in self.paths.items() if number == self.runner)}
        written = (at for use, at in self.paths.items() if use.mode == "write" and paths.normal(use.path) in given)
        writers = [number for number in (*self.writers, *written) if number < self.runner]
        found = zip(self.printed, self.printed_at, strict=True)
        return [*self.fed, *(text for text, at in found if any(at <= one <= at + MAX_PIPED for one in writers))]

    def all_codes(self) -> Iterable[str]:
        """Return all code and shell texts that the analysed text may execute, including texts that may come from a
        variable or a file."""
        if not self.printed:
            return tuple(each.replace(UNKNOWN, " ") for each in (*self.codes, *self.kept))
        written = {paths.normal(use.path): number for use, number in self.paths.items() if use.mode == "write"}
        read = [(use, number) for use, number in self.paths.items() if use.mode == "read" and use.contents]
        is_read = any(written.get(paths.normal(use.path), number) != number for use, number in read)
        is_read = is_read or any(_meets(each, use) for use, _ in read if use.glob for each in written)
        more = (*self.kept, *self.printed) if is_read or self.runs.keys() & written.keys() else self.kept
        return (*self.codes, *(each.replace(UNKNOWN, " ") for each in more))

    def check_options(self) -> None:
        """Mark the analysis as incomplete if the commands may create a file whose name becomes an option when a glob is
        expanded."""
        if self.has_globs and any(map(_may_make_option, self.paths)):
            self.doubt("a file may be made whose name begins with a dash, and become an option")

    def check_hidden(self, command: str) -> None:
        """Also record the hidden files that globs may match, if `command` may set a shell option such as dotglob."""
        if not (self.reasons and _SHOWS_HIDDEN.search(command)):
            return
        for use, number in tuple(self.paths.items()):
            if use.glob and len(self.paths) < MAX_PATHS:
                parts = use.path.split("/")
                for hidden in {_HIDDEN_BEGIN.sub(".", part) for part in parts if _HIDDEN_BEGIN.match(part)}:
                    shown = "/".join(hidden if _HIDDEN_BEGIN.match(part) else part for part in parts)
                    for path in (shown, shown.replace("/.", "/.*")):
                        self.paths.setdefault(replace(use, path=path), number)

    def check_project_variables(self) -> None:
        """Mark the analysis as incomplete if a variable that is meant for the project's code may reach a command that
        does not run this code."""
        if all(may_get(each.words) for each in self.commands):
            return
        for name in self.project_variables:
            self.doubt(f"the command sets {name}, which can change what runs")

    def check_copies(self) -> None:
        """Treat the names of copied files as unknown if another analysed command may write into the copied folder."""
        written = [(use, number) for use, number in self.paths.items() if use.mode == "write" and use.known != "made"]
        checked: dict[PathUse, int] = {}
        for use, number in self.paths.items():
            source = use.source and paths.normal(paths.fixed_part(use.source.path))
            is_written = source and any(_meets(source, other) for other, its in written if its != number)
            checked.setdefault(replace(use, known="made", source=None) if is_written else use, number)
        self.paths = checked

    def check_made_folders(self) -> None:
        """Record that a folder exists if another command of the text may make it: `mkdir a && cp b a` writes `a/b`."""
        waiting = [
            (use, number, paths.normal(use.path).rpartition("/")[0]) for use, number in self.paths.items() if use.into
        ]
        all_written = [(use, number) for use, number in self.paths.items() if use.mode == "write"]
        written = [(use, number) for use, number in all_written if not (use.into or use.opened)]
        for use, number, folder in waiting:
            if any(its != number and _may_make(other, folder) for other, its in written):
                self.paths[replace(use, into=False)] = self.paths.pop(use)

    def check_ignore_files(self) -> None:
        """Mark searches as also reading hidden files if another command of the shell text may write an ignore file."""
        written = {number for use, number in self.paths.items() if _may_be_ignore_file(use)}
        checked: dict[PathUse, int] = {}
        for use, number in self.paths.items():
            is_open = not use.hidden and bool(written - {number})
            checked.setdefault(replace(use, hidden=True) if is_open else use, number)
        self.paths = checked

    def follow_links(self) -> None:
        """For each recorded use of a path through a link that the analysed command creates, also record the use of the
        real path."""
        for _ in range(MAX_LINKS_OF_LINKS):
            known = len(self.paths)
            for link, target in self.linked:
                self._follow(link, target)
            for (copy, source), number in self.copied.items():
                self._follow(copy, source, copied_by=number)
            if len(self.paths) == known:
                return

    def _follow(self, link: str, target: str, *, copied_by: int = 0) -> None:
        """For every recorded use of a path below `link`, also record the use of the same path below `target`. If `link`
        is a copy, uses by the copying command are left out."""
        for use, number in tuple(self.paths.items()):
            place = paths.normal(use.path)
            there = f"{target}{place.removeprefix(link)}"
            is_other = number != copied_by and (not copied_by or use.known == "files")
            if (
                is_other
                and paths.is_under(place, link)
                and not paths.is_under(there, link)
                and len(self.paths) < MAX_PATHS
            ):
                by_link = bool(copied_by) or use.by_link
                self.paths.setdefault(replace(use, path=there, by_link=by_link), number)

    def check_links(self) -> None:
        """Record a doubt (a reason why the analysis may be incomplete) if the text may replace a path by a link and
        then use the path, because the link's target cannot be checked in advance."""
        for link, number in self.links.items():
            for use, user in self.paths.items():
                if use.known not in {"files", "nothing"}:
                    continue  # git does not follow links
                target = paths.normal(paths.fixed_part(use.path) if use.glob else use.path)
                touched = paths.is_under(target, link) or (use.recursive and paths.is_under(link, target))
                if user != number and touched:
                    self.doubt(f"{target} may be replaced by a link before it is used")
                    return


def _meets(place: str, use: PathUse) -> bool:
    """Return whether a command's use of a path (`use`) may touch something in or below the folder `place`."""
    touched = paths.normal(paths.fixed_part(use.path) if use.glob else use.path)
    return paths.is_under(touched, place) or ((use.recursive or use.glob) and paths.is_under(place, touched))


def _may_make(use: PathUse, folder: str) -> bool:
    """Return whether the use of a path may create a folder: it names the folder, a path in it, or a whole directory
    tree around it."""
    place = paths.normal(paths.fixed_part(use.path) if use.glob else use.path)
    return paths.is_under(place, folder) or (use.recursive and paths.is_under(folder, place))


def _may_make_option(use: PathUse) -> bool:
    """Return whether a command that uses the path `use` may create a file whose name begins with a dash. For copies of
    existing files, the names are looked up."""
    if use.known not in {"files", "copied"} and not use.source:
        names: Iterable[str] = use.only or ("",)
        return use.mode == "write" and any(each[:1] in {"", "*", "?", "[", "-"} for each in names)
    return use.mode == "write" and paths.normal(use.path).rpartition("/")[2].startswith("-")


def _may_be_ignore_file(use: PathUse) -> bool:
    """Return whether a `PathUse` may write an ignore file that makes searches include hidden files."""
    name = use.path.rstrip("/").rpartition("/")[2]
    return use.mode == "write" and (use.recursive or use.glob or use.source is not None or name in _IGNORE_FILES)


def may_be_code_file(name: str) -> bool:
    """Return whether a file may be code or settings of a tool, judging by the ending of its name."""
    return bool(_CODE_FILE.search(name))


def _sentence(reason: str) -> str:
    reason = reason.replace(UNKNOWN, "…")
    text = reason if len(reason) <= 200 else f"{reason[:199]}…"
    return f"{text[:1].upper()}{text[1:]}."
