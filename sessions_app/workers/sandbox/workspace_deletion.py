"""Workspaces that are being removed, on their node: out of use now, deleted later. Each step may be repeated, and the
row goes last, so a crash between two of them only means that they are done again."""

import uuid

import structlog
from django.utils import timezone

from agentsite.base.background import background
from sandbox.errors import SandboxError
from sessions_app.actions.workspace_deletion import find_over, forget_workspace
from sessions_app.models import Workspace
from sessions_app.storage.archives import delete_old, let_go_of_archive
from sessions_app.workers.sandbox import deployment as this_node
from sessions_app.workers.sandbox.workspace_markers import let_go

logger = structlog.get_logger(__name__)


def put_away(workspace_id: uuid.UUID, *, node: str) -> None:
    """Stop its container."""
    row = Workspace.objects.filter(pk=workspace_id, node=node, state=Workspace.State.REMOVING).first()
    if row is not None:
        background.run(this_node.deployment().stop(row.public_id))


def delete(workspace_id: uuid.UUID, *, node: str) -> None:
    """Container and files, then the archives, then sessions and row."""
    row = find_over(workspace_id, node=node, now=timezone.now())
    if row is None:
        return
    try:
        background.run(this_node.deployment().remove(row.public_id, files=True))
    except SandboxError as error:  # the next sweep tries again
        logger.warning("deletion_failed", workspace=row.public_id, error=error.message)
        return
    let_go(row.public_id)
    delete_old(row, kept=0)
    let_go_of_archive(row, row.archive)
    forget_workspace(row, now=timezone.now())
    logger.info("workspace_deleted", workspace=row.public_id)
