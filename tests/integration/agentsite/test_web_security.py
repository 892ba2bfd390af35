"""Every response has the security headers, for every address and every caller."""

import re
from collections.abc import Iterator
from typing import Any, Final

import pytest
from django.contrib.admindocs.views import simplify_regex
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from pytest_django import Settings

from agentsite.http.middleware import DATA_POLICY, DEFAULT_HEADERS, is_data
from tests.support.account_browser import make_account
from tests.support.builders import PASSWORD, browser_of, make_member, make_team
from tests.support.lanes import sampled
from tests.support.tenancy_requests import operations

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

FAILURES: Final = (
    "//evil.example/", "/\\evil.example", "/api/nothing", "/api/v1/nothing", "/static/nothing.js", "/ws/me", "/%00",
    "/_allauth/nothing", "/robots.txt", "/.well-known/security.txt", "/favicon.ico", "/" + "x" * 5000,
)  # fmt: skip


def _patterns(resolver: URLResolver, before: str = "") -> Iterator[str]:
    for entry in resolver.url_patterns:
        address = before + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from _patterns(entry, address)
        elif isinstance(entry, URLPattern):
            yield address


def addresses() -> list[str]:
    """Return an address for every URL pattern, and some addresses without a pattern."""
    made = {
        re.sub(r"<[^>]*>", "1", simplify_regex(pattern)).replace("//", "/") for pattern in _patterns(get_resolver())
    }
    own = {one.path.format(**dict.fromkeys(one.path_ids, "ses_1")) for one in operations()}
    return sorted((made | own | set(FAILURES)) - {"/api/v1/sessions/ses_1/events"})


def assert_guarded(answer: Any, path: str) -> None:
    for name, value in DEFAULT_HEADERS.items():
        stricter = {"no-referrer"} if name == "Referrer-Policy" else set()
        assert answer.headers.get(name) in {value, *stricter}, (path, name)
    policy = answer.headers["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert "default-src 'self'" in policy or "default-src 'none'" in policy
    if is_data(path):
        assert "sandbox" in policy
        assert {"no-store", "private"} & set(re.split(r"[,\s]+", answer.headers["Cache-Control"])), path
    assert "evil.example" not in answer.headers.get("Location", ""), path


def read_by_nobody(path: str) -> Any:
    return Client().get(path)


def read_by_a_member(path: str) -> Any:
    return browser_of(make_member(make_team())).get(path)


def written_by_a_member(path: str) -> Any:
    return browser_of(make_member(make_team())).generic("POST", path, b"{", content_type="application/json")


@pytest.mark.parametrize(("number", "path"), sampled(list(enumerate(addresses())), every=2))
def test_every_answer_at_every_address_is_guarded(number: int, path: str) -> None:
    for ask in sampled((read_by_nobody, read_by_a_member, written_by_a_member), every=3, start=number):
        assert_guarded(ask(path), path)


def test_an_answer_that_another_layer_gave_is_guarded_too() -> None:
    too_long = Client().generic("POST", "/_allauth/browser/v1/auth/login", b"x" * 20_000)
    assert too_long.status_code == 413
    assert_guarded(too_long, "/_allauth/")
    csrf = Client(enforce_csrf_checks=True).post("/_allauth/browser/v1/auth/login", {}, content_type="application/json")
    assert csrf.status_code == 403
    assert_guarded(csrf, "/_allauth/")


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "localhost@evil.example", "[::1", "a b", ""]
)
@pytest.mark.parametrize("path", ["/", "/api/v1/site", "/api/docs"])
def test_a_host_that_is_not_ours_is_refused_and_not_repeated(host: str, path: str) -> None:
    answer = Client().get(path, headers={"host": host})
    assert answer.status_code == 400
    assert "evil" not in answer.content.decode()
    assert_guarded(answer, path)


def test_what_a_proxy_says_of_the_host_is_not_believed() -> None:
    answer = Client().get("/api/v1/site", headers={"x-forwarded-host": "evil.example", "x-forwarded-server": "evil"})
    assert answer.status_code == 200
    assert "evil" not in answer.content.decode()


@pytest.mark.parametrize("path", ["//evil.example/x", "/\\evil.example", "/%5cevil.example", "/.evil.example"])
def test_the_way_to_https_leads_to_ourselves(path: str, settings: Settings) -> None:
    settings.SECURE_SSL_REDIRECT = True
    answer = Client().get(path)
    assert answer.status_code == 301
    assert answer.headers["Location"].startswith("https://testserver/")


def test_over_https_browsers_are_told_to_stay_there(settings: Settings) -> None:
    settings.SECURE_HSTS_SECONDS = 31_536_000
    assert Client().get("/api/v1/site", secure=True).headers["Strict-Transport-Security"] == "max-age=31536000"
    assert "Strict-Transport-Security" not in Client().get("/api/v1/site").headers


def test_the_proxys_word_about_https_counts_only_where_it_is_believed(settings: Settings) -> None:
    settings.SECURE_HSTS_SECONDS = 31_536_000
    told = {"x-forwarded-proto": "https"}
    assert "Strict-Transport-Security" not in Client().get("/api/v1/site", headers=told).headers
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    assert "Strict-Transport-Security" in Client().get("/api/v1/site", headers=told).headers


@pytest.mark.parametrize("path", ["/", "/api/v1/me", "/api/docs", "/_allauth/browser/v1/config"])
def test_behind_a_prefix_the_same_headers_are_told(path: str) -> None:
    answer = Client().get(path, SCRIPT_NAME="/tools/agents")
    assert_guarded(answer, path)


def test_behind_a_prefix_a_sign_in_is_bounded_too() -> None:
    path = "/_allauth/browser/v1/auth/login"
    assert Client().generic("POST", path, b"x" * 20_000, SCRIPT_NAME="/tools").status_code == 413


def test_with_secure_cookies_their_names_bind_them_to_this_host(settings: Settings) -> None:
    settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME = "__Host-agentsite_session", "__Host-csrftoken"
    settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = True
    user, browser = make_account(), Client()
    given = browser.get("/", secure=True).cookies
    login = {"email": user.email, "password": PASSWORD}
    path = "/_allauth/browser/v1/auth/login"
    answer = browser.post(path, login, content_type="application/json", secure=True)
    assert answer.status_code == 200
    for cookie in ((given | answer.cookies)[name] for name in ("__Host-agentsite_session", "__Host-csrftoken")):
        assert (cookie["secure"], cookie["path"], cookie["domain"], cookie["samesite"]) == (True, "/", "", "Lax")
    assert answer.cookies["__Host-agentsite_session"]["httponly"]
    assert browser.get("/api/v1/me", secure=True).status_code == 200


def test_the_policy_of_data_runs_loads_and_frames_nothing() -> None:
    assert "default-src 'none'" in DATA_POLICY
    assert Client().get("/api/v1/site").headers["Content-Security-Policy"] == DATA_POLICY
