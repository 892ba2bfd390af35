"""Access to background commands by their handles, limited to commands of the same session."""

from pydantic import Field

from sandbox.errors import NotFound
from sandbox.ports import BackgroundOutput
from tools_app.arguments import ToolArguments
from tools_app.spec import ToolContext, ToolError


class HandleArguments(ToolArguments):
    handle: str = Field(min_length=1, max_length=200, description="The handle that `bash` returned for `background`.")


async def peek_own(ctx: ToolContext, handle: str, *, after: int = 0) -> BackgroundOutput:
    """Return the state of a background command and its output from position `after`.

    Raises ToolError for an unknown handle. A command of another session counts as unknown.
    """
    unknown = f"This session has no background command with the handle {handle}. Use a handle that `bash` returned."
    try:
        found = await ctx.runtime.peek(handle, after=after)
    except NotFound as error:
        raise ToolError(unknown) from error
    if found.call.owner != ctx.session_id:
        raise ToolError(unknown)
    return found
