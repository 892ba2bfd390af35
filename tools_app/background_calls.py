"""Commands in the background, as tools see them: by their handle, and only those of the own session."""

from pydantic import Field

from sandbox.errors import NotFound
from sandbox.ports import BackgroundOutput
from tools_app.arguments import ToolArguments
from tools_app.spec import ToolContext, ToolError


class HandleArguments(ToolArguments):
    handle: str = Field(min_length=1, max_length=200, description="As `bash` gave it with `background`.")


async def peek_own(ctx: ToolContext, handle: str, *, after: int = 0) -> BackgroundOutput:
    """Another session's command is as unknown as one that never was."""
    unknown = f"This session has no background command with the handle {handle}. `bash` gives handles."
    try:
        found = await ctx.runtime.peek(handle, after=after)
    except NotFound as error:
        raise ToolError(unknown) from error
    if found.call.owner != ctx.session_id:
        raise ToolError(unknown)
    return found
