"""Files as text that can be written back without changing a byte that nobody meant to change."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from sandbox.errors import Conflict, NotFound
from sandbox.ports import Expect, Runtime
from tools_app.arguments import Place, needs_of_place
from tools_app.diffing import TextDiff, unified_diff
from tools_app.spec import PermissionNeed, ToolContext, ToolError
from tools_app.text import clean

_BOM: Final = b"\xef\xbb\xbf"
INTERRUPTED: Final = "interrupted: the file was either changed as asked or not at all. Read it before you go on."
"""What is true of a single write whose worker died."""
DELAYS: Final = (0.0, 0.02, 0.05, 0.1, 0.2)
"""Seconds before each try to change a file that other calls of the same step change as well."""
LARGEST_TEXT: Final = 32 << 20
"""Bytes; what the sandbox gives and takes at once."""


@dataclass(frozen=True, slots=True)
class FileText:
    """`text` is without the byte order mark; bytes that are not UTF-8 are surrogates in it."""

    text: str
    bom: bool
    sha256: str


@dataclass(frozen=True, slots=True)
class Change:
    """What a file is to become; `before` is None where there is none yet."""

    before: FileText | None
    after: str

    def diff(self, path: str) -> TextDiff:
        return unified_diff(clean(self.before.text) if self.before else None, clean(self.after), path=path)

    def encoded(self) -> bytes:
        bom = _BOM if self.before and self.before.bom else b""
        return bom + self.after.encode("utf-8", "surrogateescape")


async def load_text(place: Place, runtime: Runtime) -> FileText | None:
    """The file as it is now, None when there is none. ToolError for what is not a text file."""
    if not place.exists:
        return None
    if place.kind != "file":
        raise ToolError(f"{place.shown} is not a file but a {place.kind}: name a file.")
    if place.size > LARGEST_TEXT:
        raise ToolError(f"{place.shown} is larger than {LARGEST_TEXT >> 20} MiB: change it with a command.")
    try:
        found = await runtime.read(place.real)
    except NotFound:
        return None
    if b"\0" in found.content:
        raise ToolError(f"{place.shown} is a binary file: it cannot be changed as text.")
    has_bom = found.content.startswith(_BOM)
    content = found.content[len(_BOM) :] if has_bom else found.content
    return FileText(content.decode("utf-8", "surrogateescape"), has_bom, found.sha256)


def needs_of_change(place: Place, change: Change | None) -> list[PermissionNeed]:
    """`change` is None when it cannot be made: then `run` says why, after the gate."""
    title = f"Edit {place.shown}"
    if change is None:
        return needs_of_place("edit", place, title=title)
    diff = change.diff(place.shown)
    return needs_of_place(
        "edit", place, title=title, diff=diff.diff, additions=diff.additions, deletions=diff.deletions
    )


async def make_change(place: Place, plan: Callable[[], Awaitable[Change]], ctx: ToolContext) -> tuple[Change, TextDiff]:
    """Plan and write, unless the file is not what the agent last saw: ToolError then.

    Calls of one step run at the same time, and another of them may have changed this file since it was loaded. Then
    the change is planned anew on what is there, a few times.
    """
    for delay in DELAYS:
        await asyncio.sleep(delay)
        change = await plan()
        if await _is_as_seen(place, change, ctx) and await _written(place, change, ctx):
            return change, await asyncio.to_thread(change.diff, place.shown)
    raise ToolError(f"{place.shown} has changed since you last read it. Read it again before you change it.")


async def _is_as_seen(place: Place, change: Change, ctx: ToolContext) -> bool:
    seen = await ctx.memory.seen_version(place.real)
    return seen is None or change.before is None or change.before.sha256 == seen


async def _written(place: Place, change: Change, ctx: ToolContext) -> bool:
    content = change.encoded()
    expected: str | Expect = change.before.sha256 if change.before else Expect.ABSENT
    try:
        await ctx.runtime.write(place.real, content, expected=expected)
    except Conflict:
        return False
    await ctx.memory.remember_version(place.real, hashlib.sha256(content).hexdigest())
    return True
