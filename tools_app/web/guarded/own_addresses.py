"""own_addresses(): all IP addresses of this machine. Services on them are not meant for agents."""

import itertools
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path
from typing import Final

from tools_app.web.address import IpAddress

_IPV4: Final = Path("/proc/net/fib_trie")
_IPV6: Final = Path("/proc/net/if_inet6")


def own_addresses() -> frozenset[IpAddress]:
    """Return all IP addresses of this machine that the kernel lists now; empty if /proc does not list them."""
    return frozenset((*_parse_ipv4(_content(_IPV4)), *_parse_ipv6(_content(_IPV6))))


def _parse_ipv4(text: str) -> list[IpAddress]:
    """Parse /proc/net/fib_trie: a line `|-- 10.0.0.1`, then `/32 host LOCAL` if the address is this machine's."""
    lines = text.splitlines()
    return [
        IPv4Address(one.split()[1])
        for one, two in itertools.pairwise(lines)
        if "|--" in one and "/32 host LOCAL" in two
    ]


def _parse_ipv6(text: str) -> list[IpAddress]:
    return [IPv6Address(int(line.split()[0], 16)) for line in text.splitlines()]


def _content(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""
