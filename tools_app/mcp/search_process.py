"""python -m tools_app.mcp.search_process: ask one remote MCP server one question, answer, end.

A guarded process like the one that fetches pages: it has the order's key for the server and nothing else, may open
connections to the server's port only, and reads what the server says instead of the worker.
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
from tools_app.web.guarded.messages import say

LONGEST_TEXT: Final = 1_000_000  # characters of an answer
USED_LATER: Final = (
    "anyio._backends._asyncio", "anyio.streams.stapled", "anyio.streams.tls", "encodings.idna", "h11", "h2.connection",
    "httpcore2", "httpcore2._async.http2", "httpcore2._backends.anyio", "httpcore2._backends.auto",
)  # fmt: skip
"""What the libraries import when they first need it: after `confine` no file can be read."""
MARGIN: Final = 5.0  # seconds of computing beside the time for the network


@dataclass(frozen=True, slots=True)
class SearchOrder:
    """`tools` are names by which servers call such a tool, the best first; `arguments` those that the tool's schema
    does not know are left out."""

    url: str
    key: str
    certificates: str
    tools: tuple[str, ...]
    arguments: Mapping[str, Any]
    seconds: float


class SearchFailed(Exception):
    """There is no answer; the text says why."""


def main() -> None:
    data = json.loads(sys.stdin.buffer.readline())
    asyncio.run(_answer(SearchOrder(**{**data, "tools": tuple(data["tools"])})))


async def _answer(order: SearchOrder) -> None:
    """The loop is there already, because later no socket pair can be made."""
    tls = ssl.create_default_context()
    if order.certificates:
        tls.load_verify_locations(order.certificates)
    for module in USED_LATER:
        importlib.import_module(module)
    confine(seconds=order.seconds + MARGIN, ports=[_port(order.url)])
    try:
        async with asyncio.timeout(order.seconds):
            result = await _ask(order, tls)
    except TimeoutError:
        say("failed", message=f"It did not answer within {order.seconds:g} s.")
    except (BaseExceptionGroup, SearchFailed, MCPError, httpx2.HTTPError, OSError, ValueError) as error:
        say("failed", message=_reason(error))
    else:
        text = _text(result)[:LONGEST_TEXT]
        say("found", json.dumps({"text": text, "results": read_results(text, result.structured_content)}).encode())


def _port(url: str) -> int:
    parts = urlsplit(url)
    return parts.port or (443 if parts.scheme == "https" else 80)


async def _ask(order: SearchOrder, tls: ssl.SSLContext) -> CallToolResult:
    headers = {"Authorization": f"Bearer {order.key}", "x-api-key": order.key} if order.key else {}
    patience = order.seconds + MARGIN  # so that it is always the whole that is over first
    async with (
        httpx2.AsyncClient(headers=headers, timeout=httpx2.Timeout(patience), verify=tls, trust_env=False) as http,
        Client(streamable_http_client(order.url, http_client=http), read_timeout_seconds=patience) as client,
    ):
        tool = _chosen(order.tools, (await client.list_tools()).tools)
        known = (tool.input_schema or {}).get("properties", {})
        arguments = {name: value for name, value in order.arguments.items() if name in known}
        result = await client.call_tool(tool.name, arguments)
    if result.is_error:
        raise SearchFailed(f"It answered with an error: {_text(result)[:500]}")
    return result


def _chosen(names: tuple[str, ...], tools: list[Tool]) -> Tool:
    offered = {tool.name: tool for tool in tools}
    for name in names:
        if name in offered:
            return offered[name]
    raise SearchFailed(f"It has no such search: none of its tools is called {' or '.join(names)}.")


def _text(result: CallToolResult) -> str:
    return "\n\n".join(block.text for block in result.content if isinstance(block, TextContent))


def _reason(error: BaseException) -> str:
    """The first plain error within, in its own words."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, SearchFailed):
        return str(error)
    if isinstance(error, httpx2.HTTPStatusError):
        return f"It answered {error.response.status_code} {error.response.reason_phrase}."
    return f"It could not be asked ({str(error)[:300] or type(error).__name__})."


if __name__ == "__main__":
    main()
