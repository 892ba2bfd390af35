"""Read the changes of calls in the workspace from its runner, as the data of patch parts."""

from dataclasses import asdict
from typing import Any

import structlog

from agentsite.base.background import background
from sandbox.errors import SandboxError
from sandbox.files import CallChanges
from sandbox.ports import Runtime
from sessions_app.actions.patches import keep_patch
from sessions_app.models import ToolCall
from sessions_app.workers.sandbox import deployment as this_node
from tools_app.masking import Masks
from tools_app.text import clean

logger = structlog.get_logger(__name__)


async def changes_of_call(runtime: Runtime, call_id: str) -> CallChanges | None:
    """Return the changes of a call in the workspace; None if it cannot have changed anything, or if the runner does not
    answer."""
    if not runtime.may_have_changed:
        return None
    try:
        return await runtime.changes_of(call_id)
    except SandboxError as error:
        logger.warning("changes_not_read", call=call_id, error=error.message)
        return CallChanges(problem="lost")


def patch_of(changes: CallChanges | None, masks: Masks) -> dict[str, Any] | None:
    """Return the data of a patch part for the changes of a call; None if nothing changed. Files whose names are not
    text or contain a secret are only counted."""
    if changes is None or not (changes.files or changes.more or changes.problem):
        return None
    files = [asdict(file) for file in changes.files if masks.mask(clean(file.path)) == file.path]
    return {"files": files, "more": changes.more + len(changes.files) - len(files), "problem": changes.problem}


def keep_changes(call: ToolCall, masks: Masks) -> None:
    """Store the changes of a call that was interrupted or stopped."""
    try:
        found = background.run(this_node.runtime_of(call.session.workspace).changes_of(call.public_id))
    except SandboxError as error:
        logger.warning("changes_not_read", call=call.public_id, error=error.message)
        return
    if patch := patch_of(found, masks):
        keep_patch(call, patch)
