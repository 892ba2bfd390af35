"""Heartbeat of this node in the database, and removal of files of workspaces that moved to another node."""

import asyncio
import threading
import time
from dataclasses import asdict
from datetime import timedelta
from typing import Any, Final

import structlog
from celery import bootsteps
from django.conf import settings
from django.db import DatabaseError, connection
from django.utils import timezone

from agentsite.base.background import background
from agentsite.base.ids import from_public
from sandbox.errors import SandboxError
from sessions_app.actions.nodes import MOVING, renew_node
from sessions_app.models import Workspace
from sessions_app.queueing import enqueue_workspace
from sessions_app.storage.archives import names_of
from sessions_app.workers.sandbox import deployment as this_node
from sessions_app.workers.sandbox.workspace_markers import Marker, all_markers, delete_marker
from tools_app.policies.current import current_policies

HEARTBEAT_INTERVAL: Final = 5.0  # seconds
FACTS_INTERVAL: Final = 60.0  # seconds
FACTS_TIMEOUT: Final = 3.0  # seconds; a hanging engine must not make its node look lost

logger = structlog.get_logger(__name__)


class NodeHeartbeat(bootsteps.StartStopStep):
    """Celery boot step that reports every few seconds that the node is alive. It has its own thread, so that a slow
    database does not delay the worker's other timers."""

    def __init__(self, parent: Any, **_options: Any) -> None:
        self._ended = threading.Event()

    def start(self, parent: Any) -> None:
        threading.Thread(target=self._renew_forever, name="node-sign", daemon=True).start()

    def stop(self, parent: Any) -> None:
        self._ended.set()

    def _renew_forever(self) -> None:
        started_at, facts_at = timezone.now(), 0.0
        while not self._ended.is_set():
            facts: dict[str, Any] = {}
            if time.monotonic() - facts_at > FACTS_INTERVAL or not facts_at:
                facts, facts_at = read_facts(), time.monotonic()
            try:
                renew_node(settings.NODE_NAME, now=timezone.now(), started_at=started_at, facts=facts)
            except DatabaseError as error:  # retried at the next period
                logger.warning("node_sign_lost", error=repr(error))
                connection.close()
            self._ended.wait(HEARTBEAT_INTERVAL)


def read_facts() -> dict[str, Any]:
    """Return facts about this node, or an empty dict if it has no sandbox image or its container engine does not
    answer."""
    if not settings.SANDBOX_IMAGE:
        return {}
    try:
        facts = background.run(asyncio.wait_for(this_node.deployment().facts(), FACTS_TIMEOUT))
        return {**asdict(facts), "image": settings.SANDBOX_IMAGE}
    except (SandboxError, TimeoutError) as error:
        logger.warning("node_facts_missing", error=repr(error))
        return {}


def remove_moved_workspaces(node: str) -> None:
    """Remove the files of workspaces that moved to other nodes.

    They are removed once the files are safe there, or after some days. A workspace that was lost without an archive is
    taken back if its files are still here. Nothing is removed if the database contains no workspace at all, because it
    is then probably the wrong database.
    """
    if not Workspace.objects.exists():
        return
    for place in all_markers():
        pk = from_public("wsp", place.workspace_id)
        row = Workspace.objects.select_related("project").filter(pk=pk).first()
        if row is not None and row.node == node:
            continue
        if row is not None and _reclaim(row, place, node=node):
            continue
        if row is None or _may_be_removed(row, place):
            _remove(place)


def _reclaim(row: Workspace, place: Marker, *, node: str) -> bool:
    """Assign a lost workspace to this node again if its files are here and it has no archive to be restored from.
    Returns True if this node has the workspace now, or may still get it later."""
    if row.seeded or place.generation != row.generation - 1:
        return False
    if row.state == Workspace.State.FAILED and not row.archive:
        taken = Workspace.objects.filter(pk=row.pk, generation=row.generation, seeded=False, node=row.node)
        if taken.update(node=node, state=Workspace.State.LOST, detail=MOVING):
            enqueue_workspace(row.pk, node=node)
    return True


def _may_be_removed(row: Workspace, place: Marker) -> bool:
    """Return whether a moved workspace's old files on this node may be removed: an archive of the present generation
    exists, or the files have lain here for the whole grace period."""
    archived = any(name.rpartition("/")[2].startswith(f"{row.generation:06d}-") for name in names_of(row))
    policies = current_policies(team_id=row.project.team_id, project_id=row.project_id)
    return archived or place.since < (timezone.now() - timedelta(days=policies.sandbox().keep_days)).timestamp()


def _remove(place: Marker) -> None:
    try:
        background.run(this_node.deployment().remove(place.workspace_id, files=True))
    except SandboxError as error:
        logger.warning("stale_files_stay", workspace=place.workspace_id, error=error.message)
        return
    delete_marker(place.workspace_id)
    logger.info("stale_files_removed", workspace=place.workspace_id)
