"""Connector: resolve a name once, check all its addresses, and connect only to an address that was checked.

The name is never resolved again, so DNS rebinding has no effect. A name with both public and other addresses is refused
altogether, because only attackers have such names.
"""

import socket
import ssl
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any, Final

from tools_app.web.address import IpAddress, WebAddress
from tools_app.web.rules import AddressRefused, WebRules

MAX_ADDRESSES: Final = 64  # of one name
MAX_ATTEMPTS: Final = 4  # addresses that are tried
CONNECT_TIMEOUT: Final = 10.0  # seconds for each attempt

Resolve = Callable[[str, int], Sequence[IpAddress]]


class FetchFailed(Exception):
    """The request was allowed but failed. The message says why."""


def tls_context(certificates: str) -> ssl.SSLContext:
    """Return a context that checks certificates; those in the file `certificates`, if any, are trusted as well."""
    context = ssl.create_default_context()
    if certificates:
        context.load_verify_locations(certificates)
    return context


def resolve(host: str, port: int) -> list[IpAddress]:
    """Return the addresses of a name, in the system resolver's order. Raises OSError if the name does not exist."""
    found = socket.getaddrinfo(host.encode("ascii"), port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    return list(dict.fromkeys(ip_address(str(address[0]).partition("%")[0]) for *_, address in found))


@dataclass(frozen=True, slots=True)
class Connector:
    """A connector that checks addresses before it connects. `own` are this machine's addresses; `tls` is used to check
    certificates."""

    rules: WebRules
    tls: ssl.SSLContext
    own: frozenset[IpAddress] = frozenset()
    resolve: Resolve = field(default=resolve)

    def connect(self, address: WebAddress) -> socket.socket:
        """Return an open connection, with TLS for https. Raises AddressRefused or FetchFailed."""
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
        if not ips or len(ips) > MAX_ADDRESSES:
            raise AddressRefused(f"{address.origin} is refused: its name has {len(ips)} addresses.")
        return ips

    def _connect_to_one(self, address: WebAddress, ips: Sequence[IpAddress]) -> socket.socket:
        problems: dict[str, None] = {}
        for ip in ips[:MAX_ATTEMPTS]:
            try:
                return _connect_exactly(ip, address.port)
            except OSError as error:
                problems[_reason(error)] = None
        raise FetchFailed(f"{address.origin} could not be reached: {'; '.join(problems)}.")


def _connect_exactly(ip: IpAddress, port: int) -> socket.socket:
    """Connect to the IP address itself, without another name lookup."""
    family = socket.AF_INET if ip.version == 4 else socket.AF_INET6
    connection = socket.socket(family, socket.SOCK_STREAM)
    try:
        connection.settimeout(CONNECT_TIMEOUT)
        connection.connect((str(ip), port))
    except BaseException:
        connection.close()
        raise
    return connection


def _reason(error: Any) -> str:
    """Return the message of a network error, without error numbers and source lines."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not valid ({error.verify_message})"
    if isinstance(error, ssl.SSLError):
        return f"TLS failed ({error.reason or 'the connection broke off'})"
    if isinstance(error, TimeoutError):
        return "it does not respond"
    return str(getattr(error, "strerror", None) or error or type(error).__name__)
