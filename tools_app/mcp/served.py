"""Types of tools and resources that are served over the Model Context Protocol. They do not depend on the library of
the protocol."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

SITE_KEY: Final = "agentsite.served"  # of the ASGI scope

Progress = Callable[[float, str], Awaitable[None]]
"""Sends the client how far a call is, as a number that grows, and a message."""


@dataclass(frozen=True, slots=True)
class ServedTool:
    name: str
    title: str
    description: str
    schema: Mapping[str, Any]
    read_only: bool
    destructive: bool
    idempotent: bool
    open_world: bool


@dataclass(frozen=True, slots=True)
class ServedResource:
    """A resource of an MCP server, or a template of resources if `uri` has variables."""

    uri: str
    name: str
    title: str
    description: str
    media_type: str


@dataclass(frozen=True, slots=True)
class ServedAnswer:
    """The answer of a tool: an object, and a text for models. If the text is empty, the object is sent as JSON."""

    data: Mapping[str, Any]
    text: str = ""
    is_error: bool = False


class NotServed(Exception):
    """There is no such tool or resource, or it cannot be read. `data` goes to the client."""

    def __init__(self, message: str, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.data = data


class Served(Protocol):
    """The tools and resources that the site serves to one client."""

    async def tools(self) -> Sequence[ServedTool]: ...

    async def call(self, name: str, arguments: Mapping[str, Any], progress: Progress | None) -> ServedAnswer:
        """Call a tool. `progress` is None if the client does not want progress messages. Raises NotServed for an
        unknown tool."""
        ...

    def templates(self) -> Sequence[ServedResource]: ...

    async def resources(self, cursor: str | None) -> tuple[Sequence[ServedResource], str | None]:
        """Return a page of resources, and the cursor of the next one. Raises NotServed."""
        ...

    async def read(self, uri: str) -> tuple[str, str]:
        """Return the media type and the text of a resource. Raises NotServed."""
        ...


@dataclass(frozen=True, slots=True)
class ServerFacts:
    """Facts that the server tells clients about itself."""

    name: str
    title: str
    version: str
    instructions: str
    website: str
    schema_of: Callable[[str], Mapping[str, Any] | None] = field(repr=False)
    """Returns the schema of a tool's arguments by its name."""
