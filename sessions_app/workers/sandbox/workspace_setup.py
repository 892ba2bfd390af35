"""Make a workspace ready: start its container, put the project's files in place, and read its instruction files. Also
end the processes of stopped calls."""

import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

import structlog

from agentsite.base.background import background
from sandbox.errors import SandboxError
from sandbox.ports import Runtime
from sessions_app.actions.revert_outcomes import fail_waiting_reverts
from sessions_app.actions.reverts import wake_reverts
from sessions_app.actions.workspaces import claim_workspace, fail_waiting_turns, report_workspace, wake_turns
from sessions_app.models import ToolCall, Workspace
from sessions_app.queueing import enqueue_mcp_refresh
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

ENGINE_HINT: Final = "Nothing is lost. When the sandbox engine runs again, send the message again."

logger = structlog.get_logger(__name__)


def prepare(workspace_id: uuid.UUID, *, node: str) -> None:
    """Start the workspace's container with its files in place, then continue the turns and reverts that wait for the
    workspace."""
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
        wake_reverts(workspace_id)
        wake_turns(workspace_id)
        enqueue_mcp_refresh(workspace_id, node=node)


def make_ready(workspace: Workspace) -> StartedContainer:
    """Start a workspace's container, put the project's files in place and read the instruction files. The caller holds
    the workspace's lock. Raises SandboxError."""
    steps: dict[str, float] = {}
    with _timed(steps, "container"):
        delete_old_files(workspace)
        started = ensure_container(workspace)
    if not workspace.seeded:
        with _timed(steps, "files"):
            restore_or_seed(workspace, started.runtime)
    with _timed(steps, "configuration"):
        started = _with_wanted_image(workspace, started)
        _read_configuration(workspace, started.runtime)
    if workspace.setup and not workspace.seeded:
        with _timed(steps, "setup result"):
            reuse_result(workspace, started.runtime)
    write_marker(workspace.public_id, workspace.generation)
    return replace(started, steps=steps)


@contextmanager
def _timed(steps: dict[str, float], name: str) -> Iterator[None]:
    began = time.monotonic()
    yield
    steps[name] = time.monotonic() - began


def _read_configuration(workspace: Workspace, runtime: Runtime) -> None:
    refresh_project_files(workspace, runtime, starting=True)


def _with_wanted_image(workspace: Workspace, started: StartedContainer) -> StartedContainer:
    """Store the name of the image that the repository requests. If the workspace is new and did not request this image
    before, create its container again with the image."""
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
    fail_waiting_reverts(workspace.id, error=error.message)
    fail_waiting_turns(workspace.id, error={"code": error.code, "message": error.message, "hint": hint})


def end_call(call_id: uuid.UUID, *, node: str) -> None:
    """End the processes of a call that a person stopped."""
    call = ToolCall.objects.select_related("session").filter(pk=call_id).first()
    workspace = claim_workspace(call.session.workspace_id, node=node) if call else None
    if call is not None and workspace is not None:
        abort_in_sandbox(workspace, call.public_id)
