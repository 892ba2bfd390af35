"""Files in which package managers record the dependencies of a project, and the commands that change these files."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.taken_back import is_taken_back
from tools_app.permission.shell.usage import CommandUsage
from tools_app.permission.shell.words import Field

_ADDING: Final = names(
    "add i in ins install isntall remove rm un uninstall unlink link update up upgrade lock version init import dedupe"
    " pkg audit shrinkwrap require tidy edit get vendor work sync generate-lockfile"
)
_OF_NPM: Final = names("r ln ddp it prune install-test create innit udpate")
"""Further commands of `npm` that change them, some of them under short or misspelt names."""
_SHORTENED: Final = re.compile(r"[a-z-]{3,}")
"""`npm` accepts the beginning of a command."""
_RECORDED: Final[Mapping[str, tuple[str, ...]]] = {
    "npm": ("package.json", "package-lock.json", "npm-shrinkwrap.json"),
    "yarn": ("package.json", "yarn.lock"),
    "pnpm": ("package.json", "pnpm-lock.yaml"),
    "bun": ("package.json", "bun.lock", "bun.lockb"),
    "uv": ("pyproject.toml", "uv.lock"),
    "poetry": ("pyproject.toml", "poetry.lock"),
    "pdm": ("pyproject.toml", "pdm.lock"),
    "pipenv": ("Pipfile", "Pipfile.lock"),
    **dict.fromkeys(("cargo", "cross"), ("Cargo.toml", "Cargo.lock")),
    "go": ("go.mod", "go.sum", "go.work"),
    "bundle": ("Gemfile", "Gemfile.lock"),
    "composer": ("composer.json", "composer.lock"),
}
_SURELY: Final = 2  # of these files; the others are only kept up to date
_REFRESHING: Final[Mapping[str, frozenset[str]]] = {
    "uv": names("run tree export"),
}
"""Commands that first update the lock file if it does not match the file with the dependencies."""
_UP_TO_DATE: Final = names("--locked --frozen --no-sync --no-project")
"""Options with which the commands in `_REFRESHING` fail instead, or leave the lock file unchanged."""
_FURTHER: Final = {("composer", "config"), ("bun", "pm", "migrate"), ("bun", "pm", "trust")}
"""Further actions that change them."""
_CHANGES_MODULES: Final = "-mod=mod"
_MANIFEST: Final = "--manifest-path"
_OF_PROJECT: Final = re.compile("--prefix|-C|--dir|--cwd|--directory|--project|--working-dir")
"""Options of package managers that name the folder of another project."""
_MOST_ABOVE: Final = 4  # folders in which the project is searched


def touch_recorded(name: str, args: Sequence[Field], usage: CommandUsage) -> None:
    """Record the files with the dependencies of a project, if a command of a package manager changes them."""
    words = [arg.text for arg in args]
    plain = [word for word in words if word[:1] != "-"]
    files = _RECORDED.get(name)
    if files is None:
        return
    adds = _adds(name, plain[:2]) or (name, *plain[:2]) in _FURTHER or (name, *plain[:1]) in _FURTHER
    usage.touch(map(Field, files[:_SURELY] if adds else ()), "write")
    if adds:
        _record_elsewhere(args, files, usage)
    if not plain or adds:
        usage.words += (Field(f"{above}{each}") for above in folders_above() for each in files)
    touch_refreshed(name, words, plain[:1], usage, list(projects_of(args)))


def touch_refreshed(
    name: str, words: Sequence[str], commands: Sequence[str], usage: CommandUsage, projects: Sequence[Field] = ()
) -> None:
    """Add the lock file of a package manager to the words of `usage` if the command creates or updates this file.
    `projects` are the folders of other projects that the command's options name."""
    refreshes = _REFRESHING.get(name, frozenset()).intersection(commands) and not (
        _UP_TO_DATE.intersection(words) and not is_taken_back(_UP_TO_DATE, words)
    )
    if refreshes or _CHANGES_MODULES in words:
        starts = ["", *(f"{each.text}/" for each in projects if each.known)]
        ways = [f"{start}{above}" for start in starts for above in folders_above()]
        usage.words += (Field(f"{way}{each}") for way in ways for each in _RECORDED[name][1:_SURELY])
    if _CHANGES_MODULES in words:
        usage.words += (Field(f"{above}go.mod") for above in folders_above())


def folders_above() -> Iterator[str]:
    """Yield the relative paths of the working directory (empty) and of the folders above it, in which the files of the
    project may be, each with a slash at its end."""
    return ("../" * number for number in range(_MOST_ABOVE))


def _adds(name: str, words: Sequence[str]) -> bool:
    if not _ADDING.isdisjoint(words):
        return True
    shortened = [each for word in words[:1] if _SHORTENED.fullmatch(word) for each in _ADDING if each.startswith(word)]
    return name == "npm" and bool(shortened or _OF_NPM.intersection(words[:1]))


def projects_of(args: Sequence[Field]) -> Iterator[Field]:
    """Yield the folders of other projects that options name: `--project web`, `--manifest-path=web/Cargo.toml`."""
    for before, arg in pairwise([Field(""), *args]):
        option, equals, value = arg.text.partition("=")
        name, text = (option, value) if equals else (before.text, arg.text)
        if name == _MANIFEST:
            yield Field(text.rpartition("/")[0] or ".", arg.known)
        elif _OF_PROJECT.fullmatch(name):
            yield Field(text, arg.known)


def _record_elsewhere(args: Sequence[Field], files: Sequence[str], usage: CommandUsage) -> None:
    """Record the files of another project that a package manager changes: `npm install --prefix web x`."""
    for folder in projects_of(args):
        usage.touch([folder], "folder")
        usage.touch([Field(f"{folder.text}/{each}", folder.known) for each in files], "write")
