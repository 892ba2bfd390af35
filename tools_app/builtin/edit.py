"""The `edit` tool: replace text in one file."""

import asyncio

from pydantic import Field

from tools_app.after_edit import after_edit
from tools_app.arguments import ResolvedPath, ToolArguments
from tools_app.description import description_beside
from tools_app.editing.replace import replace
from tools_app.filetext import INTERRUPTED, Change, load_text, make_change, needs_of_change, needs_of_quoting
from tools_app.similar_names import missing_file_error
from tools_app.spec import PermissionNeed, Tool, ToolContext, ToolError, ToolResult

__all__ = ["EditTool", "replace"]


class EditArguments(ToolArguments):
    file_path: str = Field(min_length=1, description="The file to change: absolute, or relative to the workspace.")
    old_string: str = Field(description="The text to replace, as it stands in the file. Empty to create a new file.")
    new_string: str = Field(description="The text to put in its place, taken literally.")
    replace_all: bool | None = Field(
        default=None, description="Replace every place that fits instead of exactly one. Default: false."
    )


class EditTool(Tool[EditArguments]):
    id = "edit"
    permission = "edit"
    parameters = EditArguments
    description = description_beside(__file__)
    repeatable = False
    interrupted = INTERRUPTED

    async def needs(self, args: EditArguments, ctx: ToolContext) -> list[PermissionNeed]:
        target = await args.resolve(args.file_path, ctx.runtime)
        quoting = await needs_of_quoting([target], ctx)
        return [*await needs_of_change(target, lambda: _planned(args, target, ctx)), *quoting]

    async def run(self, args: EditArguments, ctx: ToolContext) -> ToolResult:
        target = await args.resolve(args.file_path, ctx.runtime)
        change, diff = await make_change(target, lambda: _planned(args, target, ctx), ctx)
        after = await after_edit(ctx, [target])
        diff = await after.diff(target, change, diff)
        verb = "Edited" if change.before else "Created"
        return ToolResult(
            f"{verb} {target.shown}",
            f"{verb} {target.shown} (+{diff.additions} -{diff.deletions} lines).{after.note}",
            {"path": target.shown, "diff": diff.diff, "additions": diff.additions, "deletions": diff.deletions}
            | after.metadata,
        )


async def _planned(args: EditArguments, target: ResolvedPath, ctx: ToolContext) -> Change:
    before = await load_text(target, ctx.runtime)
    if before is None and args.old_string:
        raise await missing_file_error(target, ctx)
    if before is not None and not args.old_string:
        raise ToolError(f"{target.shown} already exists. Give the text to replace, or use write to replace it all.")
    current = before.text if before else ""
    after = await asyncio.to_thread(
        replace, current, args.old_string, args.new_string, replace_all=bool(args.replace_all)
    )
    return Change(before, after)
