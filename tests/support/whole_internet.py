"""Try addresses in a network in which every address answers: `python -m tests.support.whole_internet CORPUS`.

It runs in its own namespaces. All IPv4 and IPv6 addresses are local, the only DNS server has the names of the corpus,
and every connection is recorded. So a fetch that is wrongly let through reaches a server and is detected.
"""

import asyncio
import contextlib
import json
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final, cast
from urllib.parse import quote, unquote

from tests.support.deadline import wait_until
from tests.support.door_in_internet import OpenDoor
from tools_app.web.address import BadAddress
from tools_app.web.fetching import FetchError, FetchOrder, fetch
from tools_app.web.guarded.connect import Connector, FetchFailed
from tools_app.web.guarded.messages import PageOrder
from tools_app.web.guarded.own_addresses import own_addresses
from tools_app.web.guarded.redirects import follow
from tools_app.web.rules import AddressRefused, WebRules

TRIED_IN_A_PROCESS: Final = ("this machine, plainly", "names that lead inside", "redirect", "rebinding", "reached")
"""Categories whose first address is also fetched through a guarded process, which is slow."""
CORPUS: Final = Path(__file__).resolve().parent.parent / "corpora" / "ssrf" / "refused.toml"
DNS: Final = "127.0.0.53"
PUBLIC: Final = "http://93.184.216.34"
A, CNAME, AAAA, NO_SUCH_NAME = 1, 5, 28, 3

TLS: Final = ssl.create_default_context()

Case = tuple[str, str]
"""The category and the address of a case."""


def cases(corpus: dict[str, Any]) -> Iterator[Case]:
    for why, urls in corpus["refused"].items():
        yield from ((why, url) for url in urls)
    redirects = corpus["redirects"]
    yield from (("redirect", f"{PUBLIC}/to?{quote(url, safe='')}") for url in redirects["to"])
    yield from (("rebinding", url) for url in redirects["rebinding"])
    for url in redirects["twice"]:
        second = f"http://public.example.org/to?{quote(url, safe='')}"
        yield "two redirects", f"{PUBLIC}/to?{quote(second, safe='')}"
    yield from (("reached", url) for url in corpus["reached"]["plainly"])


class World:
    """The simulated network, which records every connection as (address, port)."""

    def __init__(self, corpus: dict[str, Any]) -> None:
        self._corpus = corpus
        self._asked: Counter[tuple[str, int]] = Counter()
        self._ready = threading.Event()
        self.reached: list[tuple[str, int]] = []

    def start(self) -> None:
        threading.Thread(target=asyncio.run, args=(self._serve(),), daemon=True).start()
        if not self._ready.wait(10):
            raise SystemExit("The servers did not start.")

    def forget(self) -> None:
        self._asked.clear()
        self.reached.clear()

    async def _serve(self) -> None:
        loop = asyncio.get_running_loop()
        for family, host in ((socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::")):
            for port in self._corpus["ports"]:
                await asyncio.start_server(self._answer, sock=_listening(family, host, port))
        await loop.create_datagram_endpoint(lambda: _Names(self), local_addr=(DNS, 53))
        self._ready.set()
        await asyncio.Event().wait()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        host, port, *_ = writer.get_extra_info("sockname")
        self.reached.append((host, port))
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError):
            async with asyncio.timeout(2):
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            writer.write(_page(head).encode("latin-1"))
            await writer.drain()
        writer.close()

    def canonical(self, name: str) -> str:
        """Return the name that an alias, or a chain of aliases, stands for."""
        name = name.lower()
        aliases = self._corpus["aliases"]
        while name in aliases:
            name = aliases[name]
        return name

    def addresses(self, name: str, kind: int) -> list[bytes] | None:
        """Return the addresses of a name as bytes; None for an unknown name."""
        answers = self._corpus["names"].get(self.canonical(name))
        if answers is None:
            return None
        number = self._asked[self.canonical(name), kind]
        self._asked[self.canonical(name), kind] += 1
        ips = map(ip_address, answers[min(number, len(answers) - 1)])
        return [ip.packed for ip in ips if (ip.version == 4) == (kind == A)]


def _page(head: str) -> str:
    path = head.split(" ")[1]
    host = next((line[5:].strip() for line in head.split("\r\n") if line.lower().startswith("host:")), "")
    if path.startswith("/to?"):
        return f"HTTP/1.1 302 Found\r\nLocation: {unquote(path[4:])}\r\nContent-Length: 0\r\n\r\n"
    if path == "/again":
        return f"HTTP/1.1 302 Found\r\nLocation: http://{host}/\r\nContent-Length: 0\r\n\r\n"
    return "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 7\r\n\r\nreached"


def _listening(family: socket.AddressFamily, host: str, port: int) -> socket.socket:
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if family == socket.AF_INET6:
        listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    listening.bind((host, port))
    return listening


class _Names(asyncio.DatagramProtocol):
    """A minimal DNS server for glibc's resolver. Its answers expire at once, so they are not cached."""

    def __init__(self, world: World) -> None:
        self._world = world

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.DatagramTransport, transport)

    def datagram_received(self, data: bytes, addr: Any) -> None:
        labels, end = [], 12
        while length := data[end]:
            labels.append(data[end + 1 : end + 1 + length].decode("latin-1"))
            end += 1 + length
        kind = struct.unpack("!H", data[end + 1 : end + 3])[0]
        found = self._world.addresses(".".join(labels), kind)
        flags = 0x8180 | (NO_SUCH_NAME if found is None else 0)
        answers, owner = [], b"\xc0\x0c"  # the name that was asked for
        if (canonical := self._world.canonical(name := ".".join(labels))) != name.lower():
            answers, owner = [owner + _record(CNAME, _packed(canonical))], _packed(canonical)
        answers += [owner + _record(kind, ip) for ip in found or ()]
        header = struct.pack("!2sHHHHH", data[:2], flags, 1, len(answers), 0, 0)
        self._transport.sendto(header + data[12 : end + 5] + b"".join(answers), addr)


def _record(kind: int, data: bytes) -> bytes:
    """Return a DNS record without the name that it belongs to."""
    return struct.pack("!HHIH", kind, 1, 0, len(data)) + data


def _packed(name: str) -> bytes:
    return b"".join(bytes([len(label)]) + label.encode() for label in name.split(".")) + b"\0"


def make_everything_local(own: Iterable[str]) -> None:
    """Route all addresses to this machine, and all names to the DNS server `DNS`. Call it only in a separate network
    and mount namespace. `own` become the machine's addresses."""
    for command in (
        "ip link set lo up",
        "ip route add local 0.0.0.0/0 dev lo",
        "ip -6 route add local ::/0 dev lo",
        *(f"ip address add {address} dev lo" for address in own),
        "mount --make-rprivate /",
    ):
        subprocess.run(command.split(), check=True)
    with tempfile.NamedTemporaryFile("w", suffix=".conf", delete=False) as file:
        file.write(f"nameserver {DNS}\noptions timeout:1 attempts:1\n")
    Path(file.name).chmod(0o644)
    subprocess.run(["mount", "--bind", file.name, "/etc/resolv.conf"], check=True)


def try_here(url: str) -> tuple[str, str]:
    """Fetch a URL with the guard's code in this process. Return "page" and its text, or "refused" or "failed" and
    the error."""
    order = PageOrder(url=url, wanted="text", seconds=5, limit=1 << 20, rules=WebRules(), certificates="")
    connector = Connector(order.rules, TLS, own_addresses())
    try:
        _, answer = follow(order, connector, lambda _url, _status: True)
    except (BadAddress, AddressRefused) as error:
        return "refused", str(error)
    except FetchFailed as error:
        return "failed", str(error)
    return "page", answer.body.decode()


def try_as_tools_do(url: str) -> tuple[str, str]:
    """Fetch a URL through a guarded process, as a tool call does. Return "page" and its text, or "refused" and the
    error."""

    async def follow_all(_place: str, _url: str) -> bool:
        return True

    try:
        page = asyncio.run(fetch(FetchOrder(url, "text", seconds=5), follow_all))
    except FetchError as error:
        return "refused", str(error)
    return "page", page.content.decode()


def main() -> None:
    corpus = tomllib.loads(CORPUS.read_text())
    make_everything_local(corpus["own"])
    world = World(corpus)
    world.start()
    door = OpenDoor()
    door.start()
    ways = {"here": try_here, "process": try_as_tools_do, "door": door.fetch, "tunnel": door.connect}
    seen: Counter[str] = Counter()
    for why, url in cases(corpus):
        seen[why] += 1
        for how, attempt in ways.items():
            if how == "process" and (seen[why] > 1 or why not in TRIED_IN_A_PROCESS):
                continue
            world.forget()
            outcome, words = attempt(url)
            if outcome == "page":  # a tunnel is open before the server's side has been noted
                wait_until(lambda: bool(world.reached), "the connection is noted")
            said = {"why": why, "url": url, "how": how, "outcome": outcome, "words": words}
            sys.stdout.write(json.dumps({**said, "reached": world.reached}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
