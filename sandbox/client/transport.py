"""How frames get to a runner and back: one channel for each request, whatever carries it."""

from typing import Protocol

from sandbox.runner.frames import Header

Frame = tuple[Header, bytes]


class Channel(Protocol):
    """One request and its answers. SandboxUnavailable when the other side is gone, ProtocolError for nonsense."""

    async def send(self, header: Header, body: bytes = b"") -> None: ...

    async def receive(self) -> Frame: ...

    def close(self) -> None: ...


class Carrier(Protocol):
    async def open(self) -> Channel:
        """Raises SandboxUnavailable when nobody answers there."""
        ...

    async def close(self) -> None: ...
