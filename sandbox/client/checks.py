"""What a runner's self-check answers, as a `CheckReport`. Its words are bounded and cleaned: they are untrusted."""

import time
from dataclasses import dataclass
from typing import Any, Final

from sandbox.client.answers import Fields
from sandbox.errors import ProtocolError
from sandbox.reports import CheckItem, CheckReport

MOST_ITEMS: Final = 100
LONGEST_NAME: Final = 80
LONGEST_FOUND: Final = 500


@dataclass(frozen=True, slots=True)
class Ground:
    """What is known outside of what a sandbox stands on, and what the check inside is judged by.

    A kernel other than `host_kernel` is the sandbox's own (gVisor, a virtual machine), and need not refuse what it
    does only to itself. `remapped`: the container's root must be nobody on the host.
    """

    runtime: str = ""
    host_kernel: str = ""
    remapped: bool = False

    def as_fields(self) -> dict[str, Any]:
        return {"host_kernel": self.host_kernel, "remapped": self.remapped}


def to_report(answer: Fields, ground: Ground) -> CheckReport:
    """`passed` is our own conclusion, never the runner's."""
    items = tuple(_to_item(Fields(item)) for item in _bounded(answer.items("items")))
    return CheckReport(
        passed=all(item.passed for item in items),
        runtime=ground.runtime or _clean(answer.text("runtime"), LONGEST_NAME),
        kernel=_clean(answer.text("kernel"), LONGEST_NAME),
        items=items,
        at=time.time(),
    )


def _bounded(items: list[Any]) -> list[Any]:
    if not 0 < len(items) <= MOST_ITEMS:
        raise ProtocolError("The sandbox's self-check answered nothing, or far too much.")
    return items


def _to_item(item: Fields) -> CheckItem:
    name, found = _clean(item.text("name"), LONGEST_NAME), _clean(item.text("found"), LONGEST_FOUND)
    return CheckItem(name, item.flag("passed"), found)


def _clean(text: str, longest: int) -> str:
    printable = "".join(letter if letter.isprintable() else " " for letter in text[:longest])
    return printable.encode("utf-8", "replace").decode()
