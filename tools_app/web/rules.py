"""WebRules: the web addresses that may be requested at all, whatever permission rules and people allow. Pure functions.

Only the public web is allowed: http and https, their usual ports, names that are not of a local network, and addresses
that `networks` knows as public. Operators may exempt hosts, each by its exact name and port.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from tools_app.web.address import BadAddress, IpAddress, WebAddress, parse_address
from tools_app.web.networks import effective_ip, refusal_of

PORTS: Final = frozenset({80, 443, 8080, 8443})
SSH_PORTS: Final = frozenset({22, 443, 2222, 7999})
"""Ports on which forges serve ssh."""
_LOCAL_ENDINGS: Final = (
    "localhost", "localdomain", "local", "internal", "intranet", "private", "corp", "home", "lan", "home.arpa", "onion",
)  # fmt: skip


class AddressRefused(Exception):
    """The address may not be requested. The message says why."""


@dataclass(frozen=True, slots=True)
class WebRules:
    """The rules for web addresses, with exemptions: for a (host, port) in `allowed`, neither name nor address is
    checked."""

    allowed: frozenset[tuple[str, int]] = frozenset()

    @classmethod
    def exempting(cls, entries: Iterable[str]) -> "WebRules":
        """Build rules from entries such as `mirror.example:8081` or `[fd00::1]:80`. Raises ValueError."""
        return cls(frozenset(map(_entry, entries)))

    @property
    def ports(self) -> frozenset[int]:
        """All ports to which connections may be made."""
        return PORTS | {port for _, port in self.allowed}

    def exempts(self, address: WebAddress) -> bool:
        """Return whether an operator has exempted the host and port of the address from the rules."""
        return (address.host, address.port) in self.allowed

    def check(self, address: WebAddress) -> None:
        """Check the scheme, port and host of an address, as far as this needs no name resolution. Raises
        AddressRefused."""
        if self.exempts(address):
            return
        usual = SSH_PORTS if address.scheme == "ssh" else PORTS
        if address.port not in usual:
            ports = ", ".join(map(str, sorted(usual)))
            raise AddressRefused(f"{address.origin} is refused: only the ports {ports} are allowed.")
        if address.ip is not None:
            self.check_ip(address, address.ip)
        elif "." not in address.host or address.host.endswith(tuple(f".{name}" for name in _LOCAL_ENDINGS)):
            raise AddressRefused(f"{address.origin} is refused: its name belongs to a local network.")

    def check_ip(self, address: WebAddress, ip: IpAddress, own: frozenset[IpAddress] = frozenset()) -> None:
        """Check an IP address that the name resolves to. `own` are the addresses of this machine. Raises
        AddressRefused."""
        if self.exempts(address):
            return
        what = "this machine" if effective_ip(ip) in own else refusal_of(ip)
        if what is not None:
            raise AddressRefused(f"{address.origin} is refused: its address {ip} is {what}.")


def _entry(text: str) -> tuple[str, int]:
    if ":" not in text.rpartition("]")[2]:
        raise ValueError(f"{text!r} must be a host with its port, such as mirror.example:8081.")
    try:
        address = parse_address(f"http://{text}/")
    except BadAddress as error:
        raise ValueError(f"{text!r} is not a host with its port: {error}") from error
    if address.target != "/":
        raise ValueError(f"{text!r} must be a host with its port and nothing else.")
    return address.host, address.port
