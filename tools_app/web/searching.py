"""search(): query the site's search server through a guarded process."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, ValidationError

from tools_app.spec import ToolError
from tools_app.web.process import GuardedProcess, ProcessFailed

PROGRAM: Final = "tools_app.mcp.search_process"
EXA_URL: Final = "https://mcp.exa.ai/mcp"
EXTRA_SECONDS: Final = 30.0
"""Time that the process gets in addition to the time for the network: to start, and to read the answer."""


@dataclass(frozen=True, slots=True)
class SearchServer:
    """A search server: an MCP server with streamable HTTP.

    `certificates` is the path of a file with additional certificate authorities to trust.
    """

    url: str
    key: str = ""
    certificates: str = ""

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> "SearchServer | None":
        """Return the search server that the site's settings name, or None. Without it, search tools are not offered."""
        url = str(settings.get("search_server", ""))
        if not url:
            return None
        key, certificates = str(settings.get("search_key", "")), str(settings.get("web_certificates", ""))
        return cls(EXA_URL if url == "exa" else url, key, certificates)


class SearchResults(BaseModel):
    """The answer to a query: its text as received, and the results that could be parsed from it."""

    model_config = ConfigDict(strict=True)

    class Result(BaseModel):
        title: str
        url: str
        text: str

    text: str
    results: list[Result]


async def search(
    settings: Mapping[str, Any], tools: Sequence[str], arguments: Mapping[str, Any], *, seconds: float
) -> SearchResults:
    """Call a tool of the search server. `tools` are the names that the tool may have there. Raises ToolError on
    failure."""
    server = SearchServer.from_settings(settings)
    if server is None:
        raise ToolError("This site has no search server. Continue without searching.")
    order = {
        "url": server.url,
        "key": server.key,
        "certificates": server.certificates,
        "tools": list(tools),
        "arguments": {name: value for name, value in arguments.items() if value is not None},
        "seconds": seconds,
    }
    try:
        async with GuardedProcess(PROGRAM, seconds=seconds + EXTRA_SECONDS) as process:
            await process.send(order)
            message, body = await process.receive()
            if message.get("kind") != "found":
                raise ToolError(f"The search failed. {str(message.get('message', ''))[:1000]}")
            return SearchResults.model_validate(json.loads(body))
    except (ProcessFailed, ValidationError, ValueError) as error:
        raise ToolError("The search server's answer could not be read. Try a different query.") from error
