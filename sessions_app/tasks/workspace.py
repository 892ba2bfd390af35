"""What the sandbox worker does for a workspace as a whole: make it ready, answer about it, stop it, tidy its node."""

import threading
import uuid
from collections import defaultdict
from dataclasses import asdict
from datetime import timedelta
from typing import Any, Final

import structlog
from channels.layers import get_channel_layer
from django.utils import timezone

from agentsite.background import background
from sandbox.errors import LimitReached, NotFound, SandboxError, SandboxRefused
from sandbox.ports import WORKSPACE_ROOT, FileDiff, RealPath, Runtime, SandboxState
from sessions_app.actions.workspaces import claim_workspace, fail_waiting_turns, report_workspace, wake_turns
from sessions_app.judgements import MOST_NEEDS, compact_need, loses_something
from sessions_app.models import ToolCall, Turn, Workspace
from sessions_app.tasks.call import abort_in_sandbox
from sessions_app.tasks.node import deployment, runtime_of
from sessions_app.tasks.project_files import refresh_project_files
from sessions_app.tasks.reaping import reap_leftovers
from sessions_app.tasks.seeding import seed_workspace
from tools_app.policies.imagined import needs_of_call
from tools_app.spec import ToolError
from tools_app.text import clean_value

INSTRUCTION_FILES: Final = ("AGENTS.md", "CLAUDE.md", "CONTEXT.md")
INSTRUCTION_LIMIT: Final = 32_768  # bytes of one file
DIFF_LIMIT: Final = 2_000_000  # characters of patches in one answer
IDLE: Final = timedelta(minutes=30)

logger = structlog.get_logger(__name__)
_preparing: defaultdict[uuid.UUID, threading.Lock] = defaultdict(threading.Lock)


def prepare(workspace_id: uuid.UUID, *, node: str) -> None:
    """Container up, the project's files in place, instructions read; then the turns that waited go on."""
    with _preparing[workspace_id]:
        workspace = claim_workspace(workspace_id, node=node)
        if workspace is None:
            return
        if workspace.state != Workspace.State.RUNNING:
            report_workspace(workspace_id, state=Workspace.State.STARTING)
        try:
            _make_ready(workspace)
        except SandboxError as error:
            _not_ready(workspace, error)
            return
        if workspace.state != Workspace.State.RUNNING or not workspace.seeded:
            report_workspace(workspace_id, state=Workspace.State.RUNNING, seeded=True)
        wake_turns(workspace_id)


def _make_ready(workspace: Workspace) -> None:
    runtime = runtime_of(workspace)
    if not workspace.seeded:
        background.run(seed_workspace(runtime, workspace_id=workspace.public_id, template=workspace.project.template))
    instructions = background.run(_read_instructions(runtime))
    if instructions != workspace.instructions:
        Workspace.objects.filter(pk=workspace.pk).update(instructions=instructions)
    refresh_project_files(workspace, runtime)


def _not_ready(workspace: Workspace, error: SandboxError) -> None:
    logger.warning("workspace_failed", workspace=workspace.public_id, code=error.code, error=error.message)
    report_workspace(workspace.id, state=Workspace.State.FAILED, detail=error.message)
    if workspace.seeded:  # no turn waits for it: calls try for themselves
        return
    hint = "Nothing is lost. When the sandbox engine runs again, send the message again."
    fail_waiting_turns(workspace.id, error={"code": error.code, "message": error.message, "hint": hint})


async def _read_instructions(runtime: Runtime) -> list[dict[str, str]]:
    """The first kind of instruction file that the workspace has. A link is none: it could lead to what must be asked
    for first, or lead nowhere, and neither must keep the workspace from starting."""
    for name in INSTRUCTION_FILES:
        try:
            content = await runtime.read(RealPath(f"{WORKSPACE_ROOT}/{name}"), limit=INSTRUCTION_LIMIT)
        except (SandboxRefused, LimitReached):
            continue
        return [{"path": name, "text": content.content.decode("utf-8", "replace").replace("\0", "")}]
    return []


def stop(workspace_id: uuid.UUID, *, node: str) -> None:
    """Stop the container unless a call runs in it."""
    workspace = claim_workspace(workspace_id, node=node)
    if workspace is None or _is_busy(workspace):
        return
    background.run(deployment().stop(workspace.public_id))
    report_workspace(workspace.id, state=Workspace.State.STOPPED)


def _is_busy(workspace: Workspace) -> bool:
    running = ToolCall.objects.filter(session__workspace=workspace, state=ToolCall.State.RUNNING)
    return running.exists()


def end_call(call_id: uuid.UUID, *, node: str) -> None:
    """A person stopped the call: end its processes."""
    call = ToolCall.objects.select_related("session").filter(pk=call_id).first()
    workspace = claim_workspace(call.session.workspace_id, node=node) if call else None
    if call is not None and workspace is not None:
        abort_in_sandbox(workspace, call.public_id)


def answer_query(workspace_id: uuid.UUID, question: dict[str, Any], reply_to: str, *, node: str) -> None:
    """Answer the web tier on its private channel: {"ok": ...} or {"error": {code, message}}."""
    workspace = claim_workspace(workspace_id, node=node)
    if workspace is None:
        return
    try:
        answer = {"ok": background.run(_answer(runtime_of(workspace), question))}
    except SandboxError as error:
        answer = {"error": {"code": error.code, "message": error.message}}
    background.run(get_channel_layer().send(reply_to, {"type": "workspace.answer", **answer}))


async def _answer(runtime: Runtime, question: dict[str, Any]) -> Any:
    match question:
        case {"kind": "diff", "base": base}:
            return _bounded(list(await runtime.diff(base)))
        case {"kind": "needs", "tool": tool, "arguments": arguments, "agent": agent}:
            return await _needs(runtime, tool, arguments, agent)
    raise NotFound(f"There is no question '{question.get('kind')}'.")


async def _needs(runtime: Runtime, tool: str, arguments: str, agent: str) -> dict[str, Any]:
    """What such a call would need now: {needs}, or {problem} when it means nothing to the tool."""
    try:
        needs = await needs_of_call(tool, arguments, runtime=runtime, agent=agent)
    except ToolError as error:
        return {"problem": error.message}
    if len(needs) > MOST_NEEDS or any(map(loses_something, needs)):
        return {"problem": "It needs more at once than can be explained. Ask about parts of it."}
    return {"needs": [compact_need(need) for need in needs]}


def _bounded(files: list[FileDiff]) -> list[dict[str, Any]]:
    """Patches beyond the limit are left out; their counts stay."""
    room = DIFF_LIMIT
    answer = []
    for file in files:
        room -= len(file.patch)
        answer.append(clean_value(asdict(file)) | ({} if room >= 0 else {"patch": ""}))
    return answer


def tend(node: str) -> None:
    """Remove containers that no workspace knows, stop idle ones, and keep the rows' states true."""
    reap_leftovers(node)
    states = {status.workspace_id: status.state for status in background.run(deployment().list())}
    for workspace in Workspace.objects.filter(node=node, state=Workspace.State.RUNNING):
        if states.get(workspace.public_id) != SandboxState.RUNNING:
            report_workspace(workspace.id, state=Workspace.State.STOPPED)
        elif _is_idle(workspace):
            stop(workspace.id, node=node)


def _is_idle(workspace: Workspace) -> bool:
    since = timezone.now() - IDLE
    recent = ToolCall.objects.filter(session__workspace=workspace, moved_at__gt=since)
    working = Turn.objects.filter(session__workspace=workspace, state__in=(Turn.State.QUEUED, Turn.State.RUNNING))
    return workspace.last_used_at < since and not recent.exists() and not working.exists()
