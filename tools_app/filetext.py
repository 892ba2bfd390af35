"""Read, change and write text files so that every byte outside the change is preserved."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

from sandbox.errors import Conflict, NotFound
from sandbox.ports import Expect, Runtime
from tools_app.arguments import ResolvedPath, needs_of_path
from tools_app.diffing import TextDiff, unified_diff
from tools_app.spec import PermissionNeed, ToolContext, ToolError
from tools_app.text import clean

_BOM: Final = b"\xef\xbb\xbf"
INTERRUPTED: Final = "interrupted: the file was either changed as asked or not at all. Read it before you go on."
"""The message to the model if the worker died during a call that writes one file."""
RETRY_DELAYS_SECONDS: Final = (0.0, 0.02, 0.05, 0.1, 0.2)
"""Seconds to wait before each attempt to change a file that other calls of the same step may be changing too."""
MAX_TEXT_BYTES: Final = 32 << 20
"""The most bytes that the sandbox reads or writes in one request."""


@dataclass(frozen=True, slots=True)
class FileText:
    """The content of a file, decoded."""

    text: str
    """Without the byte order mark. Bytes that are not UTF-8 are represented by lone surrogates."""
    bom: bool
    sha256: str
    """The SHA-256 of the file's bytes."""


@dataclass(frozen=True, slots=True)
class Change:
    """The planned change of a file. `before` is None if the file does not exist yet."""

    before: FileText | None
    after: str

    def diff(self, path: str) -> TextDiff:
        return unified_diff(clean(self.before.text) if self.before else None, clean(self.after), path=path)

    def encoded(self) -> bytes:
        bom = _BOM if self.before and self.before.bom else b""
        return bom + self.after.encode("utf-8", "surrogateescape")


async def load_text(target: ResolvedPath, runtime: Runtime) -> FileText | None:
    """Read a text file; None if it does not exist. Raises ToolError if it is not a text file or is too large."""
    if not target.exists:
        return None
    if target.kind != "file":
        raise ToolError(f"{target.shown} is not a file but a {target.kind}: name a file.")
    if target.size > MAX_TEXT_BYTES:
        raise ToolError(f"{target.shown} is larger than {MAX_TEXT_BYTES >> 20} MiB: change it with a command.")
    try:
        found = await runtime.read(target.real)
    except NotFound:
        return None
    if b"\0" in found.content:
        raise ToolError(f"{target.shown} is a binary file: it cannot be changed as text.")
    has_bom = found.content.startswith(_BOM)
    content = found.content[len(_BOM) :] if has_bom else found.content
    return FileText(content.decode("utf-8", "surrogateescape"), has_bom, found.sha256)


async def needs_of_change(target: ResolvedPath, plan: Callable[[], Awaitable[Change]]) -> list[PermissionNeed]:
    """Return the permission needed for the change that `plan` returns, with the diff for the person who decides.

    A change that cannot be made needs the same permission: the error of `plan` may quote the file, so only the tool's
    `run` may report it, after the gate.
    """
    title = f"Edit {target.shown}"
    try:
        change = await plan()
    except ToolError:
        return needs_of_path("edit", target, title=title)
    diff = await asyncio.to_thread(change.diff, target.shown)  # a large diff takes seconds
    return needs_of_path(
        "edit", target, title=title, diff=diff.diff, additions=diff.additions, deletions=diff.deletions
    )


async def needs_of_quoting(targets: Sequence[ResolvedPath], ctx: ToolContext) -> list[PermissionNeed]:
    """Return the permission to read those existing files among `targets` that the rules deny or ask about reading.

    Changing a file needs this permission, because the error of a change that does not fit quotes the closest lines of
    the file, and because a moved file could be read under its new name.
    """
    rules = await ctx.path_rules() if ctx.path_rules else None
    hidden = [each.shown for each in targets if each.exists and rules and rules.hiding(("read",), "", each.shown)]
    found = tuple(dict.fromkeys(hidden))
    return [PermissionNeed("read", found, (), {"title": f"Read {', '.join(found)}"})] if found else []


async def make_change(
    target: ResolvedPath, plan: Callable[[], Awaitable[Change]], ctx: ToolContext
) -> tuple[Change, TextDiff]:
    """Plan a change with `plan` and write it. Returns the change and its diff.

    Calls of one step run at the same time, so another one may have changed the file since it was loaded. In that case
    the change is planned again on the new content, at most five times. Raises ToolError if the file still differs from
    what the agent last read.
    """
    for delay in RETRY_DELAYS_SECONDS:
        await asyncio.sleep(delay)
        change = await plan()
        if await _is_as_seen(target, change, ctx) and await _written(target, change, ctx):
            return change, await asyncio.to_thread(change.diff, target.shown)
    raise ToolError(f"{target.shown} has changed since you last read it. Read it again before you change it.")


async def _is_as_seen(target: ResolvedPath, change: Change, ctx: ToolContext) -> bool:
    seen = await ctx.memory().seen_version(target.real)
    return seen is None or change.before is None or change.before.sha256 == seen


async def _written(target: ResolvedPath, change: Change, ctx: ToolContext) -> bool:
    content = change.encoded()
    expected: str | Expect = change.before.sha256 if change.before else Expect.ABSENT
    try:
        await ctx.runtime.write(target.real, content, expected=expected)
    except Conflict:
        return False
    await ctx.memory().remember_version(target.real, hashlib.sha256(content).hexdigest())
    return True
