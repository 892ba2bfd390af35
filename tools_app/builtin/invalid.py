"""The `invalid` tool: the result of calls that cannot be understood."""

from pydantic import Field

from tools_app.arguments import ToolArguments
from tools_app.description import description_beside
from tools_app.spec import PermissionNeed, Tool, ToolContext, ToolResult


class InvalidArguments(ToolArguments):
    tool: str = Field(description="The tool that was called.")
    error: str = Field(description="What was wrong with the call.")


class InvalidTool(Tool[InvalidArguments]):
    """A tool that stands in for a call that cannot be understood. It does nothing but explain the error to the
    model."""

    id = "invalid"
    permission = ""
    parameters = InvalidArguments
    description = description_beside(__file__)
    offered = False

    async def needs(self, args: InvalidArguments, ctx: ToolContext) -> list[PermissionNeed]:
        return []

    async def run(self, args: InvalidArguments, ctx: ToolContext) -> ToolResult:
        return ToolResult("Refused a call", explain(args.tool, args.error))


def explain(tool: str, error: str) -> str:
    """Return the message that tells the model why its call was not made."""
    return f"The call of `{tool}` was not made: {error}. Rewrite the call so that it fits the tool's parameters."
