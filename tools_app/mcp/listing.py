"""Request the tools, prompts and resources of a connected MCP server, or a single prompt or resource."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, Final

from mcp import Client, MCPError
from mcp_types import PromptReference

from tools_app.mcp.definitions import MAX_TOOLS, ServerTool, read_tools
from tools_app.mcp.offerings import MAX_PROMPTS, MAX_RESOURCES, Offerings, RawOfferings

MAX_PAGES: Final = 50  # of a list


async def list_tools(client: Client) -> list[ServerTool]:
    """Return the tools of an MCP server. Raises MCPError."""
    if client.server_capabilities.tools is None:
        return []
    return read_tools(await _pages(lambda cursor: client.list_tools(cursor=cursor), "tools", MAX_TOOLS))


async def list_offerings(client: Client) -> Offerings:
    """Return the prompts and resources of a server. If it refuses a list, that list is empty, because its tools still
    work."""
    found = RawOfferings()
    can = client.server_capabilities
    found.completes = can.completions is not None
    if can.prompts is not None:
        with suppress(MCPError):
            found.prompts = await _pages(lambda at: client.list_prompts(cursor=at), "prompts", MAX_PROMPTS)
    if can.resources is not None:
        with suppress(MCPError):
            found.resources = await _pages(lambda at: client.list_resources(cursor=at), "resources", MAX_RESOURCES)
        with suppress(MCPError):
            found.templates = await _pages(
                lambda at: client.list_resource_templates(cursor=at), "resource_templates", MAX_RESOURCES
            )
    return found.read()


async def _pages(ask: Callable[[str | None], Awaitable[Any]], name: str, most: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    cursor = None
    for _ in range(MAX_PAGES):
        page = await ask(cursor)
        found += [each.model_dump(by_alias=True, mode="json", exclude_none=True) for each in getattr(page, name)]
        cursor = page.next_cursor
        if not cursor or len(found) >= most:
            break
    return found


async def get_prompt(client: Client, name: str, arguments: Mapping[str, str]) -> dict[str, Any]:
    """Return a prompt as JSON: {description, messages}. Raises MCPError."""
    result = await client.get_prompt(name, dict(arguments))
    return result.model_dump(by_alias=True, mode="json", exclude_none=True)


async def read_resource(client: Client, uri: str) -> dict[str, Any]:
    """Return a resource of an MCP server as JSON: {contents}. Raises MCPError."""
    result = await client.read_resource(uri)
    return result.model_dump(by_alias=True, mode="json", exclude_none=True)


async def complete_argument(client: Client, prompt: str, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Return suggestions for an argument of a prompt as JSON: {completion}. `wanted` has its `argument`, the `value` so
    far, and the values of the `others`. Raises MCPError."""
    argument = {"name": str(wanted["argument"]), "value": str(wanted["value"])}
    result = await client.complete(PromptReference(name=prompt), argument, dict(wanted["others"]) or None)
    return result.model_dump(by_alias=True, mode="json", exclude_none=True)
