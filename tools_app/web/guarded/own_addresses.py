"""The addresses of this machine, public ones included: what listens there is not meant for agents."""

import itertools
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path
from typing import Final

from tools_app.web.address import IpAddress

_IPV4: Final = Path("/proc/net/fib_trie")
_IPV6: Final = Path("/proc/net/if_inet6")


def own_addresses() -> frozenset[IpAddress]:
    """As the kernel lists them now; empty where it does not."""
    return frozenset((*_parse_ipv4(_content(_IPV4)), *_parse_ipv6(_content(_IPV6))))


def _parse_ipv4(text: str) -> list[IpAddress]:
    """A line with an address (`|-- 10.0.0.1`) is followed by one that says whether it is ours (`/32 host LOCAL`)."""
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
