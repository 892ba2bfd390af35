"""Which IP addresses are the public web, and which are somebody's own. Pure.

The tables follow IANA's registries of special-purpose IPv4 and IPv6 addresses. Of IPv6 only what is handed out for the
Internet (2000::/3) is public at all; where an address carries an IPv4 address, that one decides.
"""

from ipaddress import IPv4Address, IPv4Network, IPv6Network
from typing import Final

from tools_app.web.address import IpAddress

_V4: Final = tuple(
    (IPv4Network(network), what)
    for network, what in (
        ("0.0.0.0/8", "this machine"),
        ("10.0.0.0/8", "a private network"),
        ("100.64.0.0/10", "a provider's own network"),
        ("127.0.0.0/8", "this machine"),
        ("168.63.129.16/32", "a cloud's own service"),  # the one of Azure, a public address that leads inside
        ("169.254.0.0/16", "the local link, where clouds tell machines their secrets"),
        ("172.16.0.0/12", "a private network"),
        ("192.0.0.0/24", "a network for protocols"),
        ("192.0.2.0/24", "a network for documentation"),
        ("192.88.99.0/24", "a relay between IPv6 and IPv4"),
        ("192.168.0.0/16", "a private network"),
        ("198.18.0.0/15", "a network for measurements"),
        ("198.51.100.0/24", "a network for documentation"),
        ("203.0.113.0/24", "a network for documentation"),
        ("224.0.0.0/4", "a group of machines"),
        ("240.0.0.0/4", "a reserved network"),
    )
)
_V6: Final = tuple(
    (IPv6Network(network), what)
    for network, what in (
        ("2001::/23", "a network for protocols"),  # Teredo among them, which carries IPv4
        ("2001:db8::/32", "a network for documentation"),
        ("2002::/16", "a tunnel to an IPv4 address"),
        ("3fff::/20", "a network for documentation"),
    )
)
_PUBLIC_V6: Final = IPv6Network("2000::/3")
_NAT64: Final = IPv6Network("64:ff9b::/96")
_ISATAP: Final = (0x00005EFE, 0x02005EFE)


def refusal_of(ip: IpAddress) -> str | None:
    """What the address is instead of a place on the public web ("a private network"); None when it is one."""
    ip = spoken_to(ip)
    if isinstance(ip, IPv4Address):
        return next((what for network, what in _V4 if ip in network), None)
    if ip not in _PUBLIC_V6:
        return "not a public IPv6 address"
    if int(ip) >> 32 & 0xFFFFFFFF in _ISATAP:
        return "a tunnel to an IPv4 address"
    return next((what for network, what in _V6 if ip in network), None)


def spoken_to(ip: IpAddress) -> IpAddress:
    """The address that a machine would really speak to: the IPv4 address within, where there is one."""
    if isinstance(ip, IPv4Address):
        return ip
    if ip in _NAT64:
        return IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip.ipv4_mapped or ip
