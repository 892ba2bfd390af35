"""ServerCalls: the interface through which a tool of an MCP server reaches that server."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from tools_app.mcp.declared import DeclaredServer
from tools_app.mcp.definitions import ServerTool
from tools_app.mcp.offerings import ServerResource

if TYPE_CHECKING:
    from tools_app.spec import ToolOffer

CallProgress = Callable[[float, float | None, str], None]
"""Called with the progress of a call so far, the progress at its end (None: unknown), and a message."""


@dataclass(frozen=True, slots=True)
class KnownServer:
    """An MCP server of a session. `id` is the public id of its row, `kind` says where it runs."""

    id: str
    name: str
    kind: str
    timeout_seconds: float


@dataclass(frozen=True, slots=True)
class AccountOwner:
    """The owner of the MCP server account with which a call would be made. `name` is shown to people."""

    id: str
    name: str


class ServerCalls(Protocol):
    """The interface through which tools use the MCP servers of one session."""

    async def call(
        self, server: KnownServer, tool: ServerTool, arguments: Mapping[str, Any], progress: CallProgress
    ) -> Mapping[str, Any]:
        """Call a tool once and return the answer as JSON: {content, structuredContent, isError}.

        Nothing is called if the server no longer has exactly this definition. Raises ToolError, which says whether the
        call may have been made.
        """
        ...

    async def declared(self, name: str) -> DeclaredServer:
        """Return a server that the repository declares and that may be started. The result is the same throughout one
        call. Raises ToolError, which names the servers that can be started."""
        ...

    async def start_declared(self, server: DeclaredServer) -> Sequence[str]:
        """Start a declared server that a person has allowed, and return the ids of its tools. Raises ToolError."""
        ...

    async def search(self, query: str) -> "Sequence[ToolOffer]":
        """Return tools that the session may use but that the model has not been offered yet, best match first. From now
        on the model is offered these tools."""
        ...

    async def consent_of(self, server: KnownServer) -> AccountOwner | None:
        """Return the owner of the account that a call would use if the owner must consent to it, otherwise None.
        Consent is needed in a turn in which somebody else has also written a prompt."""
        ...

    async def resources(self) -> Sequence[tuple[str, ServerResource]]:
        """Return the resources in the newest lists of the servers, each with the name of its server."""
        ...

    async def read_resource(self, server: str, uri: str) -> Mapping[str, Any]:
        """Return a resource as JSON: {contents}. Raises ToolError."""
        ...
