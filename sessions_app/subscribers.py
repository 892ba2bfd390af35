"""Connect the parts of the app that react to stored events of sessions or to the end of browser sessions.

Subscribers of the event log run inside the transaction that stores the events.
"""

from typing import Any

from django.contrib.auth.signals import user_logged_out
from django.db.models.signals import post_delete

from sessions_app.events.log import subscribe
from sessions_app.push.ended_sessions import end_browser_session
from sessions_app.search.indexing import index_events
from sessions_app.webhooks.outbox import queue_deliveries


def connect() -> None:
    """Register all subscribers. Called once, when Django's apps are ready."""
    subscribe(index_events)
    subscribe(queue_deliveries)
    user_logged_out.connect(_follow_sign_out)
    post_delete.connect(_follow_ended_session, sender="usersessions.UserSession")


def _follow_sign_out(*, request: Any, **_: Any) -> None:
    """Turn push notices off in the browser that signs out."""
    end_browser_session(request.session.session_key or "")


def _follow_ended_session(*, instance: Any, **_: Any) -> None:
    """Turn push notices off in a browser whose session was ended from another browser."""
    end_browser_session(instance.session_key)
