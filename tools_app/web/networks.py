"""refusal_of(): decide whether an IP address belongs to the public web. Pure functions.

The tables follow IANA's registries of special-purpose IPv4 and IPv6 addresses. Of IPv6, only addresses assigned for the
Internet (2000::/3) are public. If an address contains an IPv4 address, the IPv4 address decides.
"""

from ipaddress import IPv4Address, IPv4Network, IPv6Network
from typing import Final

from tools_app.web.address import IpAddress

_V4: Final = tuple(
    (IPv4Network(network), what)
    for network, what in (
        ("0.0.0.0/8", "this machine"),
        ("10.0.0.0/8", "in a private network"),
        ("100.64.0.0/10", "in a provider's internal network"),
        ("127.0.0.0/8", "this machine"),
        ("168.63.129.16/32", "an internal service of a cloud"),  # Azure's; the address looks public
        ("169.254.0.0/16", "link-local, where clouds serve credentials to machines"),
        ("172.16.0.0/12", "in a private network"),
        ("192.0.0.0/24", "in a network for protocols"),
        ("192.0.2.0/24", "in a network for documentation"),
        ("192.88.99.0/24", "a relay between IPv6 and IPv4"),
        ("192.168.0.0/16", "in a private network"),
        ("198.18.0.0/15", "in a network for benchmarks"),
        ("198.51.100.0/24", "in a network for documentation"),
        ("203.0.113.0/24", "in a network for documentation"),
        ("224.0.0.0/4", "a multicast address"),
        ("240.0.0.0/4", "in a reserved network"),
    )
)
_V6: Final = tuple(
    (IPv6Network(network), what)
    for network, what in (
        ("2001::/23", "in a network for protocols"),  # includes Teredo, which contains IPv4 addresses
        ("2001:db8::/32", "in a network for documentation"),
        ("2002::/16", "a tunnel to an IPv4 address"),
        ("3fff::/20", "in a network for documentation"),
    )
)
_PUBLIC_V6: Final = IPv6Network("2000::/3")
_NAT64: Final = IPv6Network("64:ff9b::/96")
_ISATAP: Final = (0x00005EFE, 0x02005EFE)


def refusal_of(ip: IpAddress) -> str | None:
    """Return a description of the address ("in a private network") if it is not on the public web; None if it is."""
    ip = effective_ip(ip)
    if isinstance(ip, IPv4Address):
        return next((what for network, what in _V4 if ip in network), None)
    if ip not in _PUBLIC_V6:
        return "not a public IPv6 address"
    if int(ip) >> 32 & 0xFFFFFFFF in _ISATAP:
        return "a tunnel to an IPv4 address"
    return next((what for network, what in _V6 if ip in network), None)


def effective_ip(ip: IpAddress) -> IpAddress:
    """Return the address that a connection goes to: the IPv4 address that an IPv6 address contains, if any."""
    if isinstance(ip, IPv4Address):
        return ip
    if ip in _NAT64:
        return IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip.ipv4_mapped or ip
