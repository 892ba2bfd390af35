"""Destination and Guard: a host and port that a program wants to connect to, and the check whether this is allowed."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from sandbox.limits import RefusalCause
from tools_app.web.address import WebAddress


class ConnectionRefused(Exception):
    """The connection is not allowed. The message says why. `may_ask`: a person could allow the connection."""

    def __init__(self, message: str, *, may_ask: bool = False, cause: RefusalCause = "rules") -> None:
        super().__init__(message)
        self.may_ask = may_ask
        self.cause = cause


class Unreachable(Exception):
    """The host does not exist or does not answer, or the rules cannot be read. The message says which of these
    happened."""


@dataclass(frozen=True, slots=True)
class Guard:
    """The check whether a proxy may connect to a destination.

    `judge` raises ConnectionRefused, or Unreachable if it cannot decide. `report` is called for each refusal before the
    program gets it.
    """

    judge: Callable[[WebAddress], Awaitable[None]]
    report: Callable[[WebAddress, ConnectionRefused], Awaitable[None]]
