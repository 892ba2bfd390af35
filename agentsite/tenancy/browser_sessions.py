"""Check whether a browser session still signs its user in, for processes that do not load the sign-in backends."""

from importlib import import_module
from typing import Any

from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.utils.crypto import constant_time_compare

from agentsite.tenancy.models import User


def is_browser_session_alive(key: str, user: User) -> bool:
    """Return whether the browser session exists and belongs to the user. A sign-out or a change of the password ends
    the session."""
    if not key:
        return False
    stored: Any = import_module(settings.SESSION_ENGINE).SessionStore(key).load()
    if stored.get(SESSION_KEY) != str(user.pk):
        return False
    hashes = [user.get_session_auth_hash(), *user.get_session_auth_fallback_hash()]
    return any(constant_time_compare(stored.get(HASH_SESSION_KEY, ""), each) for each in hashes)
