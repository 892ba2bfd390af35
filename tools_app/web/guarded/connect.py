"""From an address to a connection: resolve once, check every answer, connect to what was checked and to nothing else.

The name is never resolved a second time, so an answer that changes in between (DNS rebinding) changes nothing. A name
that has both public and other addresses is refused as a whole: only somebody who is up to something has such a name.
"""

import socket
import ssl
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any, Final

from tools_app.web.address import IpAddress, WebAddress
from tools_app.web.rules import AddressRefused, WebRules

MOST_ADDRESSES: Final = 64  # that a name may have
MOST_TRIES: Final = 4
TRY_SECONDS: Final = 10.0

Resolve = Callable[[str, int], Sequence[IpAddress]]


class FetchFailed(Exception):
    """It was allowed and did not work; the text says what happened."""


def resolve(host: str, port: int) -> list[IpAddress]:
    """What this machine's resolver says, in its order of preference. OSError when it knows no such name."""
    found = socket.getaddrinfo(host.encode("ascii"), port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    return list(dict.fromkeys(ip_address(str(address[0]).partition("%")[0]) for *_, address in found))


@dataclass(frozen=True, slots=True)
class Connector:
    """`own` are this machine's addresses, `tls` what certificates are checked with."""

    rules: WebRules
    tls: ssl.SSLContext
    own: frozenset[IpAddress] = frozenset()
    resolve: Resolve = field(default=resolve)

    def connect(self, address: WebAddress) -> socket.socket:
        """A connection that can be spoken over, TLS included. AddressRefused, FetchFailed."""
        self.rules.check(address)
        plain = self._connect_to_one(address, self._checked(address))
        if address.scheme == "http":
            return plain
        try:
            return self.tls.wrap_socket(plain, server_hostname=address.host)
        except (OSError, ValueError) as error:
            plain.close()
            raise FetchFailed(f"{address.origin} could not be trusted: {_reason(error)}.") from error

    def _checked(self, address: WebAddress) -> Sequence[IpAddress]:
        ips = [address.ip] if address.ip is not None else self._resolved(address)
        for ip in ips:
            self.rules.check_ip(address, ip, self.own)
        return ips

    def _resolved(self, address: WebAddress) -> Sequence[IpAddress]:
        try:
            ips = self.resolve(address.host, address.port)
        except (OSError, UnicodeError) as error:
            raise FetchFailed(f"The host {address.host} was not found ({_reason(error)}).") from error
        if not ips or len(ips) > MOST_ADDRESSES:
            raise AddressRefused(f"{address.origin} is refused: its name has {len(ips)} addresses.")
        return ips

    def _connect_to_one(self, address: WebAddress, ips: Sequence[IpAddress]) -> socket.socket:
        problems: dict[str, None] = {}
        for ip in ips[:MOST_TRIES]:
            try:
                return _connect_exactly(ip, address.port)
            except OSError as error:
                problems[_reason(error)] = None
        raise FetchFailed(f"{address.origin} could not be reached: {'; '.join(problems)}.")


def _connect_exactly(ip: IpAddress, port: int) -> socket.socket:
    """To the number itself: no name is left that could mean something else by now."""
    family = socket.AF_INET if ip.version == 4 else socket.AF_INET6
    connection = socket.socket(family, socket.SOCK_STREAM)
    try:
        connection.settimeout(TRY_SECONDS)
        connection.connect((str(ip), port))
    except BaseException:
        connection.close()
        raise
    return connection


def _reason(error: Any) -> str:
    """The library's own words, without numbers and source lines."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate does not hold ({error.verify_message})"
    if isinstance(error, ssl.SSLError):
        return f"TLS failed ({error.reason or 'the connection broke off'})"
    if isinstance(error, TimeoutError):
        return "it does not answer"
    return str(getattr(error, "strerror", None) or error or type(error).__name__)
