"""The `list` tool: show the files below a folder as a tree."""

from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import Field

from sandbox.ports import WORKSPACE_ROOT
from tools_app.arguments import ResolvedPath, ToolArguments, needs_of_path
from tools_app.description import description_beside
from tools_app.left_out import Sight, find_shown
from tools_app.similar_names import missing_file_error
from tools_app.spec import PermissionNeed, Tool, ToolContext, ToolError, ToolResult

MAX_FILES = 100

Tree = dict[str, Any]  # the entries of a folder by name; an empty dict stands for a file


class ListArguments(ToolArguments):
    path: str | None = Field(default=None, description="The folder to list. Default: the session's folder.")


class ListTool(Tool[ListArguments]):
    id = "list"
    permission = "list"
    parameters = ListArguments
    description = description_beside(__file__)

    async def needs(self, args: ListArguments, ctx: ToolContext) -> list[PermissionNeed]:
        target = await args.resolve(args.path or ctx.folder, ctx.runtime)
        return needs_of_path("list", target, title=f"List {target.shown}")

    async def run(self, args: ListArguments, ctx: ToolContext) -> ToolResult:
        target = await args.resolve(args.path or ctx.folder, ctx.runtime)
        if not target.exists:
            raise await missing_file_error(target, ctx)
        if target.kind != "directory":
            raise ToolError(f"{target.shown} is not a folder. Use read to see a file.")
        sight = await Sight.below(target, ("list", "glob"), ctx)
        found = await find_shown("**", target, sight, ctx.runtime, limit=MAX_FILES)
        tree = _tree(_below(path, target) for path in found.paths)
        lines = [f"{target.shown.rstrip('/')}/", *_drawn(tree, "  ")] if tree else ["There are no files."]
        if found.capped:
            lines.append(f"\n(Only the {len(found.paths)} newest files are shown. List a folder within, or use glob.)")
        if note := sight.names_note():
            lines.append(f"\n{note}")
        return ToolResult(
            f"Listed {target.shown}", "\n".join(lines), {"count": len(found.paths), "capped": found.capped}
        )


def _below(path: str, target: ResolvedPath) -> str:
    absolute = path if path.startswith("/") else f"{WORKSPACE_ROOT}/{path}"
    return absolute.removeprefix(target.real.rstrip("/") + "/")


def _tree(paths: Iterable[str]) -> Tree:
    root: Tree = {}
    for path in paths:
        node = root
        for name in path.split("/"):
            node = node.setdefault(name, {})
    return root


def _drawn(tree: Tree, indent: str) -> Iterator[str]:
    """Yield the lines that show a directory tree, indented by level. Each level is sorted by name, folders first."""
    for name, inside in sorted(tree.items(), key=lambda item: (not item[1], item[0])):
        yield f"{indent}{name}{'/' if inside else ''}"
        yield from _drawn(inside, f"{indent}  ")
