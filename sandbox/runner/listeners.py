"""The ports that programs of the workspace listen on, read from the kernel's tables of this network namespace."""

from collections.abc import Iterable
from contextlib import suppress
from typing import Final, NamedTuple

TABLES: Final = (("/proc/net/tcp", 4), ("/proc/net/tcp6", 6))
LISTENING: Final = "0A"
IS_LISTENING: Final = f" {LISTENING} "
LISTED_LIMIT: Final = 1000  # ports in one answer, of about 30 bytes each
ADDRESSES: Final = {4: "127.0.0.1", 6: "::1"}
REACHABLE: Final = {
    4: ("00000000", "0100007F"),
    6: ("0" * 32, "0" * 24 + "01000000", "0000000000000000FFFF00000100007F"),
}
"""Addresses, in the kernel's notation, that a connection over loopback reaches: the wildcard address and loopback."""


class Listener(NamedTuple):
    port: int
    family: int


def listeners(uid: int) -> list[Listener]:
    """Return the ports that programs of this user listen on, the smallest first."""
    found: dict[int, Listener] = {}
    for path, family in TABLES:
        with suppress(OSError), open(path) as table:  # a kernel without IPv6 has no second table
            for each in parse(table, family, uid):
                found.setdefault(each.port, each)
    return sorted(found.values())


def parse(lines: Iterable[str], family: int, uid: int) -> list[Listener]:
    """Return a user's listening sockets that loopback connections reach, from the lines of /proc/net/tcp or tcp6.

    Most of the lines may be connections.
    """
    found = []
    for line in lines:
        fields = line.split() if IS_LISTENING in line else []
        if len(fields) > 7 and fields[3] == LISTENING and fields[7] == str(uid):
            address, _, port = fields[1].rpartition(":")
            if address in REACHABLE[family]:
                found.append(Listener(int(port, 16), family))
    return found
