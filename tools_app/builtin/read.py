"""The `read` tool: read a file or an attachment, or list a folder."""

import re
from collections.abc import Sequence

from pydantic import Field

from sandbox.errors import LimitReached, SandboxRefused
from sandbox.ports import FileContent, FileStat, RealPath
from tools_app.arguments import ResolvedPath, ToolArguments, needs_of_path
from tools_app.attachment_types import NotAttachable, check_size, clean_name, inspect
from tools_app.description import description_beside
from tools_app.filekinds import attached_type, is_binary
from tools_app.instructions import reminders
from tools_app.left_out import Sight, inside
from tools_app.media import Media, recognise
from tools_app.paging import Page, page
from tools_app.sandbox_paths import path_of_copy
from tools_app.similar_names import missing_file_error
from tools_app.spec import Attachment, PermissionNeed, Tool, ToolContext, ToolError, ToolResult
from tools_app.text import counted

DEFAULT_LIMIT = 2000
MAX_ENTRIES = 10_000  # of a folder
ATTACHMENT_ID = re.compile(r"att_[0-9a-f]{32}")


class ReadArguments(ToolArguments):
    file_path: str = Field(
        min_length=1,
        description="The file or folder: absolute, or relative to the workspace; or the id of a file attached here.",
    )
    offset: int | None = Field(default=None, ge=0, description="The first line to show, from 1. Default: 1.")
    limit: int | None = Field(default=None, ge=0, description=f"How many lines to show. Default: {DEFAULT_LIMIT}.")


class ReadTool(Tool[ReadArguments]):
    id = "read"
    permission = "read"
    parameters = ReadArguments
    description = description_beside(__file__)

    async def needs(self, args: ReadArguments, ctx: ToolContext) -> list[PermissionNeed]:
        if ATTACHMENT_ID.fullmatch(args.file_path):
            return []
        target = await args.resolve(args.file_path, ctx.runtime)
        return needs_of_path("read", target, title=f"Read {target.shown}")

    async def run(self, args: ReadArguments, ctx: ToolContext) -> ToolResult:
        if ATTACHMENT_ID.fullmatch(args.file_path):
            return await _show_attachment(args, ctx)
        target = await args.resolve(args.file_path, ctx.runtime)
        if not target.exists:
            raise await missing_file_error(target, ctx)
        if target.kind == "directory":
            return await _directory(args, target, ctx)
        return await _file(args, target, ctx)


async def _file(args: ReadArguments, target: ResolvedPath, ctx: ToolContext) -> ToolResult:
    claimed = attached_type(target.real)
    if claimed:
        _require_size(target, claimed)
    found = await ctx.runtime.read(target.real)
    if claimed or recognise(found.content):
        return await _attach(target, found, ctx)
    if is_binary(target.real, found.content):
        raise ToolError(f"{target.shown} is a binary file and cannot be read as text. Use bash to look into it.")
    await ctx.memory().remember_version(target.real, found.sha256)
    return _listing(target.shown, args, found.content, [await reminders(target, ctx)])


def _require_size(target: ResolvedPath, media_type: str) -> None:
    """Raise ToolError if the file is too large to attach, before it is read."""
    try:
        check_size(target.shown, media_type, target.size)
    except NotAttachable as error:
        raise ToolError(f"{error.message} {error.hint}") from error


def _listing(name: str, args: ReadArguments, content: bytes, more: list[str]) -> ToolResult:
    """Return the requested lines with their numbers, followed by the paragraphs of `more`."""
    lines = _lines(content)
    shown = _page(args, name, lines, numbered=True)
    body = "\n".join(shown.lines) or "(The file is empty.)"
    parts = [body, _end_note(shown, len(lines), ("line", "lines")), *more]
    return _result(name, "\n\n".join(filter(None, parts)), len(shown.lines))


def _lines(content: bytes) -> list[str]:
    text = content.decode("utf-8-sig", "replace")
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


async def _directory(args: ReadArguments, target: ResolvedPath, ctx: ToolContext) -> ToolResult:
    entries = await ctx.runtime.list(target.real, limit=MAX_ENTRIES)
    sight = await Sight.below(target, ("list",), ctx)
    names = sorted(_entry_name(entry) for entry in entries if sight.shows(inside(target.shown, _name(entry))))
    shown = _page(args, target.shown, names, numbered=False)
    body = "\n".join(shown.lines) or "(The folder is empty.)"
    end = _end_note(shown, len(names), ("entry", "entries"))
    parts = [body, end, sight.names_note(), await reminders(target, ctx)]
    return _result(target.shown, "\n\n".join(filter(None, parts)), len(shown.lines))


def _name(entry: FileStat) -> str:
    return entry.path.rstrip("/").rpartition("/")[2]


def _entry_name(entry: FileStat) -> str:
    return f"{_name(entry)}/" if entry.kind == "directory" else _name(entry)


async def _attach(target: ResolvedPath, found: FileContent, ctx: ToolContext) -> ToolResult:
    """Attach a picture or a PDF for the model. Its type is determined from its content."""
    name = clean_name(target.shown)
    try:
        media = inspect(name, found.content)
    except NotAttachable as error:
        raise ToolError(f"{error.message} {error.hint}") from error
    attachment = await ctx.files().put(name, media.media_type, found.content)
    parts = [f"{target.shown} is attached ({_described(media, found.size)}).", await reminders(target, ctx)]
    return _shown(target.shown, "\n\n".join(filter(None, parts)), media, attachment)


async def _show_attachment(args: ReadArguments, ctx: ToolContext) -> ToolResult:
    """Show an attachment of the conversation again: a picture or PDF, or the lines of a text.

    A copy is put into the sandbox for commands.
    """
    attachment, content = await ctx.files().describe(args.file_path), await ctx.files().get(args.file_path)
    media, name, copy = recognise(content), attachment["name"], await _copy_to_sandbox(attachment, content, ctx)
    if media is None:
        return _listing(name, args, content, [copy])
    output = f"{name} is attached again ({_described(media, len(content))}).\n\n{copy}".rstrip()
    return _shown(name, output, media, attachment)


async def _copy_to_sandbox(attachment: Attachment, content: bytes, ctx: ToolContext) -> str:
    """Copy an attachment into the sandbox and return a note with its path; "" if the sandbox has no room for it."""
    path = RealPath(path_of_copy(attachment["id"], attachment["name"]))
    try:
        if (await ctx.runtime.stat(path)).size != len(content):
            await ctx.runtime.write(path, content)
    except (SandboxRefused, LimitReached):
        return ""
    return f"(A copy for commands is in {path}.)"


def _shown(name: str, output: str, media: Media, attachment: Attachment) -> ToolResult:
    metadata = {"path": name, "lines": 0, "kind": media.kind, "width": media.width, "height": media.height}
    return ToolResult(f"Read {name}", output, metadata, (attachment,), truncated=True)


def _described(media: Media, size: int) -> str:
    pixels = f"{media.width} x {media.height} pixels, " if media.width else ""
    return f"{media.media_type}, {pixels}{size:,} bytes"


def _page(args: ReadArguments, name: str, lines: Sequence[str], *, numbered: bool) -> Page:
    offset = args.offset or 1
    if offset > max(1, len(lines)):
        raise ToolError(f"{name} has {counted(len(lines), 'line')}: there is no line {offset}. Give a smaller offset.")
    return page(lines, offset=offset, limit=args.limit or DEFAULT_LIMIT, numbered=numbered)


def _end_note(shown: Page, total: int, unit: tuple[str, str]) -> str:
    if shown.following is not None:
        remaining = counted(total - shown.following + 1, *unit)
        return f"({remaining} more. Go on with offset={shown.following}.)"
    return f"(End: {counted(total, *unit)}.)" if total else ""


def _result(name: str, output: str, lines: int) -> ToolResult:
    return ToolResult(f"Read {name}", output, {"path": name, "lines": lines}, truncated=True)
