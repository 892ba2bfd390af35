import ssl

import pytest

from tools_app.network.server_name import MAX_HELLO, Incomplete, NotTls, read_server_name


def greeting(name: str | None) -> bytes:
    """Return the first bytes that a real TLS client sends."""
    context = ssl.create_default_context()
    context.check_hostname = False
    received, sent = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = context.wrap_bio(received, sent, server_hostname=name)
    with pytest.raises(ssl.SSLWantReadError):
        client.do_handshake()
    return sent.read()


def test_the_name_that_a_client_asks_for_is_read() -> None:
    assert read_server_name(greeting("pypi.org")) == "pypi.org"
    assert read_server_name(greeting("xn--bcher-kva.example")) == "xn--bcher-kva.example"


def test_a_client_may_name_no_host() -> None:
    assert read_server_name(greeting(None)) is None


@pytest.mark.parametrize("size", [0, 1, 5, 100, 300])
def test_part_of_a_greeting_needs_more(size: int) -> None:
    with pytest.raises(Incomplete):
        read_server_name(greeting("pypi.org")[:size])


@pytest.mark.parametrize("begin", [b"GET / HTTP/1.1\r\n\r\n", b"SSH-2.0-OpenSSH_9.2\r\n", b"\0" * 64])
def test_anything_else_is_not_tls(begin: bytes) -> None:
    with pytest.raises(NotTls):
        read_server_name(begin)


def test_a_greeting_that_never_ends_is_not_tls() -> None:
    with pytest.raises((NotTls, Incomplete)):
        read_server_name(b"\x16\x03\x01\x40\x00\x01\x00\xff\xff" + b"\0" * 1000)
    with pytest.raises(NotTls):
        read_server_name((b"\x16\x03\x01\x3f\xff\x01\x00\xff\xff" + b"\0" * (0x3FFF - 4)) * 5 + b"\0" * MAX_HELLO)
