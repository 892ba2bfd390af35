"""Packages whose programs are fetched and run: `npx name@version`."""

import re
from collections.abc import Sequence
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.words import Field

_RUNNERS: Final = names("npx bunx uvx") | {"", "npm exec", "npm x", "pnpm dlx", "yarn dlx", "bun x"}
_WITH_VERSION: Final = re.compile(r"((?:@[\w.-]+/)?[\w.-]+)(?:@|==)[\w.^~*<>=+-]+")


def without_version(runner: str, words: Sequence[Field]) -> list[Field]:
    """Return the command that a package runner runs, under the name of its program; other commands are returned
    unchanged.

    If `runner` is empty, nothing is known about the runner.
    """
    found = _WITH_VERSION.fullmatch(words[0].text) if words and runner in _RUNNERS else None
    return [Field(found[1], words[0].known), *words[1:]] if found else list(words)
