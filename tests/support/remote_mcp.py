"""A small MCP server over streamable HTTP, with a handshake and without dependencies, whose tool waits for a release.

It records the calls that arrive, so that tests can detect a repeated call.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

PATIENCE_SECONDS: Final = 60.0
TOOLS: Final = [{"name": "order", "description": "Order tea.", "inputSchema": {"type": "object"}}]


class RemoteMcp:
    """The state of a remote MCP server for tests. It records `calls` when they arrive and answers them once `let_go`
    is set."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.calls: list[dict[str, Any]] = []
        self.let_go = threading.Event()

    @property
    def place(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"http://{self.place}/mcp"

    def forget(self) -> None:
        self.calls.clear()
        self.let_go.clear()

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        match request["method"]:
            case "initialize":
                version = request["params"]["protocolVersion"]
                info = {"name": "tea", "version": "1"}
                return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
            case "tools/list":
                return {"tools": TOOLS}
            case "tools/call":
                self.calls.append(request["params"])
                self.let_go.wait(PATIENCE_SECONDS)
                return {"content": [{"type": "text", "text": "ordered"}]}
            case "ping":
                return {}
        raise KeyError(request["method"])


class Handler(BaseHTTPRequestHandler):
    site: RemoteMcp

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "id" not in request:
            self._send(202, b"")
            return
        answer: dict[str, Any] = {"jsonrpc": "2.0", "id": request["id"]}
        try:
            answer["result"] = self.site.answer(request)
        except KeyError:
            answer["error"] = {"code": -32601, "message": "There is no such method."}
        self._send(200, json.dumps(answer).encode())

    def do_GET(self) -> None:
        self._send(405, b"")

    def _send(self, status: int, body: bytes) -> None:
        try:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except ConnectionError:  # the client was killed
            self.close_connection = True

    def log_message(self, *_: Any) -> None:
        """Write nothing to the output of the test."""


@contextmanager
def remote_mcp() -> Iterator[RemoteMcp]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        site = RemoteMcp(server.server_port)
        server.RequestHandlerClass = type("OfSite", (Handler,), {"site": site})
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield site
        finally:
            site.let_go.set()
            server.shutdown()
