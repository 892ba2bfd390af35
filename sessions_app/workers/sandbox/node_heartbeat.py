"""This node's sign of life in the database, and what lies on its disk of workspaces that are not its own any more."""

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
from sessions_app.workers.sandbox.workspace_markers import Held, all_held, let_go
from tools_app.policies.current import current_policies

PERIOD: Final = 5.0
FACTS_EVERY: Final = 60.0
FACTS_PATIENCE: Final = 3.0  # seconds; an engine that hangs must not make its node look lost

logger = structlog.get_logger(__name__)


class NodeSign(bootsteps.StartStopStep):
    """A thread of its own: a database that is slow must not hold up the worker's other clocks."""

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
            if time.monotonic() - facts_at > FACTS_EVERY or not facts_at:
                facts, facts_at = read_facts(), time.monotonic()
            try:
                renew_node(settings.NODE_NAME, now=timezone.now(), started_at=started_at, facts=facts)
            except DatabaseError as error:  # the next time may do
                logger.warning("node_sign_lost", error=repr(error))
                connection.close()
            self._ended.wait(PERIOD)


def read_facts() -> dict[str, Any]:
    """What this node is; empty when its engine does not say."""
    if not settings.SANDBOX_IMAGE:
        return {}
    try:
        facts = background.run(asyncio.wait_for(this_node.deployment().facts(), FACTS_PATIENCE))
        return {**asdict(facts), "image": settings.SANDBOX_IMAGE}
    except (SandboxError, TimeoutError) as error:
        logger.warning("node_facts_missing", error=repr(error))
        return {}


def tidy_held(node: str) -> None:
    """Remove the files of workspaces that live elsewhere by now, once they are safe there or after some days; take one
    back that was lost with no archive, when its files are here after all. Nothing is removed for a database that knows
    no workspace at all: it is a wrong or an empty one rather than that of a site that lost every one."""
    if not Workspace.objects.exists():
        return
    for place in all_held():
        pk = from_public("wsp", place.workspace_id)
        row = Workspace.objects.select_related("project").filter(pk=pk).first()
        if row is not None and row.node == node:
            continue
        if row is not None and _take_back(row, place, node=node):
            continue
        if row is None or _is_safe(row, place):
            _remove(place)


def _take_back(row: Workspace, place: Held, *, node: str) -> bool:
    """True also while it may still come back."""
    if row.seeded or place.generation != row.generation - 1:
        return False
    if row.state == Workspace.State.FAILED and not row.archive:
        taken = Workspace.objects.filter(pk=row.pk, generation=row.generation, seeded=False, node=row.node)
        if taken.update(node=node, state=Workspace.State.LOST, detail=MOVING):
            enqueue_workspace(row.pk, node=node)
    return True


def _is_safe(row: Workspace, place: Held) -> bool:
    """An archive of what became of it exists, or nobody asked for these files in all that time."""
    archived = any(name.rpartition("/")[2].startswith(f"{row.generation:06d}-") for name in names_of(row))
    policies = current_policies(team_id=row.project.team_id, project_id=row.project_id)
    return archived or place.since < (timezone.now() - timedelta(days=policies.sandbox().keep_days)).timestamp()


def _remove(place: Held) -> None:
    try:
        background.run(this_node.deployment().remove(place.workspace_id, files=True))
    except SandboxError as error:
        logger.warning("stale_files_stay", workspace=place.workspace_id, error=error.message)
        return
    let_go(place.workspace_id)
    logger.info("stale_files_removed", workspace=place.workspace_id)
