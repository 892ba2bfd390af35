"""The `mcp_resources` tool: list the resources of MCP servers."""

from pydantic import Field

from tools_app.arguments import ToolArguments
from tools_app.description import description_beside
from tools_app.mcp.offerings import ServerResource
from tools_app.spec import PermissionNeed, Tool, ToolContext, ToolError, ToolResult

MAX_LISTED = 200
NOTHING = "No resource fits."


class McpResourcesArguments(ToolArguments):
    server: str = Field(default="", max_length=64, description="Only those of this server. Default: of all.")
    query: str = Field(
        default="", max_length=200, description="Only those whose address, name or description has this text."
    )


class McpResourcesTool(Tool[McpResourcesArguments]):
    id = "mcp_resources"
    permission = "mcp_read_resource"
    parameters = McpResourcesArguments
    description = description_beside(__file__)
    requires = "mcp_resources"

    async def needs(self, args: McpResourcesArguments, ctx: ToolContext) -> list[PermissionNeed]:
        return []  # the lists are those that the page of the project shows, too; nothing is read

    async def run(self, args: McpResourcesArguments, ctx: ToolContext) -> ToolResult:
        if ctx.mcp is None:
            raise ToolError("MCP servers cannot be reached here.")
        wanted = args.query.lower()
        found = [
            (server, resource)
            for server, resource in await ctx.mcp().resources()
            if args.server in ("", server) and wanted in _text(resource).lower()
        ]
        lines = [f"{server} {resource.uri}{_about(resource)}" for server, resource in found[:MAX_LISTED]]
        if len(found) > MAX_LISTED:
            lines.append(f"({len(found) - MAX_LISTED:,} more. Name a server, or search with `query`.)")
        return ToolResult("Listed resources of MCP servers", "\n".join(lines) or NOTHING, {"count": len(found)})


def _text(resource: ServerResource) -> str:
    return f"{resource.uri} {resource.name} {resource.description}"


def _about(resource: ServerResource) -> str:
    words = ": ".join(filter(None, (resource.name, resource.description)))
    kind = "template" if resource.template else resource.media_type
    return f" - {words}{f' ({kind})' if kind else ''}" if words or kind else ""
