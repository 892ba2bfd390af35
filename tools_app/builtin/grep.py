"""The `grep` tool: search file contents with ripgrep."""

import asyncio
from collections.abc import Iterable
from itertools import groupby

from pydantic import Field

from sandbox.ports import GrepMatch, GrepResult
from tools_app.arguments import ResolvedPath, ToolArguments, needs_of_path
from tools_app.description import description_beside
from tools_app.left_out import Sight, unsearched
from tools_app.similar_names import missing_file_error
from tools_app.spec import PermissionNeed, Tool, ToolContext, ToolResult
from tools_app.text import counted

MAX_MATCHES = 100
MAX_MATCHES_BEFORE_RULES = 10_000  # if rules hide some of them
MAX_LINE_CHARACTERS = 500  # of a matching line


class GrepArguments(ToolArguments):
    pattern: str = Field(min_length=1, description="A regular expression that a line must match.")
    path: str | None = Field(default=None, description="The folder or file to search. Default: the session's folder.")
    include: str | None = Field(default=None, description='Only files whose names match, such as "*.py".')


class GrepTool(Tool[GrepArguments]):
    id = "grep"
    permission = "grep"
    parameters = GrepArguments
    description = description_beside(__file__)

    async def needs(self, args: GrepArguments, ctx: ToolContext) -> list[PermissionNeed]:
        target = await args.resolve(args.path or ctx.folder, ctx.runtime)
        title = f"Search for {args.pattern}"
        needs = needs_of_path("grep", target, title=title, pattern=args.pattern)
        if target.kind == "file":
            needs.append(needs_of_path("read", target, title=title)[-1])
        return needs

    async def run(self, args: GrepArguments, ctx: ToolContext) -> ToolResult:
        target = await args.resolve(args.path or ctx.folder, ctx.runtime)
        if not target.exists:
            raise await missing_file_error(target, ctx)
        if target.kind == "file":
            found, notes = await _search(args, target, ctx, MAX_MATCHES), ""
        else:
            found, notes = await _search_tree(args, target, ctx)
        return ToolResult(
            f"Searched for {args.pattern}",
            _report(found, notes),
            {"count": len(found.matches), "capped": found.capped},
        )


async def _search(args: GrepArguments, target: ResolvedPath, ctx: ToolContext, limit: int) -> GrepResult:
    return await ctx.runtime.grep(args.pattern, path=target.real, include=args.include or None, limit=limit)


async def _search_tree(args: GrepArguments, target: ResolvedPath, ctx: ToolContext) -> tuple[GrepResult, str]:
    """Search a folder without the files that rules hide. Returns the results, and a note about the hidden files."""
    sight = await Sight.below(target, ("grep", "read"), ctx)
    found, notes = await asyncio.gather(
        _search(args, target, ctx, MAX_MATCHES), unsearched(target, sight, args.include, ctx.runtime)
    )
    shown = _shown(found, sight)
    if found.capped and len(shown) < len(found.matches):  # hidden matches must not use up the limit
        found = await _search(args, target, ctx, MAX_MATCHES_BEFORE_RULES)
        shown = _shown(found, sight)
    notes = "\n".join(filter(None, (notes, sight.matches_note())))
    return GrepResult(tuple(shown[:MAX_MATCHES]), found.capped or len(shown) > MAX_MATCHES), notes


def _shown(found: GrepResult, sight: Sight) -> list[GrepMatch]:
    return [match for match in found.matches if sight.shows(match.path) and sight.may_name_match(match.path)]


def _report(found: GrepResult, notes: str) -> str:
    blocks = [f"{counted(len(found.matches), 'line matches', 'lines match')}."]
    blocks += [_of_file(path, group) for path, group in groupby(found.matches, key=lambda match: match.path)]
    if notes:
        blocks.append(notes)
    if found.capped:
        blocks.append(f"(Only the first {MAX_MATCHES} matches are shown. Give a narrower pattern, path or include.)")
    return "\n\n".join(blocks)


def _of_file(path: str, matches: Iterable[GrepMatch]) -> str:
    return "\n".join([f"{path}:", *(f"  Line {match.line}: {_shortened(match.text)}" for match in matches)])


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_LINE_CHARACTERS else f"{text[:MAX_LINE_CHARACTERS]}…"
