"""Asking the site's search server through a guarded process."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, ValidationError

from tools_app.spec import ToolError
from tools_app.web.process import GuardedProcess, ProcessFailed

PROGRAM: Final = "tools_app.mcp.search_process"
EXA: Final = "https://mcp.exa.ai/mcp"
AFTERWARDS: Final = 30.0
"""Seconds beside the time for the network: to start and to read the answer."""


@dataclass(frozen=True, slots=True)
class SearchServer:
    """An MCP server with streamable HTTP. `certificates` is a file with further authorities to trust."""

    url: str
    key: str = ""
    certificates: str = ""

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> "SearchServer | None":
        """None when the site has none: then the tools that search are not offered."""
        url = str(settings.get("search_server", ""))
        if not url:
            return None
        key, certificates = str(settings.get("search_key", "")), str(settings.get("web_certificates", ""))
        return cls(EXA if url == "exa" else url, key, certificates)


class Found(BaseModel):
    """`text` is the answer as it came; `results` is what could be told apart in it."""

    model_config = ConfigDict(strict=True)

    class Result(BaseModel):
        title: str
        url: str
        text: str

    text: str
    results: list[Result]


async def search(
    settings: Mapping[str, Any], tools: Sequence[str], arguments: Mapping[str, Any], *, seconds: float
) -> Found:
    """`tools` are the names that the wanted tool may have there. ToolError when there is no answer."""
    server = SearchServer.from_settings(settings)
    if server is None:
        raise ToolError("This site has no search server. Go on without searching.")
    order = {
        "url": server.url,
        "key": server.key,
        "certificates": server.certificates,
        "tools": list(tools),
        "arguments": {name: value for name, value in arguments.items() if value is not None},
        "seconds": seconds,
    }
    try:
        async with GuardedProcess(PROGRAM, seconds=seconds + AFTERWARDS) as process:
            await process.say(order)
            said, body = await process.hear()
            if said.get("kind") != "found":
                raise ToolError(f"The search server was no help. {str(said.get('message', ''))[:1000]}")
            return Found.model_validate(json.loads(body))
    except (ProcessFailed, ValidationError, ValueError) as error:
        raise ToolError("The search server's answer could not be read. Try other words.") from error
