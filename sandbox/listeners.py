"""Value types for the ports that programs of a sandbox listen on, and the methods of `Runtime` for these ports."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class ListeningPort:
    """A TCP port on which a program of the workspace accepts connections over the loopback interface. `family` is 4 or
    6, the version of the address that it listens on."""

    port: int
    family: int


class PortConnection(Protocol):
    """A connection to a program that listens on a port. Both directions apply back-pressure. The code that opened the
    connection must close it."""

    async def send(self, data: bytes) -> None:
        """Send bytes; wait while the program does not read. Raises SandboxLost if the connection has ended."""
        ...

    async def receive(self) -> bytes:
        """Return the next bytes, or b"" if the program has closed the connection. Raises SandboxLost if its sandbox has
        ended."""
        ...

    def close(self) -> None: ...


class PortRuntime(Protocol):
    """The methods of a `Runtime` for the ports that programs of the workspace listen on."""

    async def listening_ports(self) -> Sequence[ListeningPort]:
        """Return the ports that programs of the workspace listen on, the smallest first, at most 100."""
        ...

    async def connect_port(self, port: int) -> PortConnection:
        """Connect to a program of the workspace that listens on this port.

        Raises NotFound if no program listens on the port or answers in time, LimitReached if the workspace has too many
        such connections, and SandboxUnavailable if the sandbox does not run; this method does not start it.
        """
        ...
