"""Destination and Guard: where a program wants to connect, and what decides whether it may."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from tools_app.web.address import WebAddress


class ConnectionRefused(Exception):
    """The connection is not allowed. The message says why. `may_ask`: a person could allow it."""

    def __init__(self, message: str, *, may_ask: bool = False) -> None:
        super().__init__(message)
        self.may_ask = may_ask


class Unreachable(Exception):
    """The connection is allowed, but the host does not exist or does not answer. The message says which."""


@dataclass(frozen=True, slots=True)
class Guard:
    """What a proxy asks before it connects.

    `judge` raises ConnectionRefused. `exempt` returns whether the operators exempted the destination from the rules for
    the public web; it is then connected to as it is, even without TLS. `report` is told each refusal before the
    program is.
    """

    judge: Callable[[WebAddress], Awaitable[None]]
    exempt: Callable[[WebAddress], bool]
    report: Callable[[WebAddress, ConnectionRefused], Awaitable[None]]
