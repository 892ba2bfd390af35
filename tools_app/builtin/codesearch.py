"""The `codesearch` tool: search public code and documentation through the site's search server."""

from pydantic import Field

from tools_app.arguments import ToolArguments
from tools_app.description import description_beside
from tools_app.spec import PermissionNeed, Tool, ToolContext, ToolResult
from tools_app.text import first_line
from tools_app.web.searching import search

# The first of these that the search server has is used.
SERVER_TOOLS = ("get_code_context_exa", "get_code_context", "code_search", "codesearch")
TIMEOUT_SECONDS = 30.0


class CodesearchArguments(ToolArguments):
    query: str = Field(min_length=1, max_length=2000, description="The API or library, and what to find out about it.")
    tokens_num: int = Field(default=5000, ge=1000, le=50_000, description="How many tokens of text. Default: 5000.")


class CodesearchTool(Tool[CodesearchArguments]):
    id = "codesearch"
    permission = "codesearch"
    parameters = CodesearchArguments
    description = description_beside(__file__)
    requires = "search_server"

    async def needs(self, args: CodesearchArguments, ctx: ToolContext) -> list[PermissionNeed]:
        title = f"Search public code for {first_line(args.query)}"
        return [PermissionNeed("codesearch", (args.query,), ("*",), {"title": title, "query": args.query})]

    async def run(self, args: CodesearchArguments, ctx: ToolContext) -> ToolResult:
        found = await search(ctx.settings, SERVER_TOOLS, args.model_dump(by_alias=True), seconds=TIMEOUT_SECONDS)
        metadata = {"query": args.query, "results": [result.model_dump() for result in found.results]}
        text = found.text or "Nothing was found. Name the library, or ask in other words."
        return ToolResult(f"Searched public code for {first_line(args.query)}", text, metadata)
