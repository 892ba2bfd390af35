"""Interfaces of the transport between client and runner: a `Carrier` opens one `Channel` for each request."""

from typing import Protocol

from sandbox.runner.frames import Header

Frame = tuple[Header, bytes]


class Channel(Protocol):
    """A connection to a runner for one request and its answers.

    Raises SandboxUnavailable if the connection is lost, ProtocolError for invalid data.
    """

    async def send(self, header: Header, body: bytes = b"") -> None: ...

    async def receive(self) -> Frame: ...

    def close(self) -> None: ...


class Carrier(Protocol):
    """The transport of requests to one runner: it opens a channel for each request."""

    async def open(self) -> Channel:
        """Open a channel for one request. Raises SandboxUnavailable if no runner answers."""
        ...

    async def close(self) -> None: ...
