"""The subscribers of the event log: everything that follows a session's events inside their transaction."""

from functools import partial
from typing import Final

from django.db import transaction

from sessions_app.events.log import StoredEvents, subscribe
from sessions_app.queueing import enqueue_parent_update
from sessions_app.search.indexing import index_events
from sessions_app.webhooks.outbox import queue_deliveries

PARENT_EVENTS: Final = frozenset({"turn.updated", "call.updated"})
URGENT_PARENT_EVENTS: Final = frozenset(
    {"permission.asked", "permission.settled", "question.asked", "question.settled"}
)


def connect() -> None:
    """Register all subscribers. Called once, when Django's apps are ready."""
    subscribe(index_events)
    subscribe(queue_deliveries)
    subscribe(_wake_parent)


def _wake_parent(stored: StoredEvents) -> None:
    """Enqueue an update of the parent's call after the commit: at once if a person must act, otherwise within 0.5 s."""
    if stored.session.parent_id is None:
        return
    types = {name for name, _ in stored.views}
    is_urgent = bool(types & URGENT_PARENT_EVENTS)
    if is_urgent or types & PARENT_EVENTS:
        transaction.on_commit(partial(enqueue_parent_update, stored.session.id, at_once=is_urgent))
