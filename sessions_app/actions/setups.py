"""Store in a workspace's row how its set-up goes."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.utils import timezone

from sessions_app.models import ToolCall, Workspace

SETUP_TOOL: Final = "setup"


def mark_setup(workspace: Workspace, state: str, **facts: Any) -> None:
    """Store the state of the set-up in the workspace's row and in the instance."""
    workspace.setup = {**workspace.setup, "state": state, "at": timezone.now().isoformat(), **facts}
    Workspace.objects.filter(pk=workspace.pk).update(setup=workspace.setup)


def mark_setup_refused(workspace_id: uuid.UUID, needs: Sequence[Mapping[str, Any]]) -> None:
    """Store that a person refused the script, unless the workspace has another one by now."""
    workspace = Workspace.objects.get(pk=workspace_id)
    refused = {pattern for need in needs for pattern in need["patterns"]}
    found = workspace.setup
    declared = found.get("services") or {}
    asked = {f"{each['source']} {each['digest']}" for each in (found, declared) if each}
    if not asked.isdisjoint(refused):
        mark_setup(workspace, Workspace.SetupState.REFUSED)


def is_setup_due(workspace: Workspace) -> bool:
    """Return whether set-up has to run before the next step: it has not run with the current script and lock files, and
    nobody stopped it since."""
    setup = workspace.setup
    if not setup or setup["state"] != Workspace.SetupState.DUE or setup.get("problem"):
        return False
    stopped = ToolCall.objects.filter(session__workspace=workspace, tool=SETUP_TOOL, state=ToolCall.State.ABORTED)
    return not stopped.filter(ended_at__gte=setup["at"]).exists()
