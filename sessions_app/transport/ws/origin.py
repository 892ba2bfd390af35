"""Which pages may open our sockets: our own. A program has no page; it shows a ticket."""

import re
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from django.conf import settings
from django.http.request import split_domain_port, validate_host

_ORIGIN: Final = re.compile(r"(https?)://([^/?#@\\\s]+)", re.IGNORECASE)
_PORTS: Final = {"http": "80", "https": "443"}


def ticket_of(scope: dict[str, Any]) -> str | None:
    """What the address shows as ticket, the empty text included; None when it shows none."""
    shown = parse_qs(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
    return shown["ticket"][0] if "ticket" in shown else None


class OriginGuard:
    """With an Origin header the page must be ours; without one a ticket must be shown, since no cookie counts."""

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
    """Whether a page of this origin is one that we serve: it has the host and port that were asked (behind HTTPS, over
    HTTPS), or it is one that the site's settings name. Another port or a name below ours is another site."""
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
    """The address that people use, and the further origins that may send forms."""
    named = (urlsplit(address) for address in (settings.SITE_URL, *settings.CSRF_TRUSTED_ORIGINS))
    return {(one.scheme, _with_port(one.scheme, one.netloc)) for one in named if one.scheme in _PORTS}
