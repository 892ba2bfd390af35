"""What the TOML files say, as values.

A way around is judged by each of the scenarios that it names and must never come out as `allow`. An everyday command
is `harmless` (nobody would want to be asked) or has the reason why somebody wants to be asked.
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True)
class Way:
    """`does` is what the command would do, `source` where the idea comes from, `judged` the names of scenarios."""

    group: str
    name: str
    command: str
    does: str
    source: str
    judged: tuple[str, ...]

    @property
    def id(self) -> str:
        return f"{self.group.replace(' ', '-')}:{self.name}"


@dataclass(frozen=True, slots=True)
class Everyday:
    """`reason` is empty for a harmless one."""

    group: str
    command: str
    reason: str = ""

    @property
    def is_harmless(self) -> bool:
        return not self.reason


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
        )
        for group in _groups("ways_around")
        for way in group["ways"]
    )


@cache
def everyday() -> tuple[Everyday, ...]:
    return tuple(one for group in _groups("everyday") for one in _everyday_of(group))


def _everyday_of(group: dict[str, Any]) -> Iterator[Everyday]:
    for command in group.get("harmless", ()):
        yield Everyday(group["name"], command)
    for reason, commands in group.get("ask", {}).items():
        for command in commands:
            yield Everyday(group["name"], command, reason)


def _groups(folder: str) -> Iterator[dict[str, Any]]:
    for path in sorted((FOLDER / folder).glob("*.toml")):
        yield from tomllib.loads(path.read_text())["group"]
