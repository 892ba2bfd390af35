"""What of the web may be fetched at all, whatever permission rules and people say. Pure.

Only the public web: http and https, their usual ports, names that are not of a local network, and addresses that
`networks` knows as public. The people who run the site may exempt hosts, each by its exact name and port.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from tools_app.web.address import BadAddress, IpAddress, WebAddress, parse_address
from tools_app.web.networks import refusal_of, spoken_to

PORTS: Final = frozenset({80, 443, 8080, 8443})
_LOCAL_ENDINGS: Final = (
    "localhost", "localdomain", "local", "internal", "intranet", "private", "corp", "home", "lan", "home.arpa", "onion",
)  # fmt: skip


class AddressRefused(Exception):
    """The guard does not let this be fetched; the text says why."""


@dataclass(frozen=True, slots=True)
class WebRules:
    """`allowed` are the exempted hosts with their ports: neither name nor address of these is judged."""

    allowed: frozenset[tuple[str, int]] = frozenset()

    @classmethod
    def exempting(cls, entries: Iterable[str]) -> "WebRules":
        """From entries like `mirror.example:8081` or `[fd00::1]:80`. ValueError for one that names no port."""
        return cls(frozenset(map(_entry, entries)))

    @property
    def ports(self) -> frozenset[int]:
        """Every port to which a connection may be made."""
        return PORTS | {port for _, port in self.allowed}

    def exempts(self, address: WebAddress) -> bool:
        return (address.host, address.port) in self.allowed

    def check(self, address: WebAddress) -> None:
        """What can be said without asking for the name's addresses. Raises AddressRefused."""
        if self.exempts(address):
            return
        if address.port not in PORTS:
            ports = ", ".join(map(str, sorted(PORTS)))
            raise AddressRefused(f"{address.origin} is refused: only the ports {ports} are fetched from.")
        if address.ip is not None:
            self.check_ip(address, address.ip)
        elif "." not in address.host or address.host.endswith(tuple(f".{name}" for name in _LOCAL_ENDINGS)):
            raise AddressRefused(f"{address.origin} is refused: it is a name of a local network, not of the web.")

    def check_ip(self, address: WebAddress, ip: IpAddress, own: frozenset[IpAddress] = frozenset()) -> None:
        """`own` are the addresses of this machine. Raises AddressRefused."""
        if self.exempts(address):
            return
        what = "this machine" if spoken_to(ip) in own else refusal_of(ip)
        if what is not None:
            raise AddressRefused(f"{address.origin} is refused: its address {ip} is {what}.")


def _entry(text: str) -> tuple[str, int]:
    if ":" not in text.rpartition("]")[2]:
        raise ValueError(f"{text!r} must be a host with its port, such as mirror.example:8081.")
    try:
        address = parse_address(f"http://{text}/")
    except BadAddress as error:
        raise ValueError(f"{text!r} is no host with its port: {error}") from error
    if address.target != "/":
        raise ValueError(f"{text!r} must be a host with its port and nothing else.")
    return address.host, address.port
