"""The `write` tool: create or replace a whole file."""

from pydantic import Field

from tools_app.after_edit import after_edit
from tools_app.arguments import ResolvedPath, ToolArguments
from tools_app.description import description_beside
from tools_app.editing.lines import usual_break, with_break
from tools_app.filetext import INTERRUPTED, Change, load_text, make_change, needs_of_change
from tools_app.spec import PermissionNeed, Tool, ToolContext, ToolResult

_BOM = "\ufeff"


class WriteArguments(ToolArguments):
    file_path: str = Field(min_length=1, description="The file to write: absolute, or relative to the workspace.")
    content: str = Field(description="The whole new content of the file.")


class WriteTool(Tool[WriteArguments]):
    id = "write"
    permission = "edit"
    parameters = WriteArguments
    description = description_beside(__file__)
    repeatable = False
    interrupted = INTERRUPTED

    async def needs(self, args: WriteArguments, ctx: ToolContext) -> list[PermissionNeed]:
        target = await args.resolve(args.file_path, ctx.runtime)
        return await needs_of_change(target, lambda: _planned(args, target, ctx))

    async def run(self, args: WriteArguments, ctx: ToolContext) -> ToolResult:
        target = await args.resolve(args.file_path, ctx.runtime)
        change, diff = await make_change(target, lambda: _planned(args, target, ctx), ctx)
        after = await after_edit(ctx, [target])
        diff = await after.diff(target, change, diff)
        lines = f"+{diff.additions} -{diff.deletions} lines"
        return ToolResult(
            f"Wrote {target.shown}",
            f"{'Replaced' if change.before else 'Created'} {target.shown} ({lines}).{after.note}",
            {"path": target.shown, "diff": diff.diff, "additions": diff.additions, "deletions": diff.deletions}
            | after.metadata,
        )


async def _planned(args: WriteArguments, target: ResolvedPath, ctx: ToolContext) -> Change:
    """Return the planned change of the file. An existing file keeps its byte order mark and its usual line break."""
    before = await load_text(target, ctx.runtime)
    if before is None:
        return Change(None, args.content)
    content = args.content.removeprefix(_BOM) if before.bom else args.content
    return Change(before, with_break(content, usual_break(before.text)))
