"""parse_address(): web addresses in one canonical spelling. Pure functions.

Rules, people and the process that sends the request must all see the same address, so it is parsed once, here. An
address that can be interpreted in several ways is refused: one with a user name before an `@`, a backslash, a control
character, or a number in place of an IPv4 address (`2130706433`, `0x7f.1`, `0177.0.0.1`).
"""

import ipaddress
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal
from urllib.parse import quote

import idna

MAX_CHARS: Final = 4096  # of an address
DEFAULT_PORTS: Final = {"http": 80, "https": 443, "ssh": 22}

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

_SCHEME: Final = re.compile(r"(https?)://", re.IGNORECASE)
_UNREADABLE: Final = re.compile(r"[\x00-\x1f\x7f\\]")
_PORT: Final = re.compile(r"[0-9]{1,5}")
_LABEL: Final = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMERIC: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")
_ESCAPE: Final = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_KEPT: Final = "/?:@!$&'()*+,;=%[]|-._~"


class BadAddress(ValueError):
    """The address is not valid. The message says why and what to write instead."""


@dataclass(frozen=True)
class WebAddress:
    """A parsed address. `str()` returns its canonical spelling, which rules match and people see."""

    scheme: Literal["http", "https", "ssh"]
    """`ssh` is only for repositories; `parse_address` does not return it."""
    host: str
    """A lower-case ASCII name without a final dot, or an IP address without brackets."""
    port: int
    target: str
    """Path and query, as they are sent."""

    def __str__(self) -> str:
        return f"{self.origin}{self.target}"

    @property
    def origin(self) -> str:
        return f"{self.scheme}://{self.authority}"

    @property
    def authority(self) -> str:
        """The value of the Host header: the host, and the port unless it is the default of the scheme."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @cached_property
    def ip(self) -> IpAddress | None:
        """The host as an IP address; None if it is a name."""
        try:
            return ipaddress.ip_address(self.host)
        except ValueError:
            return None


def parse_address(text: str) -> WebAddress:
    """Parse an address of the form `http(s)://host[:port][/path][?query]`. Raises BadAddress for any other text."""
    text = text.strip(" \t\r\n")
    if len(text) > MAX_CHARS:
        raise BadAddress(f"The address is longer than {MAX_CHARS:,} characters.")
    if _UNREADABLE.search(text):
        raise BadAddress("The address contains a backslash or a control character. Remove it.")
    found = _SCHEME.match(text)
    if found is None:
        raise BadAddress("The address must begin with http:// or https://.")
    scheme: Literal["http", "https"] = "https" if found[1].lower() == "https" else "http"
    authority, target = _split(text[found.end() :])
    host, port = _host_and_port(authority)
    return WebAddress(scheme, host, DEFAULT_PORTS[scheme] if port is None else port, _canonical_target(target))


def _split(rest: str) -> tuple[str, str]:
    """Split an address without its scheme into authority and path with query. The fragment is removed: it is never
    sent."""
    end = min((at for at in map(rest.find, "/?#") if at >= 0), default=len(rest))
    return rest[:end], rest[end:].partition("#")[0]


def _host_and_port(authority: str) -> tuple[str, int | None]:
    if "@" in authority:
        raise BadAddress("The address contains a user name or password before an @. Remove it.")
    if authority.startswith("["):
        literal, bracket, port = authority[1:].partition("]")
        if not bracket or (port and not port.startswith(":")):
            raise BadAddress("The IPv6 address in the address has no closing bracket.")
        return _ipv6(literal), _port(port[1:])
    host, _, port = authority.partition(":")
    return _host(host), _port(port)


def _port(text: str) -> int | None:
    if not text:
        return None
    if _PORT.fullmatch(text) is None or not 0 < int(text) < 65536:
        raise BadAddress("The port must be a number from 1 to 65535.")
    return int(text)


def _ipv6(text: str) -> str:
    try:
        return str(ipaddress.IPv6Address(text)) if "%" not in text else _no_zone()
    except ipaddress.AddressValueError:
        raise BadAddress("The text in brackets is not an IPv6 address.") from None


def _no_zone() -> str:
    raise BadAddress("An IPv6 address with a zone is valid on one machine only. Remove the zone.")


def _host(text: str) -> str:
    """Return the canonical spelling of a host. Digits, dots and letters of all scripts are converted to ASCII before
    the checks."""
    if "%" in text:
        raise BadAddress("The host contains escapes (%..). Write it without escapes.")
    host = text.lower() if text.isascii() else _ascii(text)
    host = host.removesuffix(".")
    if not host:
        raise BadAddress("The address has no host.")
    if len(host) > 253 or not all(map(_LABEL.fullmatch, host.split("."))):
        raise BadAddress("The host is not a valid name. It may contain letters, digits, hyphens and dots.")
    if _NUMERIC.fullmatch(host.rpartition(".")[2]):
        return _ipv4(host)
    return host


def _ascii(text: str) -> str:
    try:
        return idna.encode(text, uts46=True, std3_rules=True).decode("ascii").lower()
    except (idna.IDNAError, UnicodeError):
        raise BadAddress("The host is not a valid internationalised name.") from None


def _ipv4(host: str) -> str:
    try:
        return str(ipaddress.IPv4Address(host))
    except ipaddress.AddressValueError:
        raise BadAddress(
            "The host is a number. Write an IPv4 address as four decimal numbers from 0 to 255 without leading zeros."
        ) from None


def _canonical_target(target: str) -> str:
    """Return the canonical spelling of a path with its query: escapes only where needed, and no `.` or `..`
    segments."""
    path, question, query = target.partition("?")
    escaped = _without_dots(_escaped(path) or "/")
    return f"{escaped}?{_escaped(query)}" if question else escaped


def _escaped(text: str) -> str:
    return _ESCAPE.sub(_unescaped, quote(text, safe=_KEPT))


def _unescaped(escape: re.Match[str]) -> str:
    char = chr(int(escape[1], 16))
    return char if char in _UNRESERVED else escape[0].upper()


def _without_dots(path: str) -> str:
    kept: list[str] = []
    *before, last = path.split("/")[1:]
    for segment in before:
        if segment == "..":
            kept = kept[:-1]
        elif segment != ".":
            kept.append(segment)
    if last == "..":
        kept = kept[:-1]
    return "/" + "".join(f"{segment}/" for segment in kept) + ("" if last in (".", "..") else last)
