import gzip
import socket
import zlib

import pytest

from tools_app.web.address import parse_address
from tools_app.web.guarded.connect import FetchFailed
from tools_app.web.guarded.exchange import PageResponse, get

LIMIT = 100_000
MIB = 1 << 20


def answered(raw: bytes, *, limit: int = LIMIT) -> PageResponse:
    """Return the parsed response of a server that sends exactly these bytes and hangs up."""
    here, there = socket.socketpair()
    with there:
        there.sendall(raw)
        there.shutdown(socket.SHUT_WR)
        return get(parse_address("http://example.org/a?b"), here, wanted="text", limit=limit)


def page(body: bytes, *headers: str) -> bytes:
    head = "\r\n".join(["HTTP/1.1 200 OK", *headers, "", ""])
    return head.encode() + body


def test_a_page_comes_with_its_type_and_charset() -> None:
    answer = answered(page(b"hello", "Content-Type: text/html; charset=ISO-8859-1", "Content-Length: 5"))
    assert (answer.status, answer.media_type, answer.charset, answer.body) == (200, "text/html", "iso-8859-1", b"hello")


def test_the_request_names_the_host_and_carries_nothing_of_ours() -> None:
    here, there = socket.socketpair()
    with there:
        there.sendall(page(b"", "Content-Length: 0"))
        get(parse_address("http://example.org:8080/a?b"), here, wanted="text", limit=LIMIT)
        request = there.recv(MIB).decode()
    assert request.startswith("GET /a?b HTTP/1.1\r\nHost: example.org:8080\r\n")
    assert "cookie" not in request.lower()
    assert "authorization" not in request.lower()


@pytest.mark.parametrize("name", ["gzip", "x-gzip", "deflate"])
def test_compressed_pages_are_unpacked(name: str) -> None:
    body = zlib.compress(b"hello") if name == "deflate" else gzip.compress(b"hello")
    assert answered(page(body, f"Content-Encoding: {name}")).body == b"hello"


def test_deflate_without_a_header_is_understood_too() -> None:
    packer = zlib.compressobj(wbits=-15)
    body = packer.compress(b"hello") + packer.flush()
    assert answered(page(body, "Content-Encoding: deflate")).body == b"hello"


def test_chunks_are_put_together() -> None:
    chunks = b"3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n"
    assert answered(page(chunks, "Transfer-Encoding: chunked")).body == b"hello"


def test_a_small_body_that_would_become_huge_is_refused_before_it_does() -> None:
    bomb = gzip.compress(bytes(20 * MIB))
    assert len(bomb) < LIMIT
    with pytest.raises(FetchFailed, match="larger than"):
        answered(page(bomb, "Content-Encoding: gzip"))


def test_many_small_streams_one_after_the_other_are_bounded_too() -> None:
    with pytest.raises(FetchFailed, match="larger than"):
        answered(page(gzip.compress(bytes(10_000)) * 20, "Content-Encoding: gzip"))


@pytest.mark.parametrize(
    ("raw", "word"),
    [
        (page(b"x" * (LIMIT + 1), f"Content-Length: {LIMIT + 1}"), "larger than"),
        (page(b"x" * (LIMIT + 1)), "larger than"),
        (page(b"x", "Content-Length: 9"), "broke off"),
        (page(b"3\r\nhe", "Transfer-Encoding: chunked"), "proper HTTP"),
        (page(gzip.compress(b"hello" * 99, mtime=0)[:-12], "Content-Encoding: gzip"), "broke off"),
        (page(b"no gzip", "Content-Encoding: gzip"), "damaged"),
        (page(b"x", "Content-Encoding: br"), "not asked for"),
        (page(b"x", "Content-Encoding: gzip, gzip"), "not asked for"),
        (b"", "proper HTTP"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "proper HTTP"),
        (b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 200 + b"\r\n", "proper HTTP"),
        (b"HTTP/1.1 200 OK\r\na: " + b"b" * 70_000 + b"\r\n\r\n", "proper HTTP"),
        (b"HTTP/1.1 999999 OK\r\n\r\n", "proper HTTP"),
    ],
)
def test_what_is_too_large_cut_or_no_http_fails_with_a_reason(raw: bytes, word: str) -> None:
    with pytest.raises(FetchFailed, match=word):
        answered(raw)


def test_a_redirect_has_a_place_and_no_body() -> None:
    answer = answered(b"HTTP/1.1 302 Found\r\nLocation: /there\r\nContent-Length: 999999999\r\n\r\n")
    assert (answer.status, answer.location, answer.body) == (302, "/there", b"")


def test_an_error_is_an_answer_without_a_body() -> None:
    answer = answered(b"HTTP/1.1 404 Not\x07 Found\r\nContent-Length: 3\r\n\r\nabc")
    assert (answer.status, answer.reason, answer.body) == (404, "Not Found", b"")
