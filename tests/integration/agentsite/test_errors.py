"""The API answers every error in the same shape, and reveals nothing confidential."""

import pytest
from django.test import Client

from tests.support.builders import bearer, browser_of, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def _error(answer: object) -> dict[str, object]:
    body: dict[str, dict[str, object]] = answer.json()  # type: ignore[attr-defined]
    assert set(body) == {"error"}
    assert set(body["error"]) == {"code", "message", "hint", "fields", "request_id"}
    return body["error"]


def _post(body: str | bytes) -> object:
    headers = bearer(make_user())
    return Client().post("/api/v1/tokens", body, content_type="application/json", headers=headers)


@pytest.mark.parametrize("body", ["{bad", b"\xff\xfe", "", '{"name": '])
def test_a_body_that_is_no_json(body: str | bytes) -> None:
    answer = _post(body)
    error = _error(answer)
    assert answer.status_code == 400  # type: ignore[attr-defined]
    assert error["code"] in {"malformed_json", "bad_input"}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ("{}", "name"),
        ('{"name": 7}', "name"),
        ('{"name": ""}', "name"),
        ('{"name": "x", "expires_at": "soon"}', "expires_at"),
        ('{"name": "x", "expires_at": "2001-01-01T00:00:00Z"}', "expires_at"),
    ],
)
def test_a_field_that_is_wrong_is_named(body: str, field: str) -> None:
    error = _error(_post(body))
    assert error["code"] == "bad_input"
    assert field in error["fields"]  # type: ignore[operator]


@pytest.mark.parametrize("body", ["[]", '"x"', "7", "null"])
def test_a_body_that_is_no_object(body: str) -> None:
    assert _error(_post(body))["code"] == "bad_input"


def test_a_body_beyond_the_limit() -> None:
    answer = _post(b'{"name": "' + b"x" * 3_000_000 + b'"}')
    assert answer.status_code == 413  # type: ignore[attr-defined]
    assert _error(answer)["code"] == "too_large"


@pytest.mark.parametrize("path", ["/api/v1/nothing", "/api/nothing", "/api/v2/me", "/_allauth/nothing", "/ws/nothing"])
def test_an_unknown_address_of_the_api(path: str) -> None:
    answer = Client().get(path)
    assert answer.status_code == 404
    assert _error(answer)["code"] == "not_found"


def test_a_program_that_writes_to_a_mistyped_address_reads_that() -> None:
    answer = Client(enforce_csrf_checks=True).post("/api/v1/permission-requests//reply", {})
    assert answer.status_code == 404
    assert _error(answer)["code"] == "not_found"


def test_a_method_that_an_address_does_not_take() -> None:
    answer = browser_of(make_user()).put("/api/v1/me")
    assert answer.status_code == 405
    assert _error(answer)["code"] == "method_not_allowed"
    assert "GET" in answer.headers["Allow"]


def test_a_host_name_that_is_not_ours() -> None:
    answer = Client().get("/api/v1/site", headers={"Host": "evil.example"})
    assert answer.status_code == 400
    assert _error(answer)["code"] == "bad_input"


def test_the_request_id_leads_from_the_answer_to_the_log() -> None:
    answer = Client().get("/api/v1/me", headers={"X-Request-ID": "given-by-the-proxy"})
    assert _error(answer)["request_id"] == "given-by-the-proxy"
    assert answer.headers["X-Request-ID"] == "given-by-the-proxy"


def test_a_request_id_that_could_forge_log_lines_is_replaced() -> None:
    answer = Client().get("/api/v1/me", headers={"X-Request-ID": "a b\tc;d"})
    assert _error(answer)["request_id"] != "a b\tc;d"


@pytest.fixture
def broken_view(monkeypatch: pytest.MonkeyPatch) -> str:
    """Add a view that raises an error with a secret in it."""

    def fail(*_args: object, **_kwargs: object) -> None:
        raise RuntimeError("password=hunter2")

    monkeypatch.setattr("agentsite.tenancy.rest.projects.paginate", fail)
    return "/api/v1/projects"


def test_a_failure_of_ours_says_nothing_about_its_cause(broken_view: str) -> None:
    answer = browser_of(make_user()).get(broken_view)
    assert answer.status_code == 500
    assert _error(answer)["code"] == "internal_error"
    assert b"hunter2" not in answer.content
    assert b"Traceback" not in answer.content
