"""Wake the parent of a sub-agent's session when the sub-agent's events concern it."""

from functools import partial
from typing import Final

from django.db import transaction

from sessions_app.events.log import StoredEvents
from sessions_app.queueing import enqueue_parent_update

PARENT_EVENTS: Final = frozenset({"turn.updated", "call.updated"})
URGENT_PARENT_EVENTS: Final = frozenset(
    {"permission.asked", "permission.settled", "question.asked", "question.settled"}
)


def wake_parent(stored: StoredEvents) -> None:
    """Enqueue an update of the parent's call after the commit: at once when a person must act, else within 0.5 s."""
    if stored.session.parent_id is None:
        return
    types = {name for name, _ in stored.views}
    is_urgent = bool(types & URGENT_PARENT_EVENTS)
    if is_urgent or types & PARENT_EVENTS:
        transaction.on_commit(partial(enqueue_parent_update, stored.session.id, at_once=is_urgent))
