"""The `tool_search` tool: find tools of MCP servers that the model has not been offered."""

from pydantic import Field

from tools_app.arguments import ToolArguments
from tools_app.description import description_beside
from tools_app.mcp.choice import listed
from tools_app.spec import PermissionNeed, Tool, ToolContext, ToolError, ToolResult

NOTHING = "No tool fits. Try other words, or continue without it."


class ToolSearchArguments(ToolArguments):
    query: str = Field(min_length=1, max_length=500, description="What the tool should do, or names of tools.")


class ToolSearchTool(Tool[ToolSearchArguments]):
    id = "tool_search"
    permission = ""
    parameters = ToolSearchArguments
    description = description_beside(__file__)
    requires = "tool_search"

    async def needs(self, args: ToolSearchArguments, ctx: ToolContext) -> list[PermissionNeed]:
        return []  # it shows only tools that the session may use, and each call of one is judged

    async def run(self, args: ToolSearchArguments, ctx: ToolContext) -> ToolResult:
        if ctx.mcp is None:
            raise ToolError("MCP servers cannot be reached here.")
        found = await ctx.mcp().search(args.query)
        metadata = {"query": args.query, "tools": [offer.name for offer in found]}
        title = f"Searched the tools for {args.query!r}"
        if not found:
            return ToolResult(title, NOTHING, metadata)
        return ToolResult(title, f"{listed(found)}\n\nThey are offered from the next step on.", metadata)
