"""The `mcp_start` tool: start an MCP server that the repository declares, after a person has agreed."""

from typing import Any, Final

from pydantic import Field

from tools_app.arguments import ToolArguments
from tools_app.description import description_beside
from tools_app.mcp.calling import ServerCalls
from tools_app.mcp.declared import DeclaredServer
from tools_app.spec import OfferContext, PermissionNeed, Tool, ToolContext, ToolError, ToolResult

PERMISSION: Final = "mcp_server"
MAX_SHOWN_TOOLS: Final = 50


class McpStartArguments(ToolArguments):
    server: str = Field(min_length=1, max_length=64, description="The name of the server, as in the list of servers.")


class McpStartTool(Tool[McpStartArguments]):
    id = "mcp_start"
    permission = PERMISSION
    parameters = McpStartArguments
    description = description_beside(__file__)
    timeout: float | None = 180.0
    requires = "declared_servers"

    def describe(self, offer: OfferContext) -> str:
        waiting = ", ".join(offer.settings.get("declared_servers", ()))
        return f"{self.description}\n\nServers: {waiting}" if waiting else self.description

    async def needs(self, args: McpStartArguments, ctx: ToolContext) -> list[PermissionNeed]:
        server = await _servers(ctx).declared(args.server)
        return [PermissionNeed(PERMISSION, (server.pattern,), (server.pattern,), _shown(server))]

    async def run(self, args: McpStartArguments, ctx: ToolContext) -> ToolResult:
        servers = _servers(ctx)
        server = await servers.declared(args.server)
        tools = await servers.start_declared(server)
        listed = ", ".join(tools[:MAX_SHOWN_TOOLS]) or "none"
        more = f", and {len(tools) - MAX_SHOWN_TOOLS:,} more" if len(tools) > MAX_SHOWN_TOOLS else ""
        output = f"The MCP server {server.name} works. Its tools, offered from the next step on: {listed}{more}."
        metadata = {"server": server.name, "source": server.source, "digest": server.digest, "tools": len(tools)}
        return ToolResult(f"Started the MCP server {server.name}", output, metadata)


def _servers(ctx: ToolContext) -> ServerCalls:
    if ctx.mcp is None:
        raise ToolError("MCP servers cannot be reached here.")
    return ctx.mcp()


def _shown(server: DeclaredServer) -> dict[str, Any]:
    """Return the fields of an MCP server that people see in the permission request: the command or URL and all else
    that the declaration sets."""
    verb = "Start" if server.kind == "local" else "Use"
    shown = {
        "server": server.name,
        "source": server.source,
        "kind": server.kind,
        "command": list(server.command),
        "environment": dict(server.environment),
        "url": server.url,
        "headers": dict(server.headers),
    }
    return {"title": f"{verb} the MCP server {server.name} that {server.source} declares", "mcp_server": shown}
