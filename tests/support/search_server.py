"""A search server with real MCP over streamable HTTP, in a thread of the test."""

import asyncio
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from starlette.types import ASGIApp, Receive, Scope, Send

from tests.support.deadline import wait_until

WRITTEN = """Title: Installing ruff
URL: https://docs.example.org/ruff
Text: pip install ruff
then run it.

Title: Ruff's rules
URL: https://docs.example.org/rules
Text: There are many."""
LISTED = json.dumps({"results": [{"title": "One", "url": "https://one.example.org/", "text": "first"}]})


@dataclass
class SearchSite:
    """A search server. `asked` are the arguments of each search, `headers` the headers of the last request."""

    url: str
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)

    def search(self, query: str, numResults: int, type: str = "auto") -> str:  # noqa: A002, N803 - Exa's names
        self.asked.append({"query": query, "numResults": numResults, "type": type})
        if query == "fail":
            raise ToolError("no luck")
        return {"nothing": "", "json": LISTED, "huge": "x" * 3_000_000}.get(query, WRITTEN)

    def code(self, query: str, tokensNum: int) -> str:  # noqa: N803
        self.asked.append({"query": query, "tokensNum": tokensNum})
        return "```python\nuse(it)\n```"


@contextmanager
def searching(*, json_response: bool = False, silent: bool = False) -> Iterator[SearchSite]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        site = SearchSite(f"http://127.0.0.1:{listening.getsockname()[1]}/mcp")
        server = MCPServer("search")
        server.add_tool(site.search, name="web_search_exa", structured_output=False)
        server.add_tool(site.code, name="get_code_context_exa", structured_output=False)
        app = _watched(server.streamable_http_app(json_response=json_response), site, silent=silent)
        running = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="on", timeout_graceful_shutdown=1))
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        wait_until(lambda: running.started, "the search server serves", seconds=20)
        try:
            yield site
        finally:
            running.should_exit = True
            thread.join(timeout=10)


def _watched(app: ASGIApp, site: SearchSite, *, silent: bool) -> ASGIApp:
    async def watch(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            site.headers = {name.decode(): value.decode() for name, value in scope["headers"]}
            if silent:
                await asyncio.Event().wait()
        await app(scope, receive, send)

    return watch
