"""The `bash_output` tool: read the output of a background command."""

from typing import Literal

from pydantic import Field

from sandbox.ports import BackgroundCall, BackgroundOutput
from tools_app.background_calls import HandleArguments, peek_own
from tools_app.description import description_beside
from tools_app.spec import PermissionNeed, Tool, ToolContext, ToolResult
from tools_app.text import first_line


class BashOutputArguments(HandleArguments):
    after: int = Field(default=0, ge=0, description="The position to read from, as the last result gave it.")


class BashOutputTool(Tool[BashOutputArguments]):
    id = "bash_output"
    permission = "bash_output"
    parameters = BashOutputArguments
    description = description_beside(__file__)
    keep: Literal["head", "tail"] = "tail"

    async def needs(self, args: BashOutputArguments, ctx: ToolContext) -> list[PermissionNeed]:
        title = "Read the output of a command in the background"
        return [PermissionNeed("bash_output", ("*",), ("*",), {"title": title})]

    async def run(self, args: BashOutputArguments, ctx: ToolContext) -> ToolResult:
        found = await peek_own(ctx, args.handle, after=args.after)
        call = found.call
        return ToolResult(
            f"Read the output of {first_line(call.command)}",
            "\n\n".join(filter(None, [_text_of(found, args.after), *_limits_of(call), _state_of(found)])),
            {"handle": call.call_id, "running": call.is_running, "end": call.end, "next": found.next},
        )


def _text_of(found: BackgroundOutput, after: int) -> str:
    text = found.output.decode("utf-8", "replace").rstrip("\n") or "(no new output)"
    missing = found.start - after
    return f"({missing:,} bytes before this were not kept.)\n{text}" if missing > 0 else text


def _limits_of(call: BackgroundCall) -> list[str]:
    return [f"({hit.message})" for hit in call.limits]


def _state_of(found: BackgroundOutput) -> str:
    call = found.call
    if call.is_running:
        return f"(It is running, for {call.seconds_left:,.0f} s at most. Read on from position {found.next}.)"
    if call.end == "lost":
        return "(The sandbox stopped, and the command was ended with it.)"
    how = {"timeout": "its time limit passed", "aborted": "it was stopped", "flooded": "its output was too large"}
    why = how.get(call.end, f"exit code {call.exit_code}")
    rest = "" if found.next >= call.output_bytes else f" Read on from position {found.next}."
    return f"(It has ended after {call.duration:,.0f} s: {why}.{rest})"
