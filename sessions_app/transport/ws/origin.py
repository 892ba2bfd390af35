"""Which pages may open our sockets: our own. A program has no page; it shows a ticket."""

from typing import Any
from urllib.parse import urlsplit

from channels.security.websocket import WebsocketDenier
from django.conf import settings
from django.http.request import validate_host


class OriginGuard:
    """With an Origin header the host must be ours; without one a ticket must be shown, since no cookie counts."""

    def __init__(self, application: Any) -> None:
        self._application = application

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> Any:
        inner = self._application if _is_ours(scope) else WebsocketDenier()
        return await inner(scope, receive, send)


def _is_ours(scope: dict[str, Any]) -> bool:
    origins = [value.decode("latin-1") for name, value in scope.get("headers", ()) if name == b"origin"]
    if not origins:
        return b"ticket=" in scope.get("query_string", b"")
    host = urlsplit(origins[0]).hostname
    return host is not None and validate_host(f"[{host}]" if ":" in host else host, settings.ALLOWED_HOSTS)
