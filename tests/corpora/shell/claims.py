"""Claims about commands, from `claims.toml`. The analysis of a command must confirm each of its claims."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from posixpath import normpath
from typing import Any, Final

from sandbox.ports import WORKSPACE_ROOT

CLAIMS: Final[Mapping[str, Sequence[str]]] = {
    command: says
    for group in tomllib.loads(Path(__file__).with_name("claims.toml").read_text()).values()
    for command, says in group.items()
}


def missing(command: str, analysis: Any) -> list[str]:
    """Return the entries for a command in `CLAIMS`, such as "complete" or "runs git", that its analysis does not
    confirm."""
    said = set(_said(analysis))
    return [each for each in CLAIMS[command] if each not in said]


def _said(analysis: Any) -> Iterator[str]:
    yield "complete" if analysis.complete else "incomplete"
    for each in analysis.commands:
        yield f"runs {each.words[0]}"
    for use in analysis.paths:
        mode = use.mode if use.contents else "names"
        kind = " into" if use.into else " tree" if use.recursive or use.whole else ""
        path = normpath(use.path).removeprefix(WORKSPACE_ROOT).lstrip("/") or "."
        yield f"{mode}{kind} {path}"
        yield f"{mode} {path}" if use.whole else ""
        yield f"lists {path}" if use.directory else ""
