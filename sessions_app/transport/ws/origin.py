"""Which pages may open our sockets: our own. A program has no page; it shows a ticket."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

from django.conf import settings
from django.http.request import validate_host


def ticket_of(scope: dict[str, Any]) -> str | None:
    """What the address shows as ticket, the empty text included; None when it shows none."""
    shown = parse_qs(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
    return shown["ticket"][0] if "ticket" in shown else None


class OriginGuard:
    """With an Origin header the host must be ours; without one a ticket must be shown, since no cookie counts."""

    def __init__(self, application: Any) -> None:
        self._application = application

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> Any:
        if _is_ours(scope):
            return await self._application(scope, receive, send)
        await receive()
        return await send({"type": "websocket.close"})


def _is_ours(scope: dict[str, Any]) -> bool:
    origins = [value.decode("latin-1") for name, value in scope.get("headers", ()) if name == b"origin"]
    if not origins:
        return ticket_of(scope) is not None
    try:
        host = urlsplit(origins[0]).hostname
    except ValueError:
        return False
    return host is not None and validate_host(f"[{host}]" if ":" in host else host, settings.ALLOWED_HOSTS)
