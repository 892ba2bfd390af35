"""A server that answers each request with the head that it received."""

import asyncio
import contextlib
import json
import re
from dataclasses import dataclass, field


@dataclass
class EchoServer:
    """An HTTP server that answers each request with the head of this request as JSON. `heads` are the heads of all
    requests."""

    port: int = 0
    heads: list[str] = field(default_factory=list)
    connections: int = 0
    kind: str = "application/json"
    more: str = ""

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                self.heads.append(head)
                if length := re.search(r"content-length: (\d+)", head.lower()):
                    await reader.readexactly(int(length[1]))
                body = json.dumps({"head": head}).encode()
                lines = (
                    f"HTTP/1.1 200 OK\r\nContent-Type: {self.kind}\r\nContent-Length: {len(body)}\r\n{self.more}\r\n"
                )
                for piece in (lines.encode(), body[: len(body) // 2], body[len(body) // 2 :]):
                    writer.write(piece)
                    await writer.drain()
        writer.close()
