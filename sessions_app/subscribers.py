"""Connect the parts of the app that follow stored events of sessions, and the end of browser sessions.

Subscribers of the event log run inside the transaction that stores the events.
"""

from functools import partial
from typing import Any, Final

from django.contrib.auth.signals import user_logged_out
from django.db import transaction
from django.db.models.signals import post_delete

from sessions_app.events.log import StoredEvents, subscribe
from sessions_app.push.ended_sessions import end_browser_session
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
    user_logged_out.connect(_follow_sign_out)
    post_delete.connect(_follow_ended_session, sender="usersessions.UserSession")


def _wake_parent(stored: StoredEvents) -> None:
    """Enqueue an update of the parent's call after the commit: at once if a person must act, otherwise within 0.5 s."""
    if stored.session.parent_id is None:
        return
    types = {name for name, _ in stored.views}
    is_urgent = bool(types & URGENT_PARENT_EVENTS)
    if is_urgent or types & PARENT_EVENTS:
        transaction.on_commit(partial(enqueue_parent_update, stored.session.id, at_once=is_urgent))


def _follow_sign_out(*, request: Any, **_: Any) -> None:
    """Turn push notices off in the browser that signs out."""
    end_browser_session(request.session.session_key or "")


def _follow_ended_session(*, instance: Any, **_: Any) -> None:
    """Turn push notices off in a browser that was signed out from elsewhere."""
    end_browser_session(instance.session_key)
