"""The `interactive` tool: drive a program in a terminal that belongs to the session."""

import asyncio
import uuid
from collections.abc import Mapping
from typing import Final, Literal

from pydantic import Field, field_validator, model_validator

from sandbox.errors import SandboxRefused
from sandbox.terminals import TerminalEnded, TerminalInfo, TerminalPiece, TerminalRequest
from tools_app.arguments import ToolArguments, needs_of_outside
from tools_app.builtin.bash import judged_text, require_folder
from tools_app.command_needs import CommandText, needs_of_command
from tools_app.description import description_beside
from tools_app.interactive_needs import needs_of_start, needs_of_typing, plain_need
from tools_app.screens import MAX_COLUMNS, MAX_ROWS, draw_screen
from tools_app.spec import PermissionNeed, Tool, ToolContext, ToolError, ToolResult
from tools_app.terminal_keys import UnknownKey, bytes_of_key, typed
from tools_app.text import first_line

MAX_RUNNING: Final = 3  # terminals of a session
MAX_SECONDS: Final = 3600.0
MAX_COMMAND_CHARACTERS: Final = 4_000
MAX_TEXT_CHARACTERS: Final = 16_000
MAX_KEYS: Final = 100
QUIET_SECONDS: Final = 0.3
DEFAULT_WAIT_MS: Final = 2_000
MAX_WAIT_MS: Final = 30_000
_IDS: Final = uuid.UUID("5f2a3f0e-7f0b-4a55-9d0e-8a4bb1f2c6d1")

Action = Literal["start", "type", "screen", "resize", "stop"]
_WANTED: Final[Mapping[str, tuple[str, ...]]] = {
    "start": ("command",),
    "type": ("terminal",),
    "screen": ("terminal",),
    "resize": ("terminal", "rows", "columns"),
    "stop": ("terminal",),
}
_ALLOWED: Final[Mapping[str, tuple[str, ...]]] = {
    "start": ("command", "workdir", "rows", "columns", "wait"),
    "type": ("terminal", "text", "keys", "wait"),
    "screen": ("terminal", "wait"),
    "resize": ("terminal", "rows", "columns", "wait"),
    "stop": ("terminal",),
}


class InteractiveArguments(ToolArguments):
    action: Action = Field(description="What to do.")
    terminal: str | None = Field(default=None, description="The name of the terminal, as `start` gave it.")
    command: str | None = Field(
        default=None, min_length=1, max_length=MAX_COMMAND_CHARACTERS, description="For `start`: the command to run."
    )
    workdir: str | None = Field(
        default=None, description="For `start`: the folder to run in. Default: the session's folder."
    )
    text: str | None = Field(default=None, max_length=MAX_TEXT_CHARACTERS, description="For `type`: the text to type.")
    keys: list[str] | None = Field(
        default=None,
        max_length=MAX_KEYS,
        description="For `type`: keys to press after the text: Enter, Tab, Escape, Space, Backspace, Delete, Up, Down, "
        "Left, Right, Home, End, PageUp, PageDown, F1 to F12, Ctrl-a to Ctrl-z, Alt- with a character.",
    )
    rows: int | None = Field(default=None, ge=2, le=MAX_ROWS, description="Lines of the screen. Default: 24.")
    columns: int | None = Field(default=None, ge=20, le=MAX_COLUMNS, description="Columns of the screen. Default: 80.")
    wait: int | None = Field(
        default=None,
        ge=0,
        le=MAX_WAIT_MS,
        description=f"Milliseconds to wait for output at most. Default: {DEFAULT_WAIT_MS}.",
    )

    @field_validator("text")
    @classmethod
    def _has_no_control_characters(cls, text: str | None) -> str | None:
        if text and any(not each.isprintable() and each not in "\r\n\t" for each in text):
            raise ValueError('The text has control characters. Name such keys in `keys`, as in ["Ctrl-c"].')
        return text

    @field_validator("keys")
    @classmethod
    def _are_known(cls, keys: list[str] | None) -> list[str] | None:
        for key in keys or ():
            try:
                bytes_of_key(key)
            except UnknownKey as error:
                raise ValueError(str(error)) from error
        return keys

    @model_validator(mode="after")
    def _fits_the_action(self) -> "InteractiveArguments":
        given = {name for name in type(self).model_fields if getattr(self, name) is not None} - {"action"}
        if missing := [name for name in _WANTED[self.action] if name not in given]:
            raise ValueError(f"`{self.action}` needs {' and '.join(f'`{name}`' for name in missing)}.")
        if extra := sorted(given - set(_ALLOWED[self.action])):
            raise ValueError(f"`{self.action}` takes no {' and no '.join(f'`{name}`' for name in extra)}.")
        if self.action == "type" and not self.text and not self.keys:
            raise ValueError("`type` needs `text` or `keys`.")
        return self


class InteractiveTool(Tool[InteractiveArguments]):
    id = "interactive"
    permission = "interactive"
    parameters = InteractiveArguments
    description = description_beside(__file__)
    timeout: float | None = 90.0

    async def needs(self, args: InteractiveArguments, ctx: ToolContext) -> list[PermissionNeed]:
        if args.action == "start":
            return await _needs_of_start(args, ctx)
        terminal = await _own(ctx, args.terminal or "")
        if args.action == "type":
            return await needs_of_typing(terminal.command, args.text or "", args.keys or (), ctx)
        return [plain_need(args.action, terminal.command)]

    async def run(self, args: InteractiveArguments, ctx: ToolContext) -> ToolResult:
        seconds = (DEFAULT_WAIT_MS if args.wait is None else args.wait) / 1000
        if args.action == "start":
            terminal = await _start(args, ctx)
            await _settle(ctx, terminal.terminal_id, 0, seconds)
            return await _shown(ctx, terminal.terminal_id, "Started")
        terminal = await _own(ctx, args.terminal or "")
        match args.action:
            case "stop":
                return await _stop(ctx, terminal)
            case "resize":
                await ctx.runtime.resize_terminal(terminal.terminal_id, args.rows or 24, args.columns or 80)
            case "type":
                await _type(args, ctx, terminal)
        after = terminal.total
        if args.action != "screen" or args.wait:
            await _settle(ctx, terminal.terminal_id, after, seconds)
        verbs = {"type": "Typed into", "resize": "Resized"}
        return await _shown(ctx, terminal.terminal_id, verbs.get(args.action, "Looked at"))


async def _needs_of_start(args: InteractiveArguments, ctx: ToolContext) -> list[PermissionNeed]:
    """Return the permissions that the command needs in `bash`, and the permission to start a terminal."""
    command = args.command or ""
    target = await args.resolve(args.workdir or ctx.folder, ctx.runtime)
    title = f"Run in a terminal: {first_line(command)}"
    given = CommandText(command, judged_text(command, target), target.real)
    needs = await needs_of_command(given, ctx, title=title, path=target.shown)
    return [*needs_of_outside(target, title=title), *needs_of_start(command, title), *needs]


async def _start(args: InteractiveArguments, ctx: ToolContext) -> TerminalInfo:
    """Start a terminal. It is named after the call, so that a repeated call finds the terminal that it has already
    started."""
    command = args.command or ""
    target = await args.resolve(args.workdir or ctx.folder, ctx.runtime)
    require_folder(target)
    terminal_id = f"trm_{uuid.uuid5(_IDS, ctx.call_id).hex}"
    running = [each for each in await _own_terminals(ctx) if not each.end]
    if len(running) >= MAX_RUNNING and terminal_id not in {each.terminal_id for each in running}:
        raise ToolError(
            f"{MAX_RUNNING} terminals of this session run already: "
            f"{', '.join(f'{each.terminal_id} ({first_line(each.command)})' for each in running)}. Stop one first."
        )
    found = await ctx.runtime.start_terminal(
        TerminalRequest(
            terminal_id,
            args.rows or 24,
            args.columns or 80,
            label={"session": ctx.session_id},
            env=await _variables(ctx),
            command=command,
            folder=target.real,
            seconds=MAX_SECONDS,
        )
    )
    if found.command != command:  # a container from before an update starts a shell instead
        await ctx.runtime.end_terminal(terminal_id)
        raise ToolError("This workspace's container is too old for this tool. Restart the workspace, then try again.")
    return found


async def _variables(ctx: ToolContext) -> dict[str, str]:
    """Return the environment variables that commands get, except variables with secrets: people can type into the
    terminal and could print them."""
    given = await ctx.variables()
    return {name: value for name, value in given.items() if ctx.masks.mask(value) == value}


async def _type(args: InteractiveArguments, ctx: ToolContext, terminal: TerminalInfo) -> None:
    """Type the text and the keys into the terminal. A repeated call types nothing more."""
    data = typed(args.text or "", args.keys or ())
    try:
        await ctx.runtime.type_terminal(terminal.terminal_id, data, input_id=ctx.call_id)
    except SandboxRefused as error:
        raise ToolError(f"{error.message} Start it again if you need it.") from error


async def _stop(ctx: ToolContext, terminal: TerminalInfo) -> ToolResult:
    await ctx.runtime.end_terminal(terminal.terminal_id)
    output = "It had already ended." if terminal.end else "It was stopped, with everything it had started."
    return ToolResult(f"Stopped {first_line(terminal.command)}", output, {"terminal": terminal.terminal_id})


async def _settle(ctx: ToolContext, terminal_id: str, after: int, seconds: float) -> None:
    """Wait until the terminal has printed something and is quiet for a moment, until its program has ended, or until
    `seconds` have passed."""
    connection = await ctx.runtime.attach_terminal(terminal_id, after=after)
    printed = False
    try:
        async with asyncio.timeout(seconds):
            while True:
                try:
                    event = await asyncio.wait_for(connection.receive(), QUIET_SECONDS if printed else None)
                except TimeoutError:
                    return
                match event:
                    case TerminalEnded():
                        return
                    case TerminalPiece(data=data):
                        printed = printed or bool(data)
                        await connection.acknowledge()
    except TimeoutError:
        return
    finally:
        connection.close()


async def _shown(ctx: ToolContext, terminal_id: str, verb: str) -> ToolResult:
    """Return the terminal's screen as the result of a call."""
    terminal, output = await ctx.runtime.terminal_screen(terminal_id)
    screen = await asyncio.to_thread(draw_screen, output, terminal.rows, terminal.columns)
    lines = "\n".join(screen.lines).rstrip("\n") or "(The screen is empty.)"
    size = f"{terminal.rows} rows, {terminal.columns} columns, cursor in row {screen.row}, column {screen.column}"
    notes = [] if screen.complete else ["(Drawing took too long: the screen is not up to date.)"]
    return ToolResult(
        f"{verb} {first_line(terminal.command)}",
        "\n\n".join([lines, f"(Terminal {terminal_id}: {size}.)", *notes, _state_of(terminal)]),
        {
            "terminal": terminal_id,
            "running": not terminal.end,
            **({"exit_code": terminal.exit_code} if terminal.end else {}),
        },
    )


def _state_of(terminal: TerminalInfo) -> str:
    if not terminal.end:
        return "(The program is running.)"
    how = {"timeout": "it reached its time limit of one hour", "closed": "it was closed"}
    return f"(The program has ended: {how.get(terminal.end, f'exit code {terminal.exit_code}')}.)"


async def _own_terminals(ctx: ToolContext) -> list[TerminalInfo]:
    """Return the terminals that agents started in this session. Terminals of people are left out, because no rule
    decides about the input that people type into them."""
    found = await ctx.runtime.terminals()
    return [each for each in found if each.command and each.label.get("session") == ctx.session_id]


async def _own(ctx: ToolContext, terminal_id: str) -> TerminalInfo:
    for each in await _own_terminals(ctx):
        if each.terminal_id == terminal_id:
            return each
    raise ToolError(
        f"This session has no terminal {terminal_id} that you started. It may have ended with its container. "
        "Start the program again."
    )
