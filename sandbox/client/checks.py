"""Convert the answer of a runner's self-check to a `CheckReport`. Its texts are untrusted: they are cut and cleaned."""

import time
from dataclasses import dataclass
from typing import Any, Final

from sandbox.client.answers import Fields
from sandbox.errors import ProtocolError
from sandbox.reports import CheckItem, CheckReport

MAX_ITEMS: Final = 100
MAX_NAME_CHARS: Final = 80
MAX_FOUND_CHARS: Final = 500


@dataclass(frozen=True, slots=True)
class CheckContext:
    """Facts about a sandbox that are known from outside; its self-check is evaluated against them.

    A kernel other than `host_kernel` is the sandbox's own (gVisor, a virtual machine): it may permit operations that
    only affect itself. If `remapped` is true, root in the container must be an unprivileged user on the host.
    """

    runtime: str = ""
    host_kernel: str = ""
    remapped: bool = False

    def as_fields(self) -> dict[str, Any]:
        return {"host_kernel": self.host_kernel, "remapped": self.remapped}


NOTHING_KNOWN: Final = CheckContext()


def to_report(answer: Fields, context: CheckContext) -> CheckReport:
    """Build the report from a runner's answer. `passed` is computed here from the items; the runner's own conclusion is
    ignored."""
    items = tuple(_to_item(Fields(item)) for item in _bounded(answer.items("items")))
    return CheckReport(
        passed=all(item.passed for item in items),
        runtime=context.runtime or _clean(answer.text("runtime"), MAX_NAME_CHARS),
        kernel=_clean(answer.text("kernel"), MAX_NAME_CHARS),
        items=items,
        at=time.time(),
    )


def _bounded(items: list[Any]) -> list[Any]:
    if not 0 < len(items) <= MAX_ITEMS:
        raise ProtocolError(f"The sandbox's self-check must return 1 to {MAX_ITEMS} items, not {len(items)}.")
    return items


def _to_item(item: Fields) -> CheckItem:
    name, found = _clean(item.text("name"), MAX_NAME_CHARS), _clean(item.text("found"), MAX_FOUND_CHARS)
    return CheckItem(name, item.flag("passed"), found)


def _clean(text: str, longest: int) -> str:
    printable = "".join(letter if letter.isprintable() else " " for letter in text[:longest])
    return printable.encode("utf-8", "replace").decode()
