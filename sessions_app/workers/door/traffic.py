"""Traffic of the workspaces through the door, stored every few seconds."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Final

import structlog
from asgiref.sync import sync_to_async
from django.db import DatabaseError, IntegrityError, InterfaceError, close_old_connections, transaction
from django.db.models import F

from agentsite.base import metrics
from agentsite.base.errors import Missing
from agentsite.base.ids import from_public
from sessions_app.models import Workspace, WorkspaceTraffic
from tools_app.network.relay import Meter

SAVE_INTERVAL: Final = 5.0  # seconds; a door that is killed loses the counts of so much time

logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Counts:
    """Bytes that a workspace received and sent, its connections, and how many of these were refused."""

    received: int = 0
    sent: int = 0
    connections: int = 0
    refused: int = 0

    def since(self, before: "Counts") -> "Counts":
        return Counts(*(now - then for now, then in zip(asdict(self).values(), asdict(before).values(), strict=True)))


class TrafficCount:
    """Counter of one workspace's traffic since the door started, which remembers how much of the traffic has been
    stored."""

    def __init__(self, workspace_id: str) -> None:
        self.workspace_id = workspace_id
        self.meter = Meter()
        self.connections = 0
        self.refused = 0
        self._stored = Counts()

    def take(self) -> Counts:
        """Return the traffic since the last call of this method."""
        now = Counts(self.meter.received, self.meter.sent, self.connections, self.refused)
        new, self._stored = now.since(self._stored), now
        return new

    def give_back(self, counts: Counts) -> None:
        """Add counts that `take` returned, but that could not be stored, to the counts that the next `take` returns."""
        self._stored = self._stored.since(counts)


async def save_traffic(counted: Iterable[TrafficCount]) -> None:
    """Store the traffic of workspaces since the last call. If the database cannot be reached, the next call stores this
    traffic, too."""
    new = {each: counts for each in counted if (counts := each.take()) != Counts()}
    if not new:
        return
    try:
        await sync_to_async(_store)({each.workspace_id: counts for each, counts in new.items()})
    except (DatabaseError, InterfaceError) as error:
        logger.warning("traffic_not_stored", error=str(error))
        for each, counts in new.items():
            each.give_back(counts)
    else:
        _add_to_metrics(new.values())


def _store(new: Mapping[str, Counts]) -> None:
    close_old_connections()
    for workspace_id, counts in new.items():
        try:
            pk = from_public(Workspace.PREFIX, workspace_id)
        except Missing:  # a directory that is not the site's
            continue
        added = {name: F(name) + value for name, value in asdict(counts).items()}
        if not WorkspaceTraffic.objects.filter(workspace_id=pk).update(**added):
            try:
                with transaction.atomic():
                    WorkspaceTraffic.objects.create(workspace_id=pk, **asdict(counts))
            except IntegrityError:
                logger.info("traffic_of_no_workspace", workspace=workspace_id)  # it was deleted meanwhile


def _add_to_metrics(new: Iterable[Counts]) -> None:
    for counts in new:
        metrics.DOOR_BYTES.labels("received").inc(counts.received)
        metrics.DOOR_BYTES.labels("sent").inc(counts.sent)
        metrics.DOOR_CONNECTIONS.labels("refused").inc(counts.refused)
        metrics.DOOR_CONNECTIONS.labels("accepted").inc(counts.connections - counts.refused)
