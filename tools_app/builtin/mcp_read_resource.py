"""The `mcp_read_resource` tool: read a resource of an MCP server."""

from pydantic import Field

from tools_app.arguments import ToolArguments
from tools_app.description import description_beside
from tools_app.mcp.content import read_answer
from tools_app.mcp.offerings import MAX_URI_CHARACTERS
from tools_app.spec import PermissionNeed, Tool, ToolContext, ToolError, ToolResult


class McpReadResourceArguments(ToolArguments):
    server: str = Field(min_length=1, max_length=64, description="The name of the server.")
    uri: str = Field(min_length=1, max_length=MAX_URI_CHARACTERS, description="The address of the resource.")


class McpReadResourceTool(Tool[McpReadResourceArguments]):
    id = "mcp_read_resource"
    permission = "mcp_read_resource"
    parameters = McpReadResourceArguments
    description = description_beside(__file__)
    timeout: float | None = 180.0
    requires = "mcp_resources"

    async def needs(self, args: McpReadResourceArguments, ctx: ToolContext) -> list[PermissionNeed]:
        title = f"Read {args.uri} of {args.server}"
        metadata = {"title": title, "path": f"{args.server} {args.uri}"}
        return [PermissionNeed(self.permission, (f"{args.server} {args.uri}",), (f"{args.server} *",), metadata)]

    async def run(self, args: McpReadResourceArguments, ctx: ToolContext) -> ToolResult:
        if ctx.mcp is None:
            raise ToolError("MCP servers cannot be reached here.")
        answer = await ctx.mcp().read_resource(args.server, args.uri)
        contents = answer.get("contents")
        parts = [{"type": "resource", "resource": each} for each in contents] if isinstance(contents, list) else []
        found = await read_answer({"content": parts}, ctx.files())
        metadata = {"server": args.server, "uri": args.uri}
        title = f"Read {args.uri} of {args.server}"
        return ToolResult(title, found.output, metadata, attachments=found.attachments)
