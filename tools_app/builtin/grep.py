"""The `grep` tool: search file contents with ripgrep."""

from collections.abc import Iterable
from itertools import groupby

from pydantic import Field

from sandbox.ports import GrepMatch
from tools_app.arguments import ResolvedPath, ToolArguments, needs_of_path
from tools_app.description import description_beside
from tools_app.secret_paths import is_secret
from tools_app.similar_names import missing_file_error
from tools_app.spec import PermissionNeed, Tool, ToolContext, ToolResult
from tools_app.text import counted

MAX_MATCHES = 100
MAX_LINE_CHARACTERS = 500  # of a matching line


class GrepArguments(ToolArguments):
    pattern: str = Field(min_length=1, description="A regular expression that a line must match.")
    path: str | None = Field(default=None, description="The folder or file to search. Default: the workspace.")
    include: str | None = Field(default=None, description='Only files whose names match, such as "*.py".')


class GrepTool(Tool[GrepArguments]):
    id = "grep"
    permission = "grep"
    parameters = GrepArguments
    description = description_beside(__file__)

    async def needs(self, args: GrepArguments, ctx: ToolContext) -> list[PermissionNeed]:
        target = await args.resolve(args.path or ".", ctx.runtime)
        return needs_of_path("grep", target, title=f"Search for {args.pattern}", pattern=args.pattern)

    async def run(self, args: GrepArguments, ctx: ToolContext) -> ToolResult:
        target = await args.resolve(args.path or ".", ctx.runtime)
        if not target.exists:
            raise await missing_file_error(target, ctx.runtime)
        found = await ctx.runtime.grep(args.pattern, path=target.real, include=args.include or None, limit=MAX_MATCHES)
        shown = [match for match in found.matches if _may_show(match, target)]
        hidden = sorted({match.path for match in found.matches if not _may_show(match, target)})
        return ToolResult(
            f"Searched for {args.pattern}",
            _report(shown, hidden, capped=found.capped),
            {"count": len(shown), "capped": found.capped},
        )


def _may_show(match: GrepMatch, target: ResolvedPath) -> bool:
    """Return whether a match may be shown: not in a file with secrets, unless that file itself was searched."""
    return target.kind == "file" or not is_secret(match.path)


def _report(matches: list[GrepMatch], hidden: list[str], *, capped: bool) -> str:
    blocks = [f"{counted(len(matches), 'line matches', 'lines match')}."]
    blocks += [_of_file(path, group) for path, group in groupby(matches, key=lambda match: match.path)]
    if hidden:
        blocks.append(f"(Matches in {', '.join(hidden)} are not shown: these may hold secrets. Read them by name.)")
    if capped:
        blocks.append(f"(Only the first {MAX_MATCHES} matches are shown. Give a narrower pattern, path or include.)")
    return "\n\n".join(blocks)


def _of_file(path: str, matches: Iterable[GrepMatch]) -> str:
    return "\n".join([f"{path}:", *(f"  Line {match.line}: {_shortened(match.text)}" for match in matches)])


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_LINE_CHARACTERS else f"{text[:MAX_LINE_CHARACTERS]}…"
