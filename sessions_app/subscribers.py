"""The subscribers of the event log: everything that follows a session's events inside their transaction."""

from sessions_app.events.log import subscribe
from sessions_app.events.parent_wakeups import wake_parent
from sessions_app.search.indexing import index_events
from sessions_app.webhooks.outbox import queue_deliveries


def connect() -> None:
    """Register all subscribers. Called once, when Django's apps are ready."""
    subscribe(index_events)
    subscribe(queue_deliveries)
    subscribe(wake_parent)
