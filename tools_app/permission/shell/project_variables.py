"""Variables that only change what a project's own code does, such as PYTHONPATH.

A command that runs the project's code may set them, because a person who may run that code may also change it. All
other commands that get these variables must ignore them.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from tools_app.permission.names import names

_OWN_FOLDER: Final = re.compile(r"\$PWD|\$\{PWD\}|\$\(pwd\)")
_BEFORE: Final = re.compile(r"\$PYTHONPATH|\$\{PYTHONPATH(?::-)?\}")
"""The value so far. Nothing in the sandbox's environment sets it."""
_PLACE: Final = re.compile(r"(?!.*\.\.)(?:/workspace(?![\w.-]))?[\w./-]+|/workspace", re.ASCII)
_MODULE: Final = re.compile(r"\w+(?:\.\w+)*", re.ASCII)

_RUN_ITS_CODE: Final = names("pytest py.test tox nox make manage.py")
_LOOKING_MODULES: Final = names("json.tool py_compile compileall pip ast tabnanny tokenize venv ensurepip site")
_DO_NOT_LOOK: Final = names(
    "[ [[ awk basename break cat cd continue cp cut date declare diff dirname echo env exit export false find git grep"
    " head ls mkdir mv nice printf pwd return rm sed set sleep sort stat tail tee test time timeout touch tr true uniq"
    " uv wc xargs : ruff"
)
"""Programs that ignore such variables: those that are not written in Python, and those that do not run files that they
find. The commands that `env` and others run are examined separately."""

_MEMORY: Final = re.compile(r"-Xm[sx]\d+[kmgKMG](?: -Xm[sx]\d+[kmgKMG])*", re.ASCII)
_PLAIN_VALUES: Final[Mapping[str, re.Pattern[str]]] = {
    "PAGER": re.compile("cat"),
    "GOFLAGS": re.compile(r"-mod=(?:mod|vendor|readonly)|-count=\d+|-race|-v", re.ASCII),
    "JAVA_OPTS": _MEMORY,
    "MAVEN_OPTS": _MEMORY,
    "GRADLE_OPTS": _MEMORY,
}
"""Variables that can name a program or contain options, and their values that do not."""
HARMLESS_ALONE: Final = frozenset({"MYPYPATH", *_PLAIN_VALUES})
"""Variables that any program may get: their only effect is that a program also reads the folders that they name."""


def places_of(name: str, source: str) -> tuple[str, ...] | None:
    """Return the folders in the value of a variable for the project's code, such as PYTHONPATH; None if the variable
    may have other effects.

    `source` is the value with its quotes.
    """
    plain = source[1:-1] if len(source) > 1 and source[0] == source[-1] and source[0] in "\"'" else source
    if name in _PLAIN_VALUES:
        return () if _PLAIN_VALUES[name].fullmatch(plain) else None
    if name == "DJANGO_SETTINGS_MODULE":
        return () if _MODULE.fullmatch(plain) else None
    if name not in {"PYTHONPATH", "MYPYPATH"}:
        return None
    if source[:1] != "'":
        plain = _OWN_FOLDER.sub(".", plain)
    parts = [part or "." for part in plain.split(":") if not _BEFORE.fullmatch(part)]
    return tuple(parts) if all(map(_PLACE.fullmatch, parts)) else None


def may_get(words: Sequence[str]) -> bool:
    """Return whether a command may get environment variables for the project's code, because it runs this code or
    ignores such variables."""
    name, *rest = words
    base = name.rpartition("/")[2]
    if re.fullmatch(r"python[\d.]*", base):
        return bool(rest) and _runs_project_code(rest)
    if base == "coverage":
        return rest[:1] == ["run"]
    return base in _RUN_ITS_CODE or base in _DO_NOT_LOOK


def _runs_project_code(args: Sequence[str]) -> bool:
    """Return whether Python runs a file of the project, or a module that does more than show something."""
    if args[0] == "-m":
        return len(args) > 1 and args[1] not in _LOOKING_MODULES
    return not args[0].startswith("-")
