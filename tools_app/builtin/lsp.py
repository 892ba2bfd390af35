"""The `lsp` tool: query the language server of a file for definitions, references, symbols and calls."""

from typing import Final

from pydantic import Field

from tools_app.after_edit import consent_of, import_in_thread
from tools_app.arguments import ResolvedPath, ToolArguments, needs_of_path
from tools_app.description import description_beside
from tools_app.languages.jsonrpc import ServerFailed
from tools_app.languages.programs import find_server
from tools_app.languages.request_types import PAST_TENSE, LspAnswer, LspRequest, LspResult, Operation
from tools_app.languages.servers import extension_of, servers_for
from tools_app.similar_names import missing_file_error
from tools_app.spec import PermissionNeed, Tool, ToolContext, ToolError, ToolResult
from tools_app.text import counted

MAX_FILE_BYTES: Final = 1 << 20


class LspArguments(ToolArguments):
    operation: Operation = Field(description="What to ask; the tool's description says what each one does.")
    file_path: str = Field(min_length=1, description="The file it is about: absolute, or relative to the workspace.")
    line: int = Field(default=1, ge=1, description="The line of the symbol, from 1.")
    character: int = Field(default=1, ge=1, description="The column of the symbol's name in that line, from 1.")
    query: str = Field(default="", max_length=200, description="For workspaceSymbol: a name, or a part of one.")


class LspTool(Tool[LspArguments]):
    id = "lsp"
    permission = "lsp"
    parameters = LspArguments
    description = description_beside(__file__)
    requires = "languages"
    timeout = 100.0  # a server may take 45 s to start in a large project, and 30 s to answer

    async def needs(self, args: LspArguments, ctx: ToolContext) -> list[PermissionNeed]:
        """Return the permissions that the call needs. They include reading the file, since the results reveal its
        content."""
        target = await args.resolve(args.file_path, ctx.runtime)
        title = f"Ask {args.operation} about {target.shown}"
        own = PermissionNeed("lsp", ("*",), ("*",), {"title": title, "path": target.shown})
        return [*needs_of_path("read", target, title=title), own]

    async def run(self, args: LspArguments, ctx: ToolContext) -> ToolResult:
        target = await args.resolve(args.file_path, ctx.runtime)
        if not target.exists:
            raise await missing_file_error(target, ctx)
        if target.kind != "file":
            raise ToolError(f"{target.shown} is not a file but a {target.kind}: name a file.")
        await _require_server(target, ctx)
        answer = await _execute(LspRequest(args.operation, args.line, args.character, args.query), target, ctx)
        return ToolResult(
            f"{PAST_TENSE[args.operation]} {target.shown}",
            _report(args.operation, answer),
            {
                "operation": args.operation,
                "path": target.shown,
                "line": args.line,
                "character": args.character,
                "results": [result.as_fields() for result in answer.results],
            },
        )


async def _require_server(target: ResolvedPath, ctx: ToolContext) -> None:
    if await find_server(target.real, ctx.runtime, consent_of(ctx)):
        return
    names = [spec.id for spec in servers_for(target.real)]
    if names:
        raise ToolError(
            f"The sandbox has no language server for {target.shown} that may be started here (supported: "
            f"{', '.join(names)}). Use grep and read instead."
        )
    kind = extension_of(target.real) or "these"
    raise ToolError(f"No language server is known for {kind} files. Use grep and read instead.")


async def _execute(request: LspRequest, target: ResolvedPath, ctx: ToolContext) -> LspAnswer:
    await import_in_thread("tools_app.languages.requests")
    from tools_app.languages.requests import execute

    found = await ctx.runtime.read(target.real, limit=MAX_FILE_BYTES + 1)
    if found.size > MAX_FILE_BYTES:
        raise ToolError(f"{target.shown} is larger than 1 MiB, too large for a language server. Use grep instead.")

    async def may_read(other: ResolvedPath) -> bool:
        needs = needs_of_path("read", other, title=f"Read {other.shown}")
        return await ctx.judge(needs) == "allow"

    try:
        return await execute(request, target, found, ctx.runtime, consent=consent_of(ctx), may_read=may_read)
    except ServerFailed as failure:
        raise ToolError(f"The language server {failure.message}. Use grep and read instead.") from failure


def _report(operation: Operation, answer: LspAnswer) -> str:
    if not answer.results:
        return f"{answer.server} found nothing. Is this the line and the character of the symbol's name?"
    lines = [_line(operation, result) for result in answer.results]
    if answer.more:
        lines.append(f"({counted(answer.more, 'more result')} not shown. Use a narrower query.)")
    return "\n".join(lines)


def _line(operation: Operation, result: LspResult) -> str:
    if operation == "hover":
        return result.text
    if operation == "documentSymbol":
        return f"{'  ' * result.depth}{result.line}:{result.character} {result.text}"
    return f"{result.path}:{result.line}:{result.character} {result.text}".rstrip()
