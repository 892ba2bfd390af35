from ipaddress import ip_address

import pytest

from tools_app.web.address import parse_address
from tools_app.web.networks import refusal_of
from tools_app.web.rules import AddressRefused, WebRules


@pytest.mark.parametrize("ip", ["93.184.216.34", "8.8.8.8", "172.32.0.1", "2606:4700::1111", "::ffff:8.8.8.8"])
def test_the_public_web_is_public(ip: str) -> None:
    assert refusal_of(ip_address(ip)) is None


@pytest.mark.parametrize(
    "ip", ["127.0.0.1", "10.1.1.1", "169.254.169.254", "168.63.129.16", "::1", "fd00::1", "64:ff9b::a00:1"]
)
def test_what_is_somebodys_own_is_named(ip: str) -> None:
    assert refusal_of(ip_address(ip))


def test_an_exempted_host_is_exempted_by_its_exact_name_and_port_only() -> None:
    rules = WebRules.exempting(["mirror.internal:8081", "[fd00::1]:80", "10.0.0.5:9000"])
    for url in ("http://mirror.internal:8081/x", "http://[fd00::1]/", "http://10.0.0.5:9000/"):
        rules.check(parse_address(url))
    for url in (
        "http://mirror.internal/",
        "http://a.mirror.internal:8081/",
        "http://10.0.0.5/",
        "http://10.0.0.6:9000/",
    ):
        with pytest.raises(AddressRefused):
            rules.check(parse_address(url))


def test_the_address_of_an_exempted_host_is_not_judged() -> None:
    rules, ip = WebRules.exempting(["mirror.internal:8081"]), ip_address("10.0.0.5")
    rules.check_ip(parse_address("http://mirror.internal:8081/"), ip)
    with pytest.raises(AddressRefused, match=r"10\.0\.0\.5 is in a private network"):
        rules.check_ip(parse_address("http://mirror.internal/"), ip)


@pytest.mark.parametrize("entry", ["mirror.internal", "mirror.internal:8081/path", "user@host:80", "0x7f.1:80", ""])
def test_what_names_no_exact_host_exempts_nothing(entry: str) -> None:
    with pytest.raises(ValueError, match="host with its port"):
        WebRules.exempting([entry])


def test_this_machines_own_public_address_is_refused() -> None:
    own = frozenset({ip_address("93.184.216.34")})
    address = parse_address("http://example.org/")
    for ip in ("93.184.216.34", "::ffff:93.184.216.34"):
        with pytest.raises(AddressRefused, match="this machine"):
            WebRules().check_ip(address, ip_address(ip), own)
    WebRules().check_ip(address, ip_address("93.184.216.35"), own)
