"""Addresses of the web in one spelling. Pure.

An address has to look the same to rules, to people and to the process that fetches, so it is read once, here, into
parts that cannot be read in another way. What has several readings is refused and not interpreted: user names before
an `@`, backslashes, control characters, numbers in place of an IPv4 address (`2130706433`, `0x7f.1`, `0177.0.0.1`).
"""

import ipaddress
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal
from urllib.parse import quote

import idna

LONGEST: Final = 4096  # characters
DEFAULT_PORTS: Final = {"http": 80, "https": 443}

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
    """Not an address that can be fetched; the text says why and what to write instead."""


@dataclass(frozen=True)
class WebAddress:
    """`host` is a lower-case ASCII name without a final dot, or an IP address without brackets; `target` is path and
    query as they are sent. `str()` is the canonical spelling: what rules are about and what people see."""

    scheme: Literal["http", "https"]
    host: str
    port: int
    target: str

    def __str__(self) -> str:
        return f"{self.origin}{self.target}"

    @property
    def origin(self) -> str:
        return f"{self.scheme}://{self.authority}"

    @property
    def authority(self) -> str:
        """Host and, where it is not the scheme's own, port: the value of a Host header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @cached_property
    def ip(self) -> IpAddress | None:
        """The address that the host is, when it is no name."""
        try:
            return ipaddress.ip_address(self.host)
        except ValueError:
            return None


def parse_address(text: str) -> WebAddress:
    """Raises BadAddress for everything that is not plainly `http(s)://host[:port][/path][?query]`."""
    text = text.strip(" \t\r\n")
    if len(text) > LONGEST:
        raise BadAddress(f"The address is longer than {LONGEST:,} characters.")
    if _UNREADABLE.search(text):
        raise BadAddress("The address has a backslash or a control character in it. Write it without.")
    found = _SCHEME.match(text)
    if found is None:
        raise BadAddress("The address must begin with http:// or https://.")
    scheme: Literal["http", "https"] = "https" if found[1].lower() == "https" else "http"
    authority, target = _split(text[found.end() :])
    host, port = _host_and_port(authority)
    return WebAddress(scheme, host, DEFAULT_PORTS[scheme] if port is None else port, _canonical_target(target))


def _split(rest: str) -> tuple[str, str]:
    """The authority, and path with query; what follows a `#` is never sent."""
    end = min((at for at in map(rest.find, "/?#") if at >= 0), default=len(rest))
    return rest[:end], rest[end:].partition("#")[0]


def _host_and_port(authority: str) -> tuple[str, int | None]:
    if "@" in authority:
        raise BadAddress("The address has a user name or password before an @. Write it without.")
    if authority.startswith("["):
        literal, bracket, port = authority[1:].partition("]")
        if not bracket or (port and not port.startswith(":")):
            raise BadAddress("The address has no closing bracket where its IPv6 address ends.")
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
        raise BadAddress("What stands in brackets is not an IPv6 address.") from None


def _no_zone() -> str:
    raise BadAddress("An IPv6 address with a zone names a link of one machine. Write it without a zone.")


def _host(text: str) -> str:
    """Full-width digits, other dots and letters of all scripts become ASCII first, so nothing hides in them."""
    if "%" in text:
        raise BadAddress("The host has escapes (%..) in it. Write it in plain letters.")
    host = text.lower() if text.isascii() else _ascii(text)
    host = host.removesuffix(".")
    if not host:
        raise BadAddress("The address names no host.")
    if len(host) > 253 or not all(map(_LABEL.fullmatch, host.split("."))):
        raise BadAddress("The host is not a name that can exist: it has letters, digits, hyphens and dots.")
    if _NUMERIC.fullmatch(host.rpartition(".")[2]):
        return _ipv4(host)
    return host


def _ascii(text: str) -> str:
    try:
        return idna.encode(text, uts46=True, std3_rules=True).decode("ascii").lower()
    except (idna.IDNAError, UnicodeError):
        raise BadAddress("The host is not an internationalised name that can exist.") from None


def _ipv4(host: str) -> str:
    try:
        return str(ipaddress.IPv4Address(host))
    except ipaddress.AddressValueError:
        raise BadAddress(
            "The host is a number. Write an IPv4 address as four decimal numbers from 0 to 255 without leading zeros."
        ) from None


def _canonical_target(target: str) -> str:
    """One spelling for one place: what need not be escaped is not, dot segments are gone, the rest is escaped."""
    path, question, query = target.partition("?")
    escaped = _without_dots(_escaped(path) or "/")
    return f"{escaped}?{_escaped(query)}" if question else escaped


def _escaped(text: str) -> str:
    return _ESCAPE.sub(_plainest, quote(text, safe=_KEPT))


def _plainest(escape: re.Match[str]) -> str:
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
