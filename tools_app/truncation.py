"""Truncate long outputs for a model, and keep the full text in the sandbox.

A truncated text consists of whole lines within two limits: a number of lines, and a number of bytes of UTF-8.
"""

import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from sandbox.errors import LimitReached, SandboxRefused
from sandbox.ports import RealPath, Runtime
from tools_app.sandbox_paths import TOOL_OUTPUT_DIRECTORY
from tools_app.spec import ToolContext, ToolResult
from tools_app.text import byte_length

Direction = Literal["head", "tail"]
Unit = Literal["lines", "bytes"]

KEPT_DAYS: Final = 7  # of the full text of a truncated output
_DAY: Final = 86_400 * 10**9  # nanoseconds
_UNSAFE_IN_NAMES: Final = re.compile(r"[^A-Za-z0-9_-]")
MAX_LINES: Final = 2000
MAX_BYTES: Final = 51_200
"""The most bytes of a text that the model gets, unless a caller of `truncate` says otherwise."""


@dataclass(frozen=True, slots=True)
class Truncated:
    """The result of truncating a text."""

    text: str
    """The part that was kept."""
    truncated: bool
    removed: int
    """How many lines or bytes were removed."""
    unit: Unit
    """The unit of `removed`: that of the limit that was reached first."""


def truncate(
    text: str, *, max_lines: int = MAX_LINES, max_bytes: int = MAX_BYTES, direction: Direction = "head"
) -> Truncated:
    """Keep the first (`head`) or last (`tail`) whole lines that are within both limits.

    Nothing is kept of a line that is longer than `max_bytes`.
    """
    total = byte_length(text)
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    if total <= max_bytes and len(lines) <= max_lines:
        return Truncated(text, truncated=False, removed=0, unit="lines")
    ordered = lines if direction == "head" else lines[::-1]
    kept = _fitting(ordered[:max_lines], max_bytes)
    if direction == "tail":
        kept.reverse()
    shortened = "\n".join(kept)
    if len(kept) == max_lines and len(kept) < len(lines):
        return Truncated(shortened, truncated=True, removed=len(lines) - len(kept), unit="lines")
    return Truncated(shortened, truncated=True, removed=total - byte_length(shortened), unit="bytes")


async def cut_to_size(result: ToolResult, keep: Literal["head", "tail"], ctx: ToolContext) -> ToolResult:
    """Return the result with its output truncated, and a notice of how much is missing and where the full text is.

    `keep` says which end of the output is kept.
    """
    max_lines, max_bytes = _output_limits(ctx.settings)
    cut = truncate(result.output, max_lines=max_lines, max_bytes=max_bytes, direction=keep)
    if not cut.truncated:
        return result
    notice = _truncation_notice(cut, await _keep_full_text(result.output, ctx))
    kept = cut.text or _piece_of_line(result.output, keep, max_bytes)
    output = f"{kept}\n\n{notice}" if keep == "head" else f"{notice}\n\n{kept}"
    return replace(result, output=output, truncated=True)


def _output_limits(settings: Mapping[str, Any]) -> tuple[int, int]:
    """Return the limits in lines and bytes. Policies can lower the defaults but not raise them.

    Other limits, such as those of the context and of events, are chosen to fit the defaults.
    """
    return (
        min(settings.get("output_lines") or MAX_LINES, MAX_LINES),
        min(settings.get("output_bytes") or MAX_BYTES, MAX_BYTES),
    )


def _piece_of_line(text: str, keep: Literal["head", "tail"], max_bytes: int) -> str:
    """Return the first or last `max_bytes` of a text with one line that is too long to keep. Incomplete characters are
    dropped."""
    raw = text.encode("utf-8")
    piece = raw[:max_bytes] if keep == "head" else raw[-max_bytes:]
    return piece.decode("utf-8", "ignore")


async def _keep_full_text(text: str, ctx: ToolContext) -> str | None:
    """Write the full output to the sandbox and return its path; None if the sandbox has no room for it."""
    path = RealPath(f"{TOOL_OUTPUT_DIRECTORY}/{_UNSAFE_IN_NAMES.sub('_', ctx.call_id)}.txt")
    try:
        await _remove_expired_outputs(ctx.runtime)
        await ctx.runtime.write(path, text.encode("utf-8"))
    except (SandboxRefused, LimitReached):
        return None
    return path


async def _remove_expired_outputs(runtime: Runtime) -> None:
    """Delete outputs older than `KEPT_DAYS`; called whenever a new output is written.

    If the folder has been replaced by a symbolic link, the sandbox refuses to list it, so nothing elsewhere is deleted.
    """
    if not (await runtime.stat(TOOL_OUTPUT_DIRECTORY)).exists:
        return
    oldest = time.time_ns() - KEPT_DAYS * _DAY
    for entry in await runtime.list(RealPath(TOOL_OUTPUT_DIRECTORY)):
        if entry.kind == "file" and entry.modified_ns < oldest:
            await runtime.remove(entry.real_path)


def _truncation_notice(cut: Truncated, path: str | None) -> str:
    missing = f"{cut.removed:,} {cut.unit} are not shown here"
    if path is None:
        return f"({missing}, and the full text could not be kept. Ask for less at once.)"
    return f"({missing}. The full text is in {path}: search it with grep, or read parts of it with offset and limit.)"


def _fitting(lines: Iterable[str], max_bytes: int) -> list[str]:
    kept: list[str] = []
    used = -1
    for line in lines:
        used += byte_length(line) + 1
        if used > max_bytes:
            break
        kept.append(line)
    return kept
