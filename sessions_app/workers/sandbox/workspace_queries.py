"""Answer queries of the web processes about a workspace: usage, changes, background calls, the permissions that a call
needs."""

import uuid
from dataclasses import asdict
from typing import Any, Final

from asgiref.sync import sync_to_async

from agentsite.base.background import background
from sandbox.ports import Runtime, SandboxState
from sessions_app.actions.decisions import MAX_NEEDS, compact_need, loses_something
from sessions_app.actions.workspaces import claim_workspace, save_facts
from sessions_app.models import Workspace
from sessions_app.queries.questions import (
    WORKSPACE_QUESTIONS,
    AttachTerminalQuestion,
    BackgroundQuestion,
    CarryPortsQuestion,
    CloseTerminalQuestion,
    CommitQuestion,
    CommitsQuestion,
    DownloadQuestion,
    DraftQuestion,
    FileQuestion,
    GitStateQuestion,
    ListPortsQuestion,
    ListTerminalsQuestion,
    McpCheckQuestion,
    McpCompletionQuestion,
    McpLogQuestion,
    McpPromptQuestion,
    McpTryQuestion,
    NeedsQuestion,
    PackFolderQuestion,
    PieceQuestion,
    PushQuestion,
    RevertQuestion,
    ReviewImageQuestion,
    ReviewLinesQuestion,
    ReviewQuestion,
    TerminalQuestion,
    UpdateQuestion,
    UsageQuestion,
    WorkspaceQuestion,
)
from sessions_app.toolset import project_catalogue
from sessions_app.variables.given import masks_of
from sessions_app.workers.sandbox import deployment as this_node
from sessions_app.workers.sandbox import mcp_questions
from sessions_app.workers.sandbox.downloads import make_download, read_piece
from sessions_app.workers.sandbox.draft_material import read_material
from sessions_app.workers.sandbox.git_commands import run_git
from sessions_app.workers.sandbox.mcp_tries import try_tool
from sessions_app.workers.sandbox.person_files import answer_about_files
from sessions_app.workers.sandbox.port_carrier import answer_about_ports
from sessions_app.workers.sandbox.replies import parse, reply
from sessions_app.workers.sandbox.reverts import preview_revert
from sessions_app.workers.sandbox.reviews import read_review
from sessions_app.workers.sandbox.terminals import answer_about_terminals
from tools_app.policies.dry_run import needs_of_call
from tools_app.registry import Catalogue
from tools_app.spec import ToolError
from tools_app.text import clean_value

SAVE_USAGE_INTERVAL: Final = 10.0  # seconds; pages request it more often than the row must be updated
MAX_BACKGROUND_CALLS: Final = 100
MAX_HANDLE_CHARACTERS: Final = 200
MAX_COMMAND_CHARACTERS: Final = 2_000  # characters of a background call's command
WITHOUT_START: Final = (
    UsageQuestion,
    BackgroundQuestion,
    McpLogQuestion,
    ListTerminalsQuestion,
    AttachTerminalQuestion,
    CloseTerminalQuestion,
    ListPortsQuestion,
    CarryPortsQuestion,
)
"""Queries that never start a workspace: the answer is None if the workspace is not running."""


def answer_query(workspace_id: uuid.UUID, question: dict[str, Any], reply_to: str, *, node: str) -> None:
    workspace = claim_workspace(workspace_id, node=node)
    if workspace is not None:
        reply(reply_to, lambda: _answer(workspace, parse(WORKSPACE_QUESTIONS, question)))


def _answer(workspace: Workspace, question: WorkspaceQuestion) -> Any:
    if isinstance(question, WITHOUT_START) and not _runs(workspace):
        return None
    if isinstance(question, PieceQuestion):
        return read_piece(workspace, question)
    if isinstance(question, McpCheckQuestion | McpLogQuestion | McpPromptQuestion | McpCompletionQuestion):
        return background.run(mcp_questions.answer(question, workspace, this_node.runtime_of(workspace)))
    if isinstance(question, FileQuestion):
        return background.run(_about_files(this_node.runtime_of(workspace), question, workspace))
    if isinstance(question, TerminalQuestion):
        return background.run(answer_about_terminals(workspace, this_node.runtime_of(workspace), question))
    if isinstance(question, ListPortsQuestion | CarryPortsQuestion):
        return background.run(answer_about_ports(this_node.runtime_of(workspace), question))
    if isinstance(question, McpTryQuestion):
        return background.run(try_tool(question, workspace, this_node.runtime_of(workspace)))
    answer = background.run(_ask(this_node.runtime_of(workspace), question, workspace))
    if isinstance(question, UsageQuestion):
        save_usage(workspace, answer)
    return answer


async def _about_files(runtime: Runtime, question: FileQuestion, workspace: Workspace) -> dict[str, Any]:
    if isinstance(question, PackFolderQuestion):
        from sessions_app.workers.sandbox.packed_folders import make_folder_download

        return await make_folder_download(workspace, runtime, question)
    return await answer_about_files(runtime, question)


def _runs(workspace: Workspace) -> bool:
    return background.run(this_node.deployment().poll(workspace.public_id)).state == SandboxState.RUNNING


async def _ask(runtime: Runtime, question: WorkspaceQuestion, workspace: Workspace) -> Any:
    match question:
        case ReviewQuestion() | ReviewImageQuestion() | ReviewLinesQuestion() | CommitsQuestion():
            return await read_review(workspace, runtime, question)
        case RevertQuestion(wanted=wanted):
            return await preview_revert(workspace, runtime, wanted)
        case DownloadQuestion():
            return await make_download(workspace, runtime, question)
        case NeedsQuestion(tool=tool, arguments=arguments, agent=agent):
            tools = await sync_to_async(project_catalogue, thread_sensitive=False)(workspace.project, workspace)
            return await _needs(runtime, tool, arguments, agent, tools)
        case DraftQuestion():
            return await read_material(runtime, question)
        case UsageQuestion():
            return asdict(await runtime.usage())
        case BackgroundQuestion():
            return await _background(runtime)
        case GitStateQuestion() | CommitQuestion() | PushQuestion() | UpdateQuestion():
            masks = await sync_to_async(masks_of, thread_sensitive=False)(workspace.project)
            return masks.mask_value(clean_value(await run_git(runtime, question)))


def save_usage(workspace: Workspace, usage: dict[str, Any]) -> None:
    """Save the newest usage in the workspace's row, at most every ten seconds."""
    if usage["at"] - workspace.usage.get("at", 0.0) >= SAVE_USAGE_INTERVAL:
        save_facts(workspace.id, usage=usage)


async def _background(runtime: Runtime) -> list[dict[str, Any]]:
    return [
        {
            "call_id": clean_value(call.call_id[:MAX_HANDLE_CHARACTERS]),
            "command": clean_value(call.command[:MAX_COMMAND_CHARACTERS]),
            "session_id": clean_value(call.owner[:MAX_HANDLE_CHARACTERS]),
            "started_at": call.started_at,
            "seconds_left": max(0.0, call.seconds_left) if call.is_running else 0.0,
            "running": call.is_running,
            "output_bytes": call.output_bytes,
        }
        for call in (await runtime.background())[-MAX_BACKGROUND_CALLS:]
    ]


async def _needs(runtime: Runtime, tool: str, arguments: str, agent: str, tools: Catalogue) -> dict[str, Any]:
    """Return the permissions that a call of this tool with these arguments would need now, as {needs}; or {problem} if
    the tool does not accept the arguments."""
    try:
        needs = await needs_of_call(tool, arguments, runtime=runtime, agent=agent, tools=tools)
    except ToolError as error:
        return {"problem": error.message}
    if len(needs) > MAX_NEEDS or any(map(loses_something, needs)):
        return {"problem": "The call has too many needs to explain. Ask about parts of it."}
    return {"needs": [compact_need(need) for need in needs]}
