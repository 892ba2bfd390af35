"""The headers that a preview changes in requests to its program and in the responses."""

import pytest

from sessions_app.workers.preview.heads import (
    COOKIE,
    cookies_named,
    location,
    request_headers,
    response_headers,
    stored_cookie,
)

ORIGIN = "https://5173-abc.preview.example.net"
SITE = "https://agents.example.org"


def sent(*headers: tuple[bytes, bytes]) -> dict[bytes, bytes]:
    return {name.lower(): value for name, value in request_headers(list(headers), port=5173, origin=ORIGIN)}


def test_the_program_gets_its_own_address() -> None:
    found = sent((b"host", b"5173-abc.preview.example.net"), (b"origin", ORIGIN.encode()), (b"accept", b"*/*"))
    assert found == {b"host": b"localhost:5173", b"origin": b"http://localhost:5173", b"accept": b"*/*"}


def test_another_origin_stays_visible() -> None:
    assert sent((b"origin", b"https://evil.example"))[b"origin"] == b"https://evil.example"
    assert sent((b"origin", f"{ORIGIN}.evil.example".encode()))[b"origin"] == f"{ORIGIN}.evil.example".encode()
    assert sent((b"referer", f"{ORIGIN}.evil.example/".encode()))[b"referer"].startswith(b"https://")


def test_our_cookie_and_the_way_of_the_request_are_not_passed_on() -> None:
    cookies = f"a=1; {COOKIE}=secret; b=2".encode()
    found = sent((b"cookie", cookies), (b"x-forwarded-for", b"1.2.3.4"), (b"forwarded", b"for=x"), (b"via", b"x"))
    assert found == {b"host": b"localhost:5173", b"cookie": b"a=1; b=2"}
    assert sent((b"cookie", f"{COOKIE}=secret".encode())) == {b"host": b"localhost:5173"}


def test_all_cookies_with_our_name_are_tried() -> None:
    headers = [(b"cookie", f"{COOKIE}=one; other=x; {COOKIE}=two".encode())]
    assert list(cookies_named(headers, COOKIE)) == ["one", "two"]


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (b"http://localhost:5173/a?b#c", b"/a?b#c"),
        (b"http://127.0.0.1:5173", b"/"),
        (b"https://[::1]:5173/a", b"/a"),
        (b"http://localhost:8000/a", b"http://localhost:8000/a"),
        (b"https://example.org/a", b"https://example.org/a"),
        (b"/a", b"/a"),
        (b"http://[broken", b"http://[broken"),
    ],
)
def test_redirects_to_the_program_lead_to_the_preview(given: bytes, shown: bytes) -> None:
    assert location(given, 5173) == shown


def test_cookies_are_kept_for_this_host_and_also_in_a_frame() -> None:
    rest = b"; Secure; SameSite=None; Partitioned"
    assert stored_cookie(b"a=1; Domain=preview.example.net; Path=/x; SameSite=Lax; Secure") == b"a=1; Path=/x" + rest
    assert stored_cookie(f"{COOKIE.upper()}=x; Path=/".encode()) == b""


def test_a_frame_of_the_site_may_show_it_and_no_other() -> None:
    given = [(b"x-frame-options", b"DENY"), (b"content-security-policy", b"default-src 'self'"), (b"etag", b"x")]
    found = response_headers(given, port=5173, site=SITE)
    assert (b"x-frame-options", b"DENY") not in found
    assert (b"content-security-policy", b"default-src 'self'") in found
    assert (b"Content-Security-Policy", f"frame-ancestors 'self' {SITE}".encode()) in found
