"""The commands of the TOML files, as values.

A command that tries to bypass rules is judged under each scenario that it names, and must never be allowed. An everyday
command is `harmless` (nobody would want a permission request for it) or has the reason for a permission request. An
agent's command is stored with its effect and with the action that it should get under the preset `balanced`.
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).resolve().parent
STAYS: Final = ("reads", "writes", "runs", "fetches")
"""Effects of commands that cannot leave their container. `fetches` tries to load something, and there is no network."""
DOES: Final = (*STAYS, "leaves", "steers", "secrets")
"""`leaves`: pushes, publishes or uses an account. `steers`: changes files that control git, commands or rules.
`secrets`: reads files with secrets."""


@dataclass(frozen=True, slots=True)
class Way:
    """A command that tries to bypass rules. `does` is its effect, `source` the origin of the idea, `judged` names the
    scenarios in which it is judged.

    `with_rules`: the search for files knows the rules, as in a session. Without rules, it looks for all files.
    """

    group: str
    name: str
    command: str
    does: str
    source: str
    judged: tuple[str, ...]
    with_rules: bool = False

    @property
    def id(self) -> str:
        return f"{self.group.replace(' ', '-')}:{self.name}"


@dataclass(frozen=True, slots=True)
class Everyday:
    """An everyday command. `reason` is the reason to ask a person about it; empty for a harmless command."""

    group: str
    command: str
    reason: str = ""

    @property
    def is_harmless(self) -> bool:
        return not self.reason


@dataclass(frozen=True, slots=True)
class AgentCommand:
    """A command as coding agents write it. `does` is its effect, one of `DOES`; `wanted` is the action that it should
    get under the preset `balanced`."""

    group: str
    command: str
    does: str
    wanted: str

    @property
    def stays(self) -> bool:
        """Return whether the command may run without a permission request under the preset `contained`."""
        return self.does in STAYS


@cache
def ways_around() -> tuple[Way, ...]:
    return tuple(
        Way(
            group["name"],
            way["id"],
            way["command"],
            way["does"],
            way.get("from", group["from"]),
            tuple(way.get("judged", group["judged"])),
            group.get("with_rules", False),
        )
        for group in _groups("ways_around")
        for way in group["ways"]
    )


@cache
def everyday() -> tuple[Everyday, ...]:
    return tuple(one for group in _groups("everyday") for one in _everyday_of(group))


@cache
def agent_commands() -> tuple[AgentCommand, ...]:
    return tuple(
        AgentCommand(group["name"], command, does, wanted)
        for group in _groups("agent_commands")
        for wanted in ("allow", "ask")
        for does, commands in group.get(wanted, {}).items()
        for command in commands
    )


def _everyday_of(group: dict[str, Any]) -> Iterator[Everyday]:
    for command in group.get("harmless", ()):
        yield Everyday(group["name"], command)
    for reason, commands in group.get("ask", {}).items():
        for command in commands:
            yield Everyday(group["name"], command, reason)


def _groups(folder: str) -> Iterator[dict[str, Any]]:
    for path in sorted((FOLDER / folder).glob("*.toml")):
        yield from tomllib.loads(path.read_text())["group"]
