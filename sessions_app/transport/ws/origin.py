"""Origin check of the sockets: only our own pages may open them. A program sends no origin and uses a ticket."""

import re
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from django.conf import settings
from django.http.request import split_domain_port, validate_host

_ORIGIN: Final = re.compile(r"(https?)://([^/?#@\\\s]+)", re.IGNORECASE)
_PORTS: Final = {"http": "80", "https": "443"}


def ticket_of(scope: dict[str, Any]) -> str | None:
    """Return the query parameter `ticket`, which may be empty, or None if it is missing."""
    shown = parse_qs(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
    return shown["ticket"][0] if "ticket" in shown else None


class OriginGuard:
    """ASGI middleware that checks the origin of WebSocket requests. A request with an Origin header must come from a
    page of this site. A request without an Origin header needs a ticket, and its cookies are ignored."""

    def __init__(self, application: Any) -> None:
        self._application = application

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> Any:
        if _is_ours(scope):
            return await self._application(scope, receive, send)
        await receive()
        return await send({"type": "websocket.close"})


def _is_ours(scope: dict[str, Any]) -> bool:
    origins, hosts = _headers(scope, b"origin"), _headers(scope, b"host")
    if not origins:
        return ticket_of(scope) is not None
    return len(origins) == 1 and len(hosts) <= 1 and is_own_origin(origins[0], host=hosts[0] if hosts else "")


def _headers(scope: dict[str, Any], name: bytes) -> list[str]:
    return [value.decode("latin-1") for given, value in scope.get("headers", ()) if given == name]


def is_own_origin(origin: str, *, host: str) -> bool:
    """Return whether we serve pages of this origin.

    The origin must have the requested host and port (and HTTPS, if the site uses HTTPS), or be named in the site's
    settings. Another port or a subdomain is not the same origin.
    """
    found = _ORIGIN.fullmatch(origin)
    if found is None:
        return False
    scheme, place = found[1].lower(), _with_port(found[1].lower(), found[2])
    if (scheme, place) in _named_origins():
        return True
    if settings.SESSION_COOKIE_SECURE and scheme != "https":
        return False
    name, _ = split_domain_port(host)
    return bool(name) and validate_host(name, settings.ALLOWED_HOSTS) and place == _with_port(scheme, host)


def _with_port(scheme: str, place: str) -> str:
    place = place.lower()
    return place if re.search(r":\d+$", place) else f"{place}:{_PORTS[scheme]}"


def _named_origins() -> set[tuple[str, str]]:
    """Return scheme and host of the site's public address and of the origins in CSRF_TRUSTED_ORIGINS."""
    named = (urlsplit(address) for address in (settings.SITE_URL, *settings.CSRF_TRUSTED_ORIGINS))
    return {(one.scheme, _with_port(one.scheme, one.netloc)) for one in named if one.scheme in _PORTS}
