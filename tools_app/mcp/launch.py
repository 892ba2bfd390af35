"""Types for starting a local MCP server, and for the facts that it reports about itself. Pure, and without the `mcp`
library."""

from dataclasses import dataclass
from typing import Final

from sandbox.ports import HOME

LOG_FOLDER: Final = f"{HOME}/.cache/agentsite-mcp"


class ServerFailed(Exception):
    """An MCP server failed. The message is a predicate to which the caller prepends the server's name."""


class CallFailed(Exception):
    """A call of an MCP server's tool failed. `made` is True if the server may have executed the call."""

    def __init__(self, message: str, *, made: bool) -> None:
        super().__init__(message)
        self.made = made


@dataclass(frozen=True, slots=True)
class Launch:
    """The parameters for starting a local MCP server. `id` is the id of the server's row in the database. If any
    field differs, the running server is replaced."""

    id: str
    name: str
    command: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ServerFacts:
    """Facts that an MCP server reports about itself: its name, version, protocol version and instructions."""

    name: str = ""
    version: str = ""
    protocol: str = ""
    instructions: str = ""

    def as_dict(self) -> dict[str, str]:
        return {
            "name": self.name[:200],
            "version": self.version[:100],
            "protocol": self.protocol[:40],
            "instructions": self.instructions[:4_000],
        }


def log_path(server_id: str) -> str:
    """Return the path of the file that contains the beginning of a server's stderr."""
    return f"{LOG_FOLDER}/{server_id}.log"
