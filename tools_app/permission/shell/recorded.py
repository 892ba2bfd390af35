"""Files in which package managers record what a project needs, and which of their commands change these files."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.usage import CommandUsage
from tools_app.permission.shell.words import Field

_ADDING: Final = names(
    "add i in ins install isntall remove rm un uninstall unlink link update up upgrade lock version init import dedupe"
    " pkg audit shrinkwrap require tidy edit get vendor work sync generate-lockfile"
)
_OF_NPM: Final = names("r ln ddp it prune install-test create innit udpate")
"""Other names that `npm` has for such commands, and further ones."""
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
    "cargo": ("Cargo.toml", "Cargo.lock"),
    "go": ("go.mod", "go.sum", "go.work"),
    "bundle": ("Gemfile", "Gemfile.lock"),
    "composer": ("composer.json", "composer.lock"),
}
_SURELY: Final = 2  # of these files; the others are only kept up to date
_REFRESHING: Final[Mapping[str, frozenset[str]]] = {
    "uv": names("run tree export"),
    "cargo": names(
        "b bench build c check clippy d doc fetch fix install metadata nextest package publish r run rustc rustdoc t"
        " test tree"
    ),
    "bundle": names("cache check exec list outdated package show"),
}
"""Commands that bring the file of exact versions up to date before they do their work, if it does not fit the other
one."""
_UP_TO_DATE: Final = names("--locked --frozen --no-sync --no-project")
"""Options with which they fail instead, or leave the file alone."""
_CHANGES_MODULES: Final = "-mod=mod"
_OF_PROJECT: Final = re.compile("--prefix|-C|--dir|--cwd|--directory|--project|--working-dir")
"""Options of package managers that name the folder of another project."""
_MOST_ABOVE: Final = 4  # folders in which the project is searched


def touch_recorded(name: str, args: Sequence[Field], usage: CommandUsage) -> None:
    """Record the files in which a package manager records what a project needs, if the command changes them."""
    files = _RECORDED.get(name)
    if files is None:
        return
    words = [arg.text for arg in args]
    plain = [word for word in words if word[:1] != "-"]
    adds = _adds(name, plain[:2])
    usage.touch(map(Field, files[:_SURELY] if adds else ()), "write")
    if adds:
        _record_elsewhere(args, files, usage)
    if not plain or adds:
        usage.words += (Field(f"{above}{each}") for above in _above() for each in files)
    touch_refreshed(name, words, plain[:1], usage)


def touch_refreshed(name: str, words: Sequence[str], commands: Sequence[str], usage: CommandUsage) -> None:
    """Record the file of exact versions, if a command brings it up to date."""
    refreshes = _REFRESHING.get(name, frozenset()).intersection(commands) and not _UP_TO_DATE.intersection(words)
    if refreshes or _CHANGES_MODULES in words:
        usage.words += (Field(f"{above}{each}") for above in _above() for each in _RECORDED[name][1:_SURELY])
    if _CHANGES_MODULES in words:
        usage.words += (Field(f"{above}go.mod") for above in _above())


def _above() -> Iterator[str]:
    """Yield the ways to the folders above, in which the files of the project may be."""
    return ("../" * number for number in range(_MOST_ABOVE))


def _adds(name: str, words: Sequence[str]) -> bool:
    if not _ADDING.isdisjoint(words):
        return True
    shortened = [each for word in words[:1] if _SHORTENED.fullmatch(word) for each in _ADDING if each.startswith(word)]
    return name == "npm" and bool(shortened or _OF_NPM.intersection(words[:1]))


def _record_elsewhere(args: Sequence[Field], files: Sequence[str], usage: CommandUsage) -> None:
    """Record the files of another project that a package manager changes: `npm install --prefix web x`."""
    for before, arg in pairwise([Field(""), *args]):
        name, equals, value = arg.text.partition("=")
        folder = Field(value if equals else arg.text, arg.known)
        if _OF_PROJECT.fullmatch(name if equals else before.text):
            usage.touch([folder], "folder")
            usage.touch([Field(f"{folder.text}/{each}", folder.known) for each in files], "write")
