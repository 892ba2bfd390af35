"""Serve tools and resources over the Model Context Protocol, in both of its generations, as streamable HTTP.

Nothing is kept between two requests, so any process can answer the next one. Only this module uses the types of the
protocol; `tools_app.mcp.served` describes the tools and resources.
"""

import json
from collections.abc import Awaitable, Callable
from typing import Any, Final

import mcp_types as types
import structlog
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError

from tools_app.mcp.served import SITE_KEY, NotServed, Served, ServedResource, ServedTool, ServerFacts

MAX_BODY_BYTES: Final = 4 << 20
_LIST_TTL_MS: Final = 60_000
logger = structlog.get_logger(__name__)

Handler = Callable[..., Awaitable[Any]]


def mcp_application(facts: ServerFacts) -> Callable[..., Awaitable[None]]:
    """Return an ASGI application of an MCP server; it offers the `Served` object under `SITE_KEY` in each request's
    scope."""
    server = _server(facts)

    async def application(scope: Any, receive: Any, send: Any) -> None:
        # A manager of its own for each request: it ends with the request, and the web server needs no lifespan.
        manager = StreamableHTTPSessionManager(server, stateless=True, max_request_body_size=MAX_BODY_BYTES)
        async with manager.run():
            await manager.handle_request(scope, receive, send)

    return application


def _server(facts: ServerFacts) -> Server[Any]:
    hint = CacheHint(ttl_ms=_LIST_TTL_MS, scope="private")
    return Server(
        facts.name,
        title=facts.title,
        version=facts.version,
        instructions=facts.instructions,
        website_url=facts.website,
        cache_hints={"tools/list": hint, "resources/templates/list": hint, "server/discover": hint},
        get_tool_input_schema=facts.schema_of,
        on_list_tools=_guarded(_list_tools),
        on_call_tool=_guarded(_call_tool),
        on_list_resources=_guarded(_list_resources),
        on_list_resource_templates=_guarded(_list_templates),
        on_read_resource=_guarded(_read_resource),
    )


def _guarded(handler: Handler) -> Handler:
    """Wrap a handler so that unexpected errors are logged and the client learns nothing about their cause."""

    async def run(ctx: Any, params: Any) -> Any:
        try:
            return await handler(ctx, params, ctx.request.scope[SITE_KEY])
        except NotServed as error:
            raise MCPError(types.INVALID_PARAMS, error.message, dict(error.data) if error.data else None) from None
        except MCPError:
            raise
        except Exception:
            logger.exception("mcp_request_failed", method=ctx.method)
            raise MCPError(types.INTERNAL_ERROR, "The site failed unexpectedly.") from None

    return run


async def _list_tools(_ctx: Any, _params: Any, served: Served) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[_tool(tool) for tool in await served.tools()])


def _tool(tool: ServedTool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=dict(tool.schema),
        annotations=types.ToolAnnotations(
            read_only_hint=tool.read_only,
            destructive_hint=tool.destructive,
            idempotent_hint=tool.idempotent,
            open_world_hint=tool.open_world,
        ),
    )


async def _call_tool(ctx: Any, params: types.CallToolRequestParams, served: Served) -> types.CallToolResult:
    wanted = ctx.meta is not None and ctx.meta.get("progress_token") is not None

    async def progress(done: float, message: str) -> None:
        await ctx.session.report_progress(done, None, message)

    answer = await served.call(params.name, params.arguments or {}, progress if wanted else None)
    text = answer.text or json.dumps(answer.data, ensure_ascii=False)
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)],
        structured_content=dict(answer.data),
        is_error=answer.is_error,
    )


async def _list_resources(
    _ctx: Any, params: types.PaginatedRequestParams | None, served: Served
) -> types.ListResourcesResult:
    found, cursor = await served.resources(params.cursor if params else None)
    return types.ListResourcesResult(
        resources=[types.Resource(uri=each.uri, **_facts_of(each)) for each in found], next_cursor=cursor
    )


async def _list_templates(_ctx: Any, _params: Any, served: Served) -> types.ListResourceTemplatesResult:
    templates = [types.ResourceTemplate(uri_template=each.uri, **_facts_of(each)) for each in served.templates()]
    return types.ListResourceTemplatesResult(resource_templates=templates)


def _facts_of(resource: ServedResource) -> dict[str, Any]:
    return {
        "name": resource.name,
        "title": resource.title,
        "description": resource.description,
        "mime_type": resource.media_type,
    }


async def _read_resource(
    _ctx: Any, params: types.ReadResourceRequestParams, served: Served
) -> types.ReadResourceResult:
    media_type, text = await served.read(str(params.uri))
    contents = types.TextResourceContents(uri=params.uri, mime_type=media_type, text=text)
    return types.ReadResourceResult(contents=[contents])
