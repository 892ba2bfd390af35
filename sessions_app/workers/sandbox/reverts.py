"""Apply reverts in the workspace, through its runner."""

import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any

import structlog
from asgiref.sync import sync_to_async

from agentsite.base.background import background
from agentsite.base.errors import Missing
from sandbox.errors import ProtocolError, SandboxError, SandboxLost, SandboxUnavailable
from sandbox.files import Decision, FileState, RevertResult, WantedRevert
from sandbox.ports import Runtime
from sessions_app.actions.revert_outcomes import fail_revert, finish_revert
from sessions_app.actions.workspaces import claim_workspace
from sessions_app.models import Revert, Workspace
from sessions_app.variables.given import masks_of
from sessions_app.workers.sandbox import deployment as this_node
from sessions_app.workers.sandbox.container_start import restart_container
from tools_app.text import clean_value

logger = structlog.get_logger(__name__)


def apply_revert(revert_id: uuid.UUID, *, node: str) -> None:
    """Apply a pending revert. If the task is delivered twice, the files are changed once, because the runner stores the
    outcome under the revert's id."""
    row = Revert.objects.select_related("session__workspace").filter(pk=revert_id, state=Revert.State.PENDING).first()
    if row is None or not _is_here(row.session.workspace, node):
        return
    with suppress(Missing):
        try:
            result = _revert(row)
        except (SandboxLost, SandboxUnavailable) as error:
            if isinstance(error, ProtocolError):
                fail_revert(row.pk, error.message)
            logger.warning("revert_postponed", revert=row.public_id, error=error.message)
        except SandboxError as error:
            fail_revert(row.pk, error.message)
        else:
            finish_revert(row.pk, result)


def _is_here(workspace: Workspace, node: str) -> bool:
    if not workspace.seeded or workspace.state == Workspace.State.REMOVING:
        return False
    return workspace.node == node or (not workspace.node and claim_workspace(workspace.id, node=node) is not None)


def _revert(row: Revert) -> RevertResult:
    workspace = row.session.workspace
    if workspace.state != Workspace.State.RUNNING:
        restart_container(workspace)
    return background.run(_apply(this_node.runtime_of(workspace), row))


async def _apply(runtime: Runtime, row: Revert) -> RevertResult:
    wanted = wanted_of(row.wanted)
    if not any(item.get("anyway") for item in row.wanted):
        return await runtime.revert(row.public_id, wanted, preview=False)
    found = await runtime.revert("preview", wanted, preview=True)
    wanted = _decided(wanted, found, "take_back")
    made = await runtime.revert(row.public_id, wanted, preview=False)
    if made.applied:
        return made
    return await runtime.revert(row.public_id, _decided(wanted, made, "keep"), preview=False)


def _decided(wanted: Sequence[WantedRevert], found: RevertResult, decision: Decision) -> list[WantedRevert]:
    """Return the files of a revert with `decision` as the decision about every conflict. Used for a new fork's copy of
    the files, where no person's work can be lost."""
    conflicts = {file.path: file for file in found.files if file.status == "conflict"}
    return [
        replace(each, decision=decision, seen=conflicts[each.path].before) if each.path in conflicts else each
        for each in wanted
    ]


async def preview_revert(workspace: Workspace, runtime: Runtime, wanted: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the effect that a revert would have as {files, background}. `background` is the number of background
    commands that run in the workspace."""
    masks = await sync_to_async(masks_of, thread_sensitive=False)(workspace.project)
    result = await runtime.revert("preview", wanted_of(wanted), preview=True)
    background_calls = [call for call in await runtime.background() if call.is_running]
    files = [masks.mask_value(clean_value(asdict(file))) for file in result.files]
    return {"files": files, "background": len(background_calls)}


def wanted_of(items: Sequence[Mapping[str, Any]]) -> list[WantedRevert]:
    """Convert the files of a revert from their JSON form to the `WantedRevert` objects that the sandbox accepts."""
    return [
        WantedRevert(
            item["path"],
            [(_state(before), _state(after)) for before, after in item["chain"]],
            item["hunks"],
            item["decision"],
            _state(item["seen"]),
        )
        for item in items
    ]


def _state(value: Mapping[str, Any] | None) -> FileState | None:
    return None if value is None else FileState(value["mode"], value["size"], value["sha256"], value["stored"])
