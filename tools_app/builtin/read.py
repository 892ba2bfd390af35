import base64
from collections.abc import Sequence
from typing import Any

from pydantic import Field

from sandbox.ports import FileContent, FileStat
from tools_app.arguments import Place, ToolArguments, needs_of_place
from tools_app.description import description_beside
from tools_app.filekinds import attached_type, is_binary
from tools_app.instructions import reminders
from tools_app.paging import Page, page
from tools_app.similar import missing_file
from tools_app.spec import PermissionNeed, Tool, ToolContext, ToolError, ToolResult
from tools_app.text import counted

DEFAULT_LIMIT = 2000
MOST_ENTRIES = 10_000
LARGEST_ATTACHMENT = 4 * 1024 * 1024


class ReadArguments(ToolArguments):
    file_path: str = Field(min_length=1, description="The file or folder: absolute, or relative to the workspace.")
    offset: int | None = Field(default=None, ge=0, description="The first line to show, from 1. Default: 1.")
    limit: int | None = Field(default=None, ge=0, description=f"How many lines to show. Default: {DEFAULT_LIMIT}.")


class ReadTool(Tool[ReadArguments]):
    id = "read"
    permission = "read"
    parameters = ReadArguments
    description = description_beside(__file__)

    async def needs(self, args: ReadArguments, ctx: ToolContext) -> list[PermissionNeed]:
        place = await args.place(args.file_path, ctx.runtime)
        return needs_of_place("read", place, title=f"Read {place.shown}")

    async def run(self, args: ReadArguments, ctx: ToolContext) -> ToolResult:
        place = await args.place(args.file_path, ctx.runtime)
        if not place.exists:
            raise await missing_file(place, ctx.runtime)
        if place.kind == "directory":
            return await _directory(args, place, ctx)
        if media_type := attached_type(place.real):
            return await _attachment(place, media_type, ctx)
        return await _text(args, place, ctx)


async def _text(args: ReadArguments, place: Place, ctx: ToolContext) -> ToolResult:
    found = await ctx.runtime.read(place.real)
    if is_binary(place.real, found.content):
        raise ToolError(f"{place.shown} is a binary file and cannot be read as text. Use bash to look into it.")
    await ctx.memory.remember_version(place.real, found.sha256)
    lines = _lines(found)
    shown = _page(args, place, lines, numbered=True)
    body = "\n".join(shown.lines) or "(The file is empty.)"
    parts = [body, _end_note(shown, len(lines), ("line", "lines")), await reminders(place, ctx)]
    return _result(place, "\n\n".join(filter(None, parts)), len(shown.lines))


def _lines(found: FileContent) -> list[str]:
    text = found.content.decode("utf-8-sig", "replace")
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


async def _directory(args: ReadArguments, place: Place, ctx: ToolContext) -> ToolResult:
    entries = await ctx.runtime.list(place.real, limit=MOST_ENTRIES)
    names = sorted(map(_entry_name, entries))
    shown = _page(args, place, names, numbered=False)
    body = "\n".join(shown.lines) or "(The folder is empty.)"
    parts = [body, _end_note(shown, len(names), ("entry", "entries")), await reminders(place, ctx)]
    return _result(place, "\n\n".join(filter(None, parts)), len(shown.lines))


def _entry_name(entry: FileStat) -> str:
    name = entry.path.rstrip("/").rpartition("/")[2]
    return f"{name}/" if entry.kind == "directory" else name


async def _attachment(place: Place, media_type: str, ctx: ToolContext) -> ToolResult:
    if place.size > LARGEST_ATTACHMENT:
        raise ToolError(f"{place.shown} is larger than 4 MiB and cannot be attached. Make a smaller copy of it first.")
    found = await ctx.runtime.read(place.real)
    attachment: dict[str, Any] = {
        "media_type": media_type,
        "name": place.shown.rpartition("/")[2],
        "data": base64.b64encode(found.content).decode("ascii"),
    }
    return ToolResult(
        f"Read {place.shown}",
        f"{place.shown} is attached ({media_type}, {found.size} bytes).",
        {"path": place.shown, "lines": 0},
        (attachment,),
        truncated=True,
    )


def _page(args: ReadArguments, place: Place, lines: Sequence[str], *, numbered: bool) -> Page:
    offset = args.offset or 1
    if offset > max(1, len(lines)):
        raise ToolError(
            f"{place.shown} has {counted(len(lines), 'line')}: there is no line {offset}. Give a smaller offset."
        )
    return page(lines, offset=offset, limit=args.limit or DEFAULT_LIMIT, numbered=numbered)


def _end_note(shown: Page, total: int, unit: tuple[str, str]) -> str:
    if shown.following is not None:
        remaining = counted(total - shown.following + 1, *unit)
        return f"({remaining} more. Go on with offset={shown.following}.)"
    return f"(End: {counted(total, *unit)}.)" if total else ""


def _result(place: Place, output: str, lines: int) -> ToolResult:
    return ToolResult(f"Read {place.shown}", output, {"path": place.shown, "lines": lines}, truncated=True)
