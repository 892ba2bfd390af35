"""The `multiedit` tool: make several replacements in one file."""

import asyncio

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from tools_app.after_edit import after_edit
from tools_app.arguments import ResolvedPath, ToolArguments
from tools_app.description import description_beside
from tools_app.editing.errors import NothingToChange
from tools_app.editing.replace_many import Replacement, replace_several
from tools_app.filetext import INTERRUPTED, Change, load_text, make_change, needs_of_change, needs_of_quoting
from tools_app.similar_names import missing_file_error
from tools_app.spec import PermissionNeed, Tool, ToolContext, ToolError, ToolResult
from tools_app.text import counted

MAX_EDITS = 100


class OneEdit(ToolArguments):
    old_string: str = Field(
        description="The text to replace, as the edits before this one left it. Empty in the first to create a file."
    )
    new_string: str = Field(description="The text to put in its place, taken literally.")
    replace_all: bool | None = Field(
        default=None, description="Replace every place that fits instead of exactly one. Default: false."
    )
    file_path: SkipJsonSchema[str | None] = None
    """Accepted because some models repeat the file in each edit; it must be the same file."""


class MultieditArguments(ToolArguments):
    file_path: str = Field(min_length=1, description="The file to change: absolute, or relative to the workspace.")
    edits: list[OneEdit] = Field(
        min_length=1, max_length=MAX_EDITS, description=f"The edits, in their order; at most {MAX_EDITS}."
    )


class MultieditTool(Tool[MultieditArguments]):
    id = "multiedit"
    permission = "edit"
    parameters = MultieditArguments
    description = description_beside(__file__)
    repeatable = False
    interrupted = INTERRUPTED

    async def needs(self, args: MultieditArguments, ctx: ToolContext) -> list[PermissionNeed]:
        target = await args.resolve(args.file_path, ctx.runtime)
        quoting = await needs_of_quoting([target], ctx)
        return [*await needs_of_change(target, lambda: _planned(args, target, ctx)), *quoting]

    async def run(self, args: MultieditArguments, ctx: ToolContext) -> ToolResult:
        target = await args.resolve(args.file_path, ctx.runtime)
        change, diff = await make_change(target, lambda: _planned(args, target, ctx), ctx)
        after = await after_edit(ctx, [target])
        diff = await after.diff(target, change, diff)
        verb, edits = "Edited" if change.before else "Created", counted(len(args.edits), "edit")
        return ToolResult(
            f"{verb} {target.shown}",
            f"{verb} {target.shown} with {edits} (+{diff.additions} -{diff.deletions} lines).{after.note}",
            {"path": target.shown, "diff": diff.diff, "additions": diff.additions, "deletions": diff.deletions}
            | after.metadata,
        )


async def _planned(args: MultieditArguments, target: ResolvedPath, ctx: ToolContext) -> Change:
    await _refuse_other_files(args, target, ctx)
    before = await load_text(target, ctx.runtime)
    creates = not args.edits[0].old_string
    if before is None and not creates:
        raise await missing_file_error(target, ctx)
    if before is not None and creates:
        raise ToolError(f"{target.shown} already exists. Give the text to replace, or use write to replace it all.")
    current = before.text if before else ""
    replacements = [Replacement(edit.old_string, edit.new_string, bool(edit.replace_all)) for edit in args.edits]
    after = await asyncio.to_thread(replace_several, current, replacements)
    if before is not None and after == current:
        raise NothingToChange("After all edits the file would be the same as now: there is nothing to change.")
    return Change(before, after)


async def _refuse_other_files(args: MultieditArguments, target: ResolvedPath, ctx: ToolContext) -> None:
    for name in {edit.file_path for edit in args.edits if edit.file_path}:
        if (await args.resolve(name, ctx.runtime)).real != target.real:
            raise ToolError(f"All edits of a call are made in {target.shown}. Make another call for {name}.")
