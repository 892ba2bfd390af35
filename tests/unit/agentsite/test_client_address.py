"""The client address of a request comes from our own proxies, and never from headers of the client."""

import pytest
from django.test import RequestFactory
from pytest_django.fixtures import Settings

from agentsite.http.client_address import client_address


@pytest.mark.parametrize(
    ("proxies", "forwarded", "peer", "expected"),
    [
        (0, "198.51.100.1", "192.0.2.1", "192.0.2.1"),
        (1, "", "192.0.2.1", "192.0.2.1"),
        (1, "198.51.100.1", "192.0.2.1", "198.51.100.1"),
        (1, "203.0.113.66, 198.51.100.1", "192.0.2.1", "198.51.100.1"),
        (2, "203.0.113.66, 198.51.100.1, 192.0.2.2", "192.0.2.1", "198.51.100.1"),
        (3, "198.51.100.1", "192.0.2.1", "198.51.100.1"),
        (1, "198.51.100.1:4711", "192.0.2.1", "198.51.100.1"),
        (1, "[2001:db8::1]:4711", "192.0.2.1", "2001:db8::1"),
        (0, "", "::ffff:192.0.2.1", "192.0.2.1"),
        (0, "", "fe80::1%eth0", "fe80::1"),
        (0, "", "", "::"),
        (1, "unknown", "192.0.2.1", "::"),
    ],
)
def test_the_address_is_what_the_outermost_own_proxy_saw(
    proxies: int, forwarded: str, peer: str, expected: str, settings: Settings
) -> None:
    settings.PROXY_COUNT = proxies
    headers = {"X-Forwarded-For": forwarded} if forwarded else {}
    assert client_address(RequestFactory().get("/", headers=headers, REMOTE_ADDR=peer)) == expected
