"""Removing from a node what no workspace wants any more."""

from typing import Final

import structlog

from agentsite.base import metrics
from agentsite.base.background import background
from agentsite.base.ids import to_public
from sandbox.reports import Reaped
from sessions_app.models import Workspace
from sessions_app.workers.sandbox.deployment import deployment

GRACE: Final = 5.0  # seconds; a workspace may have come to this node since its rows were read

logger = structlog.get_logger(__name__)


def reap_leftovers(node: str) -> Reaped:
    """What was removed. The rows decide: an engine's word that a workspace exists counts for nothing."""
    here = {to_public("wsp", pk) for pk in Workspace.objects.filter(node=node).values_list("id", flat=True)}
    elsewhere = {to_public("wsp", pk) for pk in Workspace.objects.exclude(node=node).values_list("id", flat=True)}
    reaped = background.run(deployment().reap(here, elsewhere=elsewhere, grace=GRACE))
    if counts := reaped.counts():
        logger.info("leftovers_reaped", **counts)
    for kind, count in counts.items():
        metrics.REAPED.labels(kind).inc(count)
    return reaped
