"""McpTool: a tool of an MCP server in the catalogue."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic import BaseModel

from tools_app.builtin.invalid import explain
from tools_app.external_schema import problems
from tools_app.mcp.calling import AccountOwner, KnownServer
from tools_app.mcp.content import read_answer, shown_structure
from tools_app.mcp.definitions import ServerTool, as_text, changes
from tools_app.spec import OfferContext, PermissionNeed, Tool, ToolContext, ToolError, ToolResult
from tools_app.text import first_line

CHANGED_TOOL: Final = "changed_tool"
"""The permission of calls of a tool whose definition differs from the one that people accepted. Only rules that name it
can allow it."""

ACCOUNT: Final = "mcp_account"
"""The permission of calls that use the account of a person in a turn in which somebody else has prompted too. No rule
replaces the approval of the account's owner."""

START_SECONDS: Final = 90.0  # for a local server to start, beside the time for the call
MAX_SHOWN_CHARACTERS: Final = 10_000  # of arguments, descriptions and schemas in a permission request
INTERRUPTED: Final = (
    "The site lost the connection to this call. The server may have done what was asked: check, before you call it"
    " again. The call was not repeated."
)


class McpArguments(BaseModel):
    """The arguments of a call, checked against the server's schema."""

    values: dict[str, Any]


class McpTool(Tool[McpArguments]):
    """A tool of an MCP server, under the id `server_tool`, which is also its permission.

    `accepted` is the definition of this tool that people accepted; None if they have not accepted any.
    """

    parameters = McpArguments
    repeatable = False
    interrupted = INTERRUPTED

    def __init__(self, tool_id: str, server: KnownServer, tool: ServerTool, accepted: Mapping[str, Any] | None) -> None:
        self.id = tool_id
        self.permission = tool_id
        self.server = server
        self.tool = tool
        self.description = tool.description or tool.title or f"The tool {tool.name} of the MCP server {server.name}."
        self.timeout = server.timeout_seconds + START_SECONDS
        self.changes = changes(tool, accepted)
        self.is_new = accepted is None

    def schema(self, offer: OfferContext) -> Mapping[str, Any]:
        return self.tool.schema

    def read_arguments(self, arguments: Mapping[str, Any], ctx: ToolContext) -> McpArguments:
        if found := problems(dict(arguments), dict(self.tool.schema)):
            raise ToolError(explain(self.id, "; ".join(found)))
        return McpArguments(values=dict(arguments))

    async def needs(self, args: McpArguments, ctx: ToolContext) -> Sequence[PermissionNeed]:
        owner = await ctx.mcp().consent_of(self.server) if ctx.mcp and self.server.kind == "remote" else None
        return [*([self._need_of_account(owner)] if owner else []), *self.needs_of(args.values)]

    def needs_of(self, arguments: Mapping[str, Any]) -> Sequence[PermissionNeed]:
        """Return the permission needs of a call, except for the consent of the account's owner.

        All arguments lead to the same needs; only the texts that people see differ.
        """
        own = PermissionNeed(self.permission, ("*",), ("*",), {"title": self._title, "mcp": self._shown(arguments)})
        return [self._need_of_change(), own] if self.changes else [own]

    async def run(self, args: McpArguments, ctx: ToolContext) -> ToolResult:
        if ctx.mcp is None:
            raise ToolError("MCP servers cannot be reached here.")

        def report(done: float, total: float | None, message: str) -> None:
            share = f"{done:g} of {total:g}" if total else f"{done:g}"
            ctx.progress(title=f"{self._title}: {first_line(message) or share}")

        answer = await ctx.mcp().call(self.server, self.tool, args.values, report)
        found = await read_answer(answer, ctx.files())
        shown: dict[str, Any] = {"server": self.server.name, "tool": self.tool.name}
        if found.structured is not None:
            shown["structured"] = shown_structure(found.structured)
        if found.links:
            shown["links"] = found.links
        return ToolResult(
            f"Called {self.tool.title or self.tool.name} of {self.server.name}",
            found.output,
            {"mcp": shown},
            attachments=found.attachments,
        )

    @property
    def _title(self) -> str:
        return f"Call {self.tool.title or self.tool.name} of {self.server.name}"

    def _shown(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the details of a call that people see in the permission request."""
        return {
            "server": self.server.name,
            "server_id": self.server.id,
            "kind": self.server.kind,
            "tool": self.tool.name,
            "description": _cut(self.tool.description),
            "hints": dict(self.tool.hints),
            "arguments": _cut(json.dumps(arguments, indent=2, ensure_ascii=False)),
        }

    def _need_of_account(self, owner: AccountOwner) -> PermissionNeed:
        shown = {"server": self.server.name, "person": owner.name, "person_id": owner.id}
        title = f"Use the account of {owner.name} at {self.server.name}"
        return PermissionNeed(ACCOUNT, (f"{self.server.name} {owner.id}",), (), {"title": title, "account": shown})

    def _need_of_change(self) -> PermissionNeed:
        what = "is new at" if self.is_new else "was changed by"
        pattern = f"{self.id} {self.tool.digest}"
        shown = {
            "server": self.server.name,
            "tool": self.tool.name,
            "new": self.is_new,
            "changes": {
                name: {side: _cut(as_text(value)) for side, value in sides.items()}
                for name, sides in self.changes.items()
            },
        }
        title = f"Use {self.tool.name}, which {what} the server {self.server.name}"
        return PermissionNeed(CHANGED_TOOL, (pattern,), (pattern,), {"title": title, "changed_tool": shown})


def _cut(text: str) -> str:
    return text if len(text) <= MAX_SHOWN_CHARACTERS else f"{text[:MAX_SHOWN_CHARACTERS]}…"
