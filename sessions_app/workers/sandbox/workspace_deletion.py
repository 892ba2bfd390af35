"""Delete workspaces on their node: deactivate them at once, and remove everything later.

Each step may be repeated, and the row is deleted last, so after a crash the deletion simply starts again.
"""

import uuid

import structlog
from django.utils import timezone

from agentsite.base.background import background
from sandbox.errors import SandboxError
from sessions_app.actions.workspace_deletion import delete_workspace_rows, find_due_for_deletion
from sessions_app.models import Workspace
from sessions_app.storage.archives import delete_old, release_archive
from sessions_app.workers.sandbox import deployment as this_node
from sessions_app.workers.sandbox.kept_clones import delete_kept_clones
from sessions_app.workers.sandbox.setup_results import delete_results
from sessions_app.workers.sandbox.workspace_markers import delete_marker

logger = structlog.get_logger(__name__)


def deactivate(workspace_id: uuid.UUID, *, node: str) -> None:
    """Deactivate a workspace: stop its container."""
    row = Workspace.objects.filter(pk=workspace_id, node=node, state=Workspace.State.REMOVING).first()
    if row is not None:
        background.run(this_node.deployment().stop(row.public_id))


def delete(workspace_id: uuid.UUID, *, node: str) -> None:
    """Delete a workspace: first the container and the files, then the archives, then the sessions and the row."""
    row = find_due_for_deletion(workspace_id, node=node, now=timezone.now())
    if row is None:
        return
    try:
        background.run(this_node.deployment().remove(row.public_id, files=True))
    except SandboxError as error:  # the next housekeeping run tries again
        logger.warning("deletion_failed", workspace=row.public_id, error=error.message)
        return
    delete_marker(row.public_id)
    delete_old(row, kept=0)
    release_archive(row, row.archive)
    if row.project.remove_at is not None:
        delete_results(row.project_id)
        delete_kept_clones(row.project)
    delete_workspace_rows(row, now=timezone.now())
    logger.info("workspace_deleted", workspace=row.public_id)
