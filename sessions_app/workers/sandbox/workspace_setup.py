"""Make a workspace ready: start its container, put the project's files in place, and read its instruction files. Also
end calls in it."""

import uuid
from dataclasses import replace
from typing import Final

import structlog

from agentsite.base.background import background
from sandbox.errors import LimitReached, SandboxError, SandboxRefused
from sandbox.ports import WORKSPACE_ROOT, RealPath, Runtime
from sessions_app.actions.workspaces import claim_workspace, fail_waiting_turns, report_workspace, wake_turns
from sessions_app.models import ToolCall, Workspace
from sessions_app.workers.sandbox.container_start import StartedContainer, ensure_container, record_failed, record_ready
from sessions_app.workers.sandbox.deployment import workspace_locks
from sessions_app.workers.sandbox.images import note_wanted_image
from sessions_app.workers.sandbox.project_files import refresh_project_files
from sessions_app.workers.sandbox.repository import CloneFailed
from sessions_app.workers.sandbox.restore import delete_old_files, restore_or_seed
from sessions_app.workers.sandbox.setup_results import reuse_result
from sessions_app.workers.sandbox.tool_call import abort_in_sandbox
from sessions_app.workers.sandbox.workspace_markers import write_marker
from tools_app.wanted_images import find_wanted_image

INSTRUCTION_FILES: Final = ("AGENTS.md", "CLAUDE.md", "CONTEXT.md")
INSTRUCTION_LIMIT: Final = 32_768  # bytes of one file

ENGINE_HINT: Final = "Nothing is lost. When the sandbox engine runs again, send the message again."

logger = structlog.get_logger(__name__)


def prepare(workspace_id: uuid.UUID, *, node: str) -> None:
    """Make the workspace ready, then continue the turns that wait for it."""
    with workspace_locks[workspace_id]:
        workspace = claim_workspace(workspace_id, node=node)
        if workspace is None or workspace.state == Workspace.State.REMOVING:
            return
        if workspace.state != Workspace.State.RUNNING:
            report_workspace(workspace_id, state=Workspace.State.STARTING)
        try:
            started = make_ready(workspace)
        except SandboxError as error:
            refuse(workspace, error)
            return
        record_ready(workspace, started)
        wake_turns(workspace_id)


def make_ready(workspace: Workspace) -> StartedContainer:
    """Start the container, put the files in place and read the instructions. The caller holds the workspace's lock.
    Raises SandboxError."""
    delete_old_files(workspace)
    started = ensure_container(workspace)
    runtime = started.runtime
    if not workspace.seeded:
        restore_or_seed(workspace, runtime)
    started = _with_wanted_image(workspace, started)
    runtime = started.runtime
    instructions = background.run(_read_instructions(runtime))
    if instructions != workspace.instructions:
        Workspace.objects.filter(pk=workspace.pk).update(instructions=instructions)
    refresh_project_files(workspace, runtime, starting=True)
    if workspace.setup and not workspace.seeded:
        reuse_result(workspace, runtime)
    write_marker(workspace.public_id, workspace.generation)
    return started


def _with_wanted_image(workspace: Workspace, started: StartedContainer) -> StartedContainer:
    """Store which image the repository asks for. In a new workspace, replace the container if that is another one: the
    first container was needed to put the files in place."""
    before = workspace.wanted_image
    note_wanted_image(workspace, background.run(find_wanted_image(started.runtime)))
    if workspace.seeded or workspace.wanted_image.get("name", "") == before.get("name", ""):
        return started
    again = ensure_container(workspace)
    return replace(again, seconds=(started.seconds or 0.0) + (again.seconds or 0.0))


def refuse(workspace: Workspace, error: SandboxError) -> None:
    """Store why the workspace cannot be made ready, and end the turns that wait for it."""
    logger.warning("workspace_failed", workspace=workspace.public_id, code=error.code, error=error.message)
    record_failed(workspace.id, error)
    if workspace.seeded:  # no turn waits for it: every call tries to reach it again
        return
    hint = error.hint if isinstance(error, CloneFailed) else ENGINE_HINT
    fail_waiting_turns(workspace.id, error={"code": error.code, "message": error.message, "hint": hint})


async def _read_instructions(runtime: Runtime) -> list[dict[str, str]]:
    """Return the workspace's instruction files of the first kind that exists.

    Links are skipped: a link could lead to a file that needs permission, or to nothing, and neither must keep the
    workspace from starting.
    """
    for name in INSTRUCTION_FILES:
        try:
            content = await runtime.read(RealPath(f"{WORKSPACE_ROOT}/{name}"), limit=INSTRUCTION_LIMIT)
        except (SandboxRefused, LimitReached):
            continue
        return [{"path": name, "text": content.content.decode("utf-8", "replace").replace("\0", "")}]
    return []


def end_call(call_id: uuid.UUID, *, node: str) -> None:
    """End the processes of a call that a person stopped."""
    call = ToolCall.objects.select_related("session").filter(pk=call_id).first()
    workspace = claim_workspace(call.session.workspace_id, node=node) if call else None
    if call is not None and workspace is not None:
        abort_in_sandbox(workspace, call.public_id)
