"""Rewrite the heads of requests and responses, so that a program sees requests to http://localhost:PORT, and a browser
sees responses from the preview's own origin."""

import re
from collections.abc import Iterable, Iterator
from typing import Final
from urllib.parse import urlsplit

COOKIE: Final = "__Host-agentsite-preview"
"""Browsers accept a cookie with this prefix only from this host itself, so no page of another host can replace it."""

Headers = list[tuple[bytes, bytes]]

HOP_BY_HOP: Final = frozenset(
    {b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"proxy-connection", b"te",
     b"trailer", b"transfer-encoding", b"upgrade"}
)  # fmt: skip
OF_PROXIES: Final = frozenset({b"forwarded", b"via", b"x-real-ip", b"host", b"expect"})
"""Headers in which proxies describe the browser and the host that it asked for. The program does not get them, because
it would use another host name than localhost."""
NOT_SHOWN: Final = frozenset(
    {b"x-frame-options", b"strict-transport-security", b"clear-site-data", b"alt-svc", b"public-key-pins",
     b"service-worker-allowed"}
)  # fmt: skip
"""Headers of a response that would hide the page in its frame, or have an effect after the page is closed."""
LOCAL_NAMES: Final = ("localhost", "127.0.0.1", "0.0.0.0", "[::1]")  # noqa: S104 - compared only
_ATTRIBUTES: Final = re.compile(rb"\s*(domain|samesite|secure|partitioned)\s*(=.*)?", re.IGNORECASE)


def cookies_named(headers: Iterable[tuple[bytes, bytes]], name: str) -> Iterator[str]:
    """Return the values of all cookies with this name: several if pages have set it for several paths."""
    for pair in _cookies(headers):
        key, _, value = pair.partition(b"=")
        if key == name.encode():
            yield value.decode("latin-1")


def request_headers(headers: Headers, *, port: int, origin: str) -> Headers:
    """Return a request's headers for the program: without our cookie, and with the program's own address in place of
    `origin`."""
    here = f"http://localhost:{port}".encode()
    shown = origin.encode()
    result: Headers = [(b"Host", here.removeprefix(b"http://"))]
    for name, value in headers:
        if name in HOP_BY_HOP or name in OF_PROXIES or name.startswith(b"x-forwarded-") or name == b"cookie":
            continue
        changed = value
        if name == b"origin" and value == shown:
            changed = here
        elif name == b"referer" and value.startswith(shown + b"/"):
            changed = here + value[len(shown) :]
        result.append((name, changed))
    kept = [pair for pair in _cookies(headers) if pair.partition(b"=")[0] != COOKIE.encode()]
    if kept:
        result.append((b"Cookie", b"; ".join(kept)))
    return result


def response_headers(headers: Headers, *, port: int, site: str) -> Headers:
    """Return a response's headers for the browser, including the security headers of `protection`. Only pages of the
    preview itself and of `site` may show the response in a frame."""
    result: Headers = []
    for name, value in headers:
        if name in HOP_BY_HOP or name in NOT_SHOWN:
            continue
        if name == b"location":
            result.append((name, location(value, port)))
        elif name == b"set-cookie":
            if cookie := stored_cookie(value):
                result.append((name, cookie))
        else:
            result.append((name, value))
    return [*result, *protection(site)]


def protection(site: str) -> Headers:
    """Return the security headers for all responses of a preview. `site` lists the origins whose pages may show the
    preview in a frame."""
    return [
        (b"Content-Security-Policy", f"frame-ancestors 'self' {site}".encode()),
        (b"Origin-Agent-Cluster", b"?1"),
        (b"X-Robots-Tag", b"noindex"),
    ]


def location(value: bytes, port: int) -> bytes:
    """Return the value of a `Location` header for the browser: an address of the program behind the preview becomes a
    path on the preview's origin."""
    text = value.decode("latin-1")
    try:
        parts = urlsplit(text)
        is_own = parts.scheme in ("http", "https") and parts.netloc.lower() in [f"{n}:{port}" for n in LOCAL_NAMES]
    except ValueError:
        return value
    if not is_own:
        return value
    rest = text.split(parts.netloc, 1)[1]
    return (rest if rest.startswith("/") else f"/{rest}").encode("latin-1")


def stored_cookie(value: bytes) -> bytes:
    """Return a cookie of the program with attributes that let the browser store it for the preview's origin, also in a
    frame; b"" if it has the same name as the preview server's cookie."""
    pair, *attributes = value.split(b";")
    if pair.partition(b"=")[0].strip().lower() == COOKIE.lower().encode():
        return b""
    kept = [each for each in attributes if not _ATTRIBUTES.fullmatch(each)]
    return b";".join([pair, *kept, b" Secure", b" SameSite=None", b" Partitioned"])


def grant_cookie(secret: str, max_age: int) -> bytes:
    """Return the cookie of a grant. Because it is partitioned, browsers store one cookie for a frame of the site and
    another for a tab, so each of them needs a ticket of its own."""
    return f"{COOKIE}={secret}; Path=/; Max-Age={max_age}; Secure; HttpOnly; SameSite=None; Partitioned".encode()


def _cookies(headers: Iterable[tuple[bytes, bytes]]) -> Iterator[bytes]:
    for name, value in headers:
        if name == b"cookie":
            yield from (pair for each in value.split(b";") if (pair := each.strip()))
