"""Turn push notices off in browsers that are signed out."""

from agentsite.base.sqlite_lock import sqlite_write_lock
from sessions_app.push.models import PushBrowser


def end_browser_session(session_key: str) -> None:
    """Remove the `PushBrowser` rows of an ended browser session, with the push notices that wait for that browser."""
    rows = PushBrowser.objects.filter(session_key=session_key)
    if session_key and rows.exists():
        with sqlite_write_lock():
            rows.delete()
