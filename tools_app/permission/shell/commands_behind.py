"""commands_behind(): the commands that stand behind an action of a tool, such as `composer exec -- git push`.

The analysis has tables for these tools, so it does not take each of their words for a command.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.possible_commands import possible_commands
from tools_app.permission.shell.words import Field

_RUNNING: Final[Mapping[str, frozenset[str]]] = {
    "composer": names("exec exe ex e"), "ctest": names("--launch --build-and-test --test-command"),
    "cargo": names("workspaces ws with each for-each foreach multi exec"), "bundle": names("exec"),
    **dict.fromkeys(("poetry", "pipenv", "rye"), names("run")), "pdm": names("run"), "hatch": names("run"),
    "npm": names("exec x explore"), "pnpm": names("exec x dlx explore with"), "yarn": names("exec dlx"),
    "bun": names("exec x run"), "R": names("CMD"), "lerna": names("exec"), "nx": names("exec"), "tox": names("exec e"),
}  # fmt: skip
"""Tools, and their actions that run the words behind them. Sources: their manuals."""
_MAX_BEFORE: Final = 6
"""How many words may stand in front of the action: options and their values."""
_MAX_SEARCHED: Final = 16
_OF_ENVIRONMENT: Final = re.compile(r"[\w.-]+:(?=[\w.-])")
"""The name of an environment in front of a program: `hatch run test:pytest`."""
_REFERENCES: Final[Mapping[str, re.Pattern[str]]] = {
    "nix": re.compile(
        r"\S*#(?:[\w-]+\.)*?(?P<program>[a-zA-Z][\w+-]*?)(?:Full|Minimal|SVN)?(?:\.(?:bin|out))?(?:\^\S*)?"
    ),
    "flatpak": re.compile(r"\w+(?:\.\w+)*\.(?P<program>\w+)"),
    "pkgx": re.compile(r"(?P<program>\w+)\.\w{2,3}(?:[@=^~]\S*)?"),
}
"""Tools that run the program of a package, and how they name the package: `nix run nixpkgs#curl`, `pkgx curl.se`."""


def _packages(args: Sequence[Field], reference: re.Pattern[str]) -> list[list[Field]]:
    """Return the commands that run the program of a package, which may be called like the package."""
    named = ((reference.fullmatch(each.text), args[index:]) for index, each in enumerate(args[:_MAX_SEARCHED], 1))
    return [
        [Field(package["program"]), *(rest[1:] if [each.text for each in rest[:1]] == ["--"] else rest)]
        for package, rest in named
        if package
    ]


def commands_behind(name: str, args: Sequence[Field]) -> list[list[Field]]:
    """Return the commands that may stand behind the action of a tool, whatever options there are."""
    running = _RUNNING.get(name, frozenset[str]())
    start = next((index for index, each in enumerate(args[:_MAX_BEFORE], 1) if each.text in running), 0)
    found = possible_commands(args[start:]) if start else []
    if name in _REFERENCES:
        found += _packages(args, _REFERENCES[name])
    if name == "hatch":
        named = ((_OF_ENVIRONMENT.match(words[0].text), words) for words in list(found))
        found += [[Field(words[0].text[begin.end() :]), *words[1:]] for begin, words in named if begin]
    return found
