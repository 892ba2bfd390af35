"""Record: collects the results while the walker goes through a shell text."""

import re
from dataclasses import dataclass, field
from typing import Final

from tools_app.permission.shell import paths
from tools_app.permission.shell.model import Command, Mode, PathUse, Redirect

# For one shell text:
MAX_REASONS: Final = 12
MAX_PATHS: Final = 500
MAX_PATTERNS: Final = 500

_CLASS: Final = re.compile(r"\[[^]]*\[[:.=]|/\.[^/]*\[")


@dataclass(slots=True)
class Record:
    """The findings in a shell text so far. See ShellAnalysis for most of the fields.

    A dict whose values are None is an ordered set.
    """

    root: str
    patterns: dict[str, None] = field(default_factory=dict)
    spellings: dict[str, None] = field(default_factory=dict)
    always: dict[str, None] = field(default_factory=dict)
    once_only: bool = False
    """No "always" is offered for this text."""
    outside: dict[str, None] = field(default_factory=dict)
    """Patterns of directories outside the root."""
    reasons: dict[str, None] = field(default_factory=dict)
    commands: list[Command] = field(default_factory=list)
    redirects: list[Redirect] = field(default_factory=list)
    paths: dict[PathUse, int] = field(default_factory=dict)
    """Paths, each with the number of the command that uses it first."""
    links: dict[str, int] = field(default_factory=dict)
    """Paths that may be replaced by links, each with the number of the command that does it."""
    runs: dict[str, int] = field(default_factory=dict)
    """Files that are run, each with the number of the command that does it."""
    repositories: dict[str, None] = field(default_factory=dict)
    number: int = 0
    """The number of the current command."""

    def doubt(self, reason: str) -> None:
        """Add a reason why the analysis is incomplete. It is shown to people as a sentence."""
        if len(self.reasons) < MAX_REASONS:
            self.reasons.setdefault(_sentence(reason))

    def pattern(self, text: str) -> None:
        if text and len(self.patterns) < MAX_PATTERNS:
            self.patterns.setdefault(text)
        elif text and text not in self.patterns:
            self.doubt("the command runs too many programs to list")

    def path(self, use: PathUse) -> None:
        if len(self.paths) >= MAX_PATHS:
            self.doubt("the command touches too many paths to list")
            return
        self.paths.setdefault(use, self.number)
        if use.glob and _CLASS.search(use.path):
            self.doubt("a glob contains a character class, which may match `..`")
        fixed = paths.fixed_part(use.path) if use.glob else use.path
        if paths.leaves(use.path, self.root):
            folder = use.directory or use.recursive or use.glob or use.path.endswith("/")
            outside = fixed if paths.leaves(fixed, self.root) else paths.normal(use.path)
            self.outside.setdefault(paths.outside_pattern(outside, directory=folder and outside == fixed))

    def link(self, path: str) -> None:
        self.links[paths.normal(path)] = self.number

    def run(self, path: str) -> None:
        self.runs[paths.normal(path)] = self.number

    def check_runs(self) -> None:
        """Add a doubt if the text writes a file and then runs it: the file may contain any command."""
        written = {paths.normal(use.path): number for use, number in self.paths.items() if use.mode == "write"}
        for path, number in self.runs.items():
            if written.get(path, number) != number:
                self.doubt(f"{path} is written and then run")

    def check_links(self) -> None:
        """Add a doubt if the text may replace a path by a link and then use it: its target cannot be checked before."""
        for link, number in self.links.items():
            for use, user in self.paths.items():
                target = paths.normal(paths.fixed_part(use.path) if use.glob else use.path)
                touched = paths.is_under(target, link) or (use.recursive and paths.is_under(link, target))
                if user != number and touched:
                    self.doubt(f"{target} may be replaced by a link before it is used")
                    return


def path_use(
    path: str, mode: Mode, *, glob: bool = False, recursive: bool = False, only: tuple[str, ...] = (), **hints: bool
) -> PathUse:
    """Build a PathUse. The analysis itself generates `a/**` for a tree and `a/**/name` for names in a tree."""
    before, deep, name = path.partition("/**")
    if glob and deep and "/" not in name[1:]:
        only = (name[1:],) if name else only
        return PathUse(
            before or "/", mode, bool(re.search(r"[*?\[]", before)), recursive=True,
            **{**hints, "directory": True}, only=only,
        )  # fmt: skip
    return PathUse(path, mode, glob, recursive, only=only, **hints)


def _sentence(reason: str) -> str:
    text = reason if len(reason) <= 200 else f"{reason[:199]}…"
    return f"{text[:1].upper()}{text[1:]}."
