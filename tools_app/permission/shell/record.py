"""What the walk over a text collects."""

import re
from dataclasses import dataclass, field
from typing import Final

from tools_app.permission.shell import paths
from tools_app.permission.shell.model import Command, Mode, PathUse, Redirect

MOST_REASONS: Final = 12
MOST_PATHS: Final = 500
MOST_PATTERNS: Final = 500

_CLASS: Final = re.compile(r"\[[^]]*\[[:.=]|/\.[^/]*\[")


@dataclass(slots=True)
class Record:
    root: str
    patterns: dict[str, None] = field(default_factory=dict)
    spellings: dict[str, None] = field(default_factory=dict)
    always: dict[str, None] = field(default_factory=dict)
    never: bool = False
    outside: dict[str, None] = field(default_factory=dict)
    reasons: dict[str, None] = field(default_factory=dict)
    commands: list[Command] = field(default_factory=list)
    redirects: list[Redirect] = field(default_factory=list)
    paths: dict[PathUse, int] = field(default_factory=dict)
    links: dict[str, int] = field(default_factory=dict)
    runs: dict[str, int] = field(default_factory=dict)
    repositories: dict[str, None] = field(default_factory=dict)
    number: int = 0
    """Of the command that is being looked at."""

    def doubt(self, reason: str) -> None:
        if len(self.reasons) < MOST_REASONS:
            self.reasons.setdefault(_sentence(reason))

    def pattern(self, text: str) -> None:
        if text and len(self.patterns) < MOST_PATTERNS:
            self.patterns.setdefault(text)
        elif text and text not in self.patterns:
            self.doubt("it runs too many commands to list")

    def path(self, use: PathUse) -> None:
        if len(self.paths) >= MOST_PATHS:
            self.doubt("it touches too many places to list")
            return
        self.paths.setdefault(use, self.number)
        if use.glob and _CLASS.search(use.path):
            self.doubt("a glob names a class of characters, which may match `..`")
        fixed = paths.fixed_part(use.path) if use.glob else use.path
        if paths.leaves(use.path, self.root):
            folder = use.directory or use.recursive or use.glob or use.path.endswith("/")
            place = fixed if paths.leaves(fixed, self.root) else paths.normal(use.path)
            self.outside.setdefault(paths.outside_pattern(place, directory=folder and place == fixed))

    def link(self, path: str) -> None:
        self.links[paths.normal(path)] = self.number

    def run(self, path: str) -> None:
        self.runs[paths.normal(path)] = self.number

    def check_runs(self) -> None:
        """A file that this text writes and then runs says more than the text."""
        written = {paths.normal(use.path): number for use, number in self.paths.items() if use.mode == "write"}
        for path, number in self.runs.items():
            if written.get(path, number) != number:
                self.doubt(f"{path} is written and then run")

    def check_links(self) -> None:
        """A place that this text may turn into a link leads elsewhere when it is used: nobody can look before."""
        for link, number in self.links.items():
            for use, user in self.paths.items():
                place = paths.normal(paths.fixed_part(use.path) if use.glob else use.path)
                if user != number and (paths.is_under(place, link) or (use.recursive and paths.is_under(link, place))):
                    self.doubt(f"{place} may have become a link by the time it is used")
                    return


def path_use(
    path: str, mode: Mode, *, glob: bool = False, recursive: bool = False, only: tuple[str, ...] = (), **hints: bool
) -> PathUse:
    """`a/**` and `a/**/name`, which the analysis itself makes, stand for a tree and for names in a tree."""
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
