"""Remove containers and files that belong to no workspace from a node."""

from typing import Final

import structlog

from agentsite.base import metrics
from agentsite.base.background import background
from agentsite.base.ids import to_public
from sandbox.reports import Reaped
from sessions_app.models import Upload, Workspace
from sessions_app.workers.sandbox.deployment import deployment

CHECKING: Final = Upload.State.CHECKING
GRACE: Final = 5.0  # seconds; a workspace may have moved to this node since its row was read

logger = structlog.get_logger(__name__)


def remove_leftovers(node: str) -> Reaped:
    """Remove from the node all objects that belong neither to a workspace nor to an upload that is being checked, and
    return the removed objects. The database decides what exists, never the container engine."""
    here = {to_public("wsp", pk) for pk in Workspace.objects.filter(node=node).values_list("id", flat=True)}
    here |= {row.public_id for row in Upload.objects.filter(node=node, state=CHECKING).only("id")}
    elsewhere = {to_public("wsp", pk) for pk in Workspace.objects.exclude(node=node).values_list("id", flat=True)}
    reaped = background.run(deployment().reap(here, elsewhere=elsewhere, grace=GRACE))
    if counts := reaped.counts():
        logger.info("leftovers_reaped", **counts)
    for kind, count in counts.items():
        metrics.REAPED.labels(kind).inc(count)
    return reaped
