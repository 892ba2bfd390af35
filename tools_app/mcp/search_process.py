"""python -m tools_app.mcp.search_process: call one tool of a remote MCP server, print the result, and exit.

This is a guarded process like the one that fetches pages. It has only the API key for the server, may connect only to
the server's port, and parses the server's answers so that the worker does not have to.
"""

import asyncio
import importlib
import json
import ssl
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, TextContent, Tool

from tools_app.mcp.results import read_results
from tools_app.web.guarded.confine import confine
from tools_app.web.guarded.messages import send

MAX_TEXT_CHARS: Final = 1_000_000  # of an answer
LAZY_IMPORTS: Final = (
    "anyio._backends._asyncio", "anyio.streams.stapled", "anyio.streams.tls", "encodings.idna", "h11", "h2.connection",
    "httpcore2", "httpcore2._async.http2", "httpcore2._backends.anyio", "httpcore2._backends.auto",
)  # fmt: skip
"""Modules that the libraries import on first use. They are imported early, because `confine` blocks reading files."""
EXTRA_SECONDS: Final = 5.0  # for computing, in addition to the time for the network


@dataclass(frozen=True, slots=True)
class SearchOrder:
    """A request of the worker to the search process, for one tool call at a remote MCP server."""

    url: str
    key: str
    certificates: str
    tools: tuple[str, ...]
    """Names that servers use for such a tool, the best one first."""
    arguments: Mapping[str, Any]
    """Arguments for the tool; those that its schema does not contain are left out."""
    seconds: float
    """Time limit for the network."""


class SearchFailed(Exception):
    """A search with the tool of an MCP server failed. The message says why."""


def main() -> None:
    data = json.loads(sys.stdin.buffer.readline())
    asyncio.run(_answer(SearchOrder(**{**data, "tools": tuple(data["tools"])})))


async def _answer(order: SearchOrder) -> None:
    """Call the tool, and send its result to the worker. `confine` is called after the event loop has started, because
    the loop needs a socket pair to start."""
    tls = ssl.create_default_context()
    if order.certificates:
        tls.load_verify_locations(order.certificates)
    for module in LAZY_IMPORTS:
        importlib.import_module(module)
    confine(seconds=order.seconds + EXTRA_SECONDS, ports=[_port(order.url)])
    try:
        async with asyncio.timeout(order.seconds):
            result = await _call_tool(order, tls)
    except TimeoutError:
        send("failed", message=f"The server did not answer within {order.seconds:g} s.")
    except (BaseExceptionGroup, SearchFailed, MCPError, httpx2.HTTPError, OSError, ValueError) as error:
        send("failed", message=_reason(error))
    else:
        text = _text(result)[:MAX_TEXT_CHARS]
        send("found", json.dumps({"text": text, "results": read_results(text, result.structured_content)}).encode())


def _port(url: str) -> int:
    parts = urlsplit(url)
    return parts.port or (443 if parts.scheme == "https" else 80)


async def _call_tool(order: SearchOrder, tls: ssl.SSLContext) -> CallToolResult:
    headers = {"Authorization": f"Bearer {order.key}", "x-api-key": order.key} if order.key else {}
    timeout = order.seconds + EXTRA_SECONDS  # longer, so that the timeout in `_answer` always comes first
    async with (
        httpx2.AsyncClient(headers=headers, timeout=httpx2.Timeout(timeout), verify=tls, trust_env=False) as http,
        Client(streamable_http_client(order.url, http_client=http), read_timeout_seconds=timeout) as client,
    ):
        tool = _chosen(order.tools, (await client.list_tools()).tools)
        known = (tool.input_schema or {}).get("properties", {})
        arguments = {name: value for name, value in order.arguments.items() if name in known}
        result = await client.call_tool(tool.name, arguments)
    if result.is_error:
        raise SearchFailed(f"The server answered with an error: {_text(result)[:500]}")
    return result


def _chosen(names: tuple[str, ...], tools: list[Tool]) -> Tool:
    offered = {tool.name: tool for tool in tools}
    for name in names:
        if name in offered:
            return offered[name]
    raise SearchFailed(f"The server has no tool called {' or '.join(names)}.")


def _text(result: CallToolResult) -> str:
    return "\n\n".join(block.text for block in result.content if isinstance(block, TextContent))


def _reason(error: BaseException) -> str:
    """Return the message of the first error in nested exception groups."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, SearchFailed):
        return str(error)
    if isinstance(error, httpx2.HTTPStatusError):
        return f"The server answered {error.response.status_code} {error.response.reason_phrase}."
    return f"The server could not be reached ({str(error)[:300] or type(error).__name__})."


if __name__ == "__main__":
    main()
