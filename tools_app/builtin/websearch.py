"""The `websearch` tool: search the web through the site's search server."""

from typing import Literal

from pydantic import Field

from tools_app.arguments import ToolArguments
from tools_app.description import description_beside
from tools_app.spec import PermissionNeed, Tool, ToolContext, ToolResult
from tools_app.text import counted, first_line
from tools_app.web.searching import search

SERVER_TOOLS = ("web_search_exa", "web_search", "websearch", "search")  # the first that the search server has is used
TIMEOUT_SECONDS = 25.0


class WebsearchArguments(ToolArguments):
    query: str = Field(min_length=1, max_length=2000, description="What to search for, in words.")
    num_results: int = Field(default=8, ge=1, le=50, description="How many results. Default: 8.")
    livecrawl: Literal["fallback", "preferred"] = Field(
        default="fallback",
        description="fallback fetches only pages that the server has not cached, preferred all. Default: fallback.",
    )
    type: Literal["auto", "fast", "deep"] = Field(
        default="auto", description="auto weighs time against quality, fast is quick, deep is thorough. Default: auto."
    )
    context_max_characters: int | None = Field(
        default=None, ge=100, le=100_000, description="The most characters of text. Default: the server's own."
    )


class WebsearchTool(Tool[WebsearchArguments]):
    id = "websearch"
    permission = "websearch"
    parameters = WebsearchArguments
    description = description_beside(__file__)
    requires = "search_server"

    async def needs(self, args: WebsearchArguments, ctx: ToolContext) -> list[PermissionNeed]:
        title = f"Search the web for {first_line(args.query)}"
        return [PermissionNeed("websearch", (args.query,), ("*",), {"title": title, "query": args.query})]

    async def run(self, args: WebsearchArguments, ctx: ToolContext) -> ToolResult:
        found = await search(ctx.settings, SERVER_TOOLS, args.model_dump(by_alias=True), seconds=TIMEOUT_SECONDS)
        results = [result.model_dump() for result in found.results]
        many = f", {counted(len(results), 'result')}" if results else ""
        title = f"Searched the web for {first_line(args.query)}{many}"
        return ToolResult(title, found.text or "Nothing was found.", {"query": args.query, "results": results})
