"""An MCP client for tests of the site's ASGI application. It sends and receives plain JSON."""

import json
from collections.abc import Mapping
from typing import Any, Final

import httpx
from channels.routing import ProtocolTypeRouter

from agentsite.asgi import application
from agentsite.tenancy.actions.tokens import create_token
from agentsite.tenancy.models import User
from agentsite.tenancy.scopes import Scope

HOST: Final = "localhost:8000"
HANDSHAKE: Final = "2025-11-25"
STATELESS: Final = "2026-07-28"
ACCEPT: Final = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


class McpSite:
    """An MCP client that sends the API token `secret` and speaks the protocol version `version`."""

    def __init__(self, secret: str, *, version: str = HANDSHAKE) -> None:
        self.headers = {"Authorization": f"Bearer {secret}"} if secret else {}
        self.version = version
        self.progress: list[str] = []

    async def post(self, content: bytes | str, *, method: str = "POST", **headers: str) -> httpx.Response:
        assert isinstance(application, ProtocolTypeRouter)
        transport = httpx.ASGITransport(application.application_mapping["http"])
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{HOST}", timeout=60) as client:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            return await client.request(method, "/mcp", content=content, headers=ACCEPT | self.headers | named)

    async def send(self, method: str, params: Mapping[str, Any] | None = None, *, progress: bool = False) -> Any:
        """Send a request; return its whole response message, {result} or {error}."""
        body, headers = dict(params or {}), {"MCP_Protocol_Version": self.version}
        meta: dict[str, Any] = {"progressToken": "p1"} if progress else {}
        if self.version == STATELESS:
            about = {"protocolVersion": self.version, "clientCapabilities": {}}
            meta |= {f"io.modelcontextprotocol/{name}": value for name, value in about.items()}
            headers |= {"Mcp_Method": method} | ({"Mcp_Name": body["name"]} if "name" in body else {})
            headers |= {"Mcp_Name": body["uri"]} if "uri" in body else {}
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**body, "_meta": meta}}
        return self._answer(await self.post(json.dumps(message), **headers))

    def _answer(self, response: httpx.Response) -> Any:
        if "event-stream" not in response.headers["content-type"]:
            return response.json()
        lines = [line[6:] for line in response.text.splitlines() if line.startswith("data: ")]
        messages = [json.loads(line) for line in lines if line]
        self.progress += [one["params"]["message"] for one in messages if one.get("method") == "notifications/progress"]
        (answer,) = [one for one in messages if "id" in one]
        return answer

    async def call(self, tool: str, /, **arguments: Any) -> Any:
        """Call a tool of the site's MCP server, check that it does not fail, and return its result."""
        result = (await self.send("tools/call", {"name": tool, "arguments": arguments}, progress=True))["result"]
        assert not result.get("isError"), result
        return result["structuredContent"]

    async def error(self, tool: str, /, **arguments: Any) -> str:
        """Return the code with which a tool fails."""
        result = (await self.send("tools/call", {"name": tool, "arguments": arguments}))["result"]
        assert result["isError"], result
        code: str = result["structuredContent"]["error"]["code"]
        assert code in result["content"][0]["text"]
        return code

    async def read(self, uri: str) -> Any:
        """Return the content of a resource, or the error."""
        answer = await self.send("resources/read", {"uri": uri})
        return answer["result"]["contents"][0] if "result" in answer else answer["error"]


def token_of(user: User, *scopes: Scope, **limits: Any) -> str:
    """Create an API token with these scopes, by default all; return its secret."""
    return create_token(actor=user, name="mcp", scopes=scopes or Scope, **limits).secret
