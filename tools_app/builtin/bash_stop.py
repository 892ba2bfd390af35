"""The `bash_stop` tool: stop a background command."""

from tools_app.background_calls import HandleArguments, peek_own
from tools_app.description import description_beside
from tools_app.spec import PermissionNeed, Tool, ToolContext, ToolResult
from tools_app.text import first_line


class BashStopArguments(HandleArguments):
    pass


class BashStopTool(Tool[BashStopArguments]):
    id = "bash_stop"
    permission = "bash_stop"
    parameters = BashStopArguments
    description = description_beside(__file__)

    async def needs(self, args: BashStopArguments, ctx: ToolContext) -> list[PermissionNeed]:
        return [PermissionNeed("bash_stop", ("*",), ("*",), {"title": "Stop a command in the background"})]

    async def run(self, args: BashStopArguments, ctx: ToolContext) -> ToolResult:
        """Stop a background command of this session."""
        call = (await peek_own(ctx, args.handle)).call
        stopped = await ctx.runtime.abort(call.call_id)
        output = "It was stopped, with everything it had started." if stopped else "It had already ended."
        return ToolResult(f"Stopped {first_line(call.command)}", output, {"handle": call.call_id, "stopped": stopped})
