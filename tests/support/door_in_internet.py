"""A door (the proxy for workspaces) in the simulated network of `tests.support.whole_internet`. Programs send it
unchecked addresses."""

import asyncio
import re
import socket
import threading
from typing import Final

from tools_app.network.destination import ConnectionRefused, Guard
from tools_app.network.proxy import Proxy
from tools_app.network.relay import Meter
from tools_app.network.upstream import Upstream
from tools_app.web.address import WebAddress
from tools_app.web.rules import WebRules

REDIRECTS: Final = 5
WITH_PORT: Final = re.compile(r".*(?<!:):\d+|\[.*\]:\d+")


class OpenDoor:
    """A door (proxy) whose policies allow every host, so that it refuses a host only because of an IP address."""

    def __init__(self) -> None:
        self._ready = threading.Event()
        self._place = ("", 0)

    def start(self) -> None:
        threading.Thread(target=asyncio.run, args=(self._serve(),), daemon=True).start()
        if not self._ready.wait(10):
            raise SystemExit("The door did not start.")

    async def _serve(self) -> None:
        proxy = Proxy(Guard(_allow, _tell_nobody), Upstream(WebRules()), Meter())
        server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
        self._place = server.sockets[0].getsockname()
        self._ready.set()
        await asyncio.Event().wait()

    def fetch(self, url: str) -> tuple[str, str]:
        """Request the address in plain HTTP and follow redirects; return the outcome and the last response."""
        answer = b""
        for _ in range(REDIRECTS):
            answer = self._say(f"GET {url} HTTP/1.1\r\nHost: public.example.org\r\n\r\n")
            found = re.search(rb"\r\nlocation: ([^\r]*)\r\n", answer, re.IGNORECASE)
            if found is None:
                break
            url = found[1].decode("latin-1")
        return _outcome(answer)

    def connect(self, url: str) -> tuple[str, str]:
        """Request a tunnel to the host of the address; return the outcome and the response."""
        authority = re.split(r"[/?#]", url.partition("//")[2], maxsplit=1)[0]
        target = authority if WITH_PORT.fullmatch(authority) else f"{authority}:443"
        return _outcome(self._say(f"CONNECT {target} HTTP/1.1\r\nHost: public.example.org:443\r\n\r\n"))

    def _say(self, request: str) -> bytes:
        answer = b""
        with socket.create_connection(self._place, timeout=20) as program:
            program.sendall(request.encode())
            while b"\r\n\r\n" not in answer and (received := program.recv(1 << 16)):
                answer += received
            if not answer.startswith(b"HTTP/1.1 200 Connection established"):
                while received := program.recv(1 << 16):
                    answer += received
        return answer


def _outcome(answer: bytes) -> tuple[str, str]:
    status = answer[9:12]
    return "page" if status[:1] in (b"2", b"3") else "refused", answer.decode("latin-1")


async def _allow(_: WebAddress) -> None:
    pass


async def _tell_nobody(_: WebAddress, _refusal: ConnectionRefused) -> None:
    pass
