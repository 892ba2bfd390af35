"""The `glob` tool: find files by name."""

from pydantic import Field

from tools_app.arguments import ToolArguments, needs_of_path
from tools_app.description import description_beside
from tools_app.left_out import Sight, find_shown
from tools_app.spec import PermissionNeed, Tool, ToolContext, ToolResult

MAX_FILES = 100


class GlobArguments(ToolArguments):
    pattern: str = Field(min_length=1, description='Which files, such as "**/*.py" or "src/**/test_*.ts".')
    path: str | None = Field(default=None, description="The folder to search in. Default: the session's folder.")


class GlobTool(Tool[GlobArguments]):
    id = "glob"
    permission = "glob"
    parameters = GlobArguments
    description = description_beside(__file__)

    async def needs(self, args: GlobArguments, ctx: ToolContext) -> list[PermissionNeed]:
        target = await args.resolve(args.path or ctx.folder, ctx.runtime)
        return needs_of_path("glob", target, title=f"Find files {args.pattern}", pattern=args.pattern)

    async def run(self, args: GlobArguments, ctx: ToolContext) -> ToolResult:
        target = await args.resolve(args.path or ctx.folder, ctx.runtime)
        sight = await Sight.below(target, ("glob", "list"), ctx)
        found = await find_shown(args.pattern, target, sight, ctx.runtime, limit=MAX_FILES)
        lines = list(found.paths) or ["No files found."]
        if found.capped:
            lines.append(f"\n(Only the {len(found.paths)} newest files are shown. Give a narrower pattern or a path.)")
        if note := sight.names_note():
            lines.append(f"\n{note}")
        return ToolResult(
            f"Found files {args.pattern}", "\n".join(lines), {"count": len(found.paths), "capped": found.capped}
        )
