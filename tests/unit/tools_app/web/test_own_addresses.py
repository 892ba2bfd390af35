from ipaddress import ip_address

from tools_app.web.guarded.own_addresses import _parse_ipv4, _parse_ipv6, own_addresses

TRIE = """Local:
  +-- 0.0.0.0/0 3 0 5
     |-- 0.0.0.0
        /0 universe UNICAST
     +-- 192.0.2.0/24 2 0 2
           |-- 192.0.2.0
              /24 link UNICAST
           |-- 192.0.2.7
              /32 host LOCAL
           |-- 192.0.2.255
              /32 link BROADCAST
        |-- 127.0.0.1
           /32 host LOCAL
"""
IPV6 = "00000000000000000000000000000001 01 80 10 80       lo\n20010db8000000000000000000000007 02 40 00 00     eth0\n"


def test_what_the_kernel_calls_local_is_ours() -> None:
    assert _parse_ipv4(TRIE) == [ip_address("192.0.2.7"), ip_address("127.0.0.1")]
    assert _parse_ipv6(IPV6) == [ip_address("::1"), ip_address("2001:db8::7")]


def test_this_machine_has_addresses() -> None:
    assert ip_address("127.0.0.1") in own_addresses()
