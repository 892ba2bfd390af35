"""Terminals of workspaces for people: list, open and close them, and connect a web server to one."""

from collections.abc import Mapping
from typing import Any

from asgiref.sync import sync_to_async

from sandbox.errors import SandboxError
from sandbox.ports import Runtime
from sandbox.terminals import TerminalInfo, TerminalRequest
from sessions_app.models import Workspace
from sessions_app.queries.questions import (
    AttachTerminalQuestion,
    CloseTerminalQuestion,
    ListTerminalsQuestion,
    OpenTerminalQuestion,
    TerminalQuestion,
)
from sessions_app.variables.given import masks_of, plain_variables
from sessions_app.workers.sandbox.bridges import bridges_layer
from sessions_app.workers.sandbox.services import services_for_commands
from sessions_app.workers.sandbox.terminal_bridge import TerminalBridge


async def answer_about_terminals(workspace: Workspace, runtime: Runtime, question: TerminalQuestion) -> Any:
    """Answer a request about terminals: list, open, close or attach. Raises SandboxError."""
    match question:
        case ListTerminalsQuestion(session=session):
            return [as_fields(each) for each in await runtime.terminals() if each.label.get("session") == session]
        case OpenTerminalQuestion():
            return as_fields(await _open(workspace, runtime, question))
        case CloseTerminalQuestion(terminal=""):
            return await close_all(runtime)
        case CloseTerminalQuestion():
            found = await find_terminal(runtime, question.session, question.terminal)
            return found is not None and await runtime.end_terminal(question.terminal)
        case AttachTerminalQuestion():
            return await _attach(workspace, runtime, question)


async def close_all(runtime: Runtime) -> int:
    """End all terminals that people opened in the workspace, and return their number. Terminals of agents stay, because
    rules judge their input."""
    found = [each for each in await runtime.terminals() if not each.command]
    for each in found:
        await runtime.end_terminal(each.terminal_id)
    return len(found)


async def find_terminal(runtime: Runtime, session: str, terminal_id: str) -> TerminalInfo | None:
    """Return a terminal that was opened in the session, None if there is none."""
    for each in await runtime.terminals():
        if each.terminal_id == terminal_id and each.label.get("session") == session:
            return each
    return None


def as_fields(terminal: TerminalInfo) -> dict[str, Any]:
    """Return those fields of a terminal that the API shows."""
    return {
        "id": terminal.terminal_id,
        "opened_by": terminal.label.get("opened_by", ""),
        "command": terminal.command,
        "rows": terminal.rows,
        "columns": terminal.columns,
        "started_at": terminal.started_at,
        "input_at": terminal.input_at,
        "end": terminal.end,
        "exit_code": terminal.exit_code,
        "watchers": terminal.watchers,
        "busy": terminal.is_busy,
    }


async def _open(workspace: Workspace, runtime: Runtime, question: OpenTerminalQuestion) -> TerminalInfo:
    variables = await sync_to_async(_variables_of, thread_sensitive=False)(workspace)
    try:
        services: Mapping[str, str] = await services_for_commands(workspace, runtime)
    except SandboxError:  # the terminal itself says what is wrong with the sandbox
        services = {}
    request = TerminalRequest(
        question.terminal,
        question.rows,
        question.columns,
        label={"opened_by": question.person, "session": question.session},
        env={**services, **variables},
    )
    return await runtime.start_terminal(request)


def _variables_of(workspace: Workspace) -> dict[str, str]:
    return plain_variables(team_id=workspace.project.team_id, project_id=workspace.project_id)


async def _attach(workspace: Workspace, runtime: Runtime, question: AttachTerminalQuestion) -> dict[str, str] | None:
    """Connect a web server's channel to a terminal, and return {"input": the channel for the input of people}; None if
    there is no such terminal."""
    if await find_terminal(runtime, question.session, question.terminal) is None:
        return None
    masks = await sync_to_async(masks_of, thread_sensitive=False)(workspace.project)
    connection = await runtime.attach_terminal(question.terminal, after=question.after)
    bridge = TerminalBridge(connection, bridges_layer(), question.channel, masks)
    return {"input": await bridge.begin()}
