"""Determine the client's network address, for lockouts, rate limits and the list of devices."""

import ipaddress
from typing import Final

from django.conf import settings
from django.http import HttpRequest

UNKNOWN: Final = "::"  # used instead of an address that cannot be parsed


def client_address(request: HttpRequest) -> str:
    """Return the client's address as the site's outermost proxy saw it. Ignores X-Forwarded-For entries that the client
    added."""
    forwarded = request.headers.get("X-Forwarded-For", "") if settings.PROXY_COUNT else ""
    hops = [*filter(None, forwarded.split(",")), request.META.get("REMOTE_ADDR") or ""]
    return _plain(hops[max(-len(hops), -settings.PROXY_COUNT - 1)])


def _plain(text: str) -> str:
    """Return a network address without port, brackets and zone, and an IPv4-mapped IPv6 address as IPv4.

    Returns `UNKNOWN` if the text is not an address.
    """
    text = text.strip()
    host = text.partition("]")[0].removeprefix("[") if text.startswith("[") else text
    host = host.rpartition(":")[0] if host.count(":") == 1 else host
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return UNKNOWN
    return str(getattr(address, "ipv4_mapped", None) or address)
