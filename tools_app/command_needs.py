"""What a command needs permission for: what the analysis of its text says, and where its paths really lead."""

from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any, Final

from sandbox.ports import HOME, WORKSPACE_ROOT, Runtime
from tools_app.command_paths import Places, find_places
from tools_app.permission.shell import ShellAnalysis, analyze
from tools_app.permission.wildcard import is_literal
from tools_app.spec import PermissionNeed

MOST_SHOWN: Final = 50
"""Commands and reasons on the card; all of them are judged."""


@dataclass(frozen=True, slots=True)
class CommandText:
    """`text` is what an exact rule names; it says in which folder `command` runs when that is not the root."""

    command: str
    text: str
    folder: str


async def needs_of_command(given: CommandText, runtime: Runtime, **metadata: Any) -> list[PermissionNeed]:
    """The folders outside first, then what is read and changed inside, then the command itself."""
    analysis = analyze(
        given.command, cwd=PurePosixPath(given.folder), root=PurePosixPath(WORKSPACE_ROOT), home=PurePosixPath(HOME)
    )
    places = await find_places(analysis.paths, analysis.repositories, runtime)
    if places.doubts:
        analysis = replace(analysis, complete=False, always=(), reasons=(*analysis.reasons, *places.doubts))
    title = metadata.get("title", "")
    return [*_needs_of_places(analysis, places, title), _own_need(given, analysis, metadata)]


def _needs_of_places(analysis: ShellAnalysis, places: Places, title: str) -> list[PermissionNeed]:
    outside = tuple(dict.fromkeys((*analysis.external_directories, *places.outside)))
    found = (("external_directory", outside), ("read", tuple(places.read)), ("edit", tuple(places.written)))
    return [
        PermissionNeed(permission, patterns, _grantable(permission, patterns), {"title": title})
        for permission, patterns in found
        if patterns
    ]


def _grantable(permission: str, patterns: tuple[str, ...]) -> tuple[str, ...]:
    """A path that looks like a wildcard offers no "always", and neither does the whole of `/`."""
    plain = [each.removesuffix("/*") if permission == "external_directory" else each for each in patterns]
    return patterns if all(each and is_literal(each) for each in plain) else ()


def _own_need(given: CommandText, analysis: ShellAnalysis, metadata: dict[str, Any]) -> PermissionNeed:
    always = analysis.always
    if not analysis.complete and analysis.rememberable and is_literal(given.text):
        always = (given.text,)
    return PermissionNeed(
        "bash",
        analysis.patterns,
        always,
        {
            **metadata,
            "command": given.command,
            "text": given.text,
            "complete": analysis.complete,
            "spellings": list(analysis.spellings),
            "reasons": list(analysis.reasons[:MOST_SHOWN]),
            "commands": [each.text for each in analysis.commands[:MOST_SHOWN]],
        },
    )
