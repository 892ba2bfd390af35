"""Every operation refuses unknown fields and query parameters, and names them in the error."""

import json
from typing import Any

import pytest
from django.test import Client

from agentsite.tenancy.models import Project, Team
from agentsite.tenancy.roles import Role
from tests.support.builders import browser_of, make_member, make_project, make_team

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture
def team() -> Team:
    return make_team()


@pytest.fixture
def browser(team: Team) -> Client:
    return browser_of(make_member(team, Role.OWNER))


def _send(browser: Client, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
    content = b"" if body is None else json.dumps(body).encode()
    return browser.generic(method, f"/api/v1{path}", content, content_type="application/json")


def _refused(answer: Any, code: str) -> set[str]:
    """Check that the response refuses the request with this error code, and return the refused field names."""
    assert answer.status_code == 422, answer.content
    error = answer.json()["error"]
    assert set(error) == {"code", "message", "hint", "fields", "request_id"}
    assert error["code"] == code
    assert error["hint"]
    assert all(f"'{name}'" in error["message"] for name in error["fields"])
    return set(error["fields"])


def test_a_project_with_a_field_that_projects_do_not_have(browser: Client, team: Team) -> None:
    body = {"name": "Shop", "git_url": "https://example.org/shop.git", "branch": "main"}
    answer = _send(browser, "POST", f"/teams/{team.public_id}/projects", body)
    assert _refused(answer, "unknown_field") == {"git_url", "branch"}
    assert not Project.objects.exists()


def test_an_unknown_field_is_named_before_a_missing_one(browser: Client, team: Team) -> None:
    answer = _send(browser, "POST", f"/teams/{team.public_id}/projects", {"nmae": "Shop"})
    assert _refused(answer, "unknown_field") == {"nmae"}


@pytest.mark.parametrize(
    ("method", "path", "body", "names"),
    [
        ("POST", "/teams", {"name": "Tea", "plan": "large"}, {"plan"}),
        ("PATCH", "/me", {"name": "Ada", "is_operator": True}, {"is_operator"}),
        ("POST", "/tokens", {"name": "x", "scope": "read"}, {"scope"}),
        ("POST", "/teams/{team}/invitations", {"email": "a@example.org", "role": "member", "admin": True}, {"admin"}),
        ("POST", "/projects/{project}/sessions", {"titel": "Repair"}, {"titel"}),
        (
            "POST",
            "/projects/{project}/agents",
            {"name": "mine", "document": {"promt": "Be kind."}},
            {"document.promt"},
        ),
        (
            "PUT",
            "/policies/{team}",
            {"base_version": 0, "document": {"rules": [{"permission": "bash", "action": "ask", "patern": "*"}]}},
            {"document.rules.0.patern"},
        ),
    ],
)
def test_unknown_fields_are_named_with_their_place(
    browser: Client, team: Team, method: str, path: str, body: dict[str, Any], names: set[str]
) -> None:
    address = path.format(team=team.public_id, project=make_project(team).public_id)
    assert _refused(_send(browser, method, address, body), "unknown_field") == names


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/me?verbose=1"),
        ("GET", "/teams?page=2&fields=id"),
        ("GET", "/projects?limt=5&limit=5"),
        ("GET", "/sessions?state=idle"),
        ("GET", "/site?x="),
        ("GET", "/events?from=0"),
        ("POST", "/teams?dry_run=1"),
    ],
)
def test_unknown_query_parameters(browser: Client, team: Team, method: str, path: str) -> None:
    body = {"name": "Tea"} if method == "POST" else None
    answer = _send(browser, method, path.format(team=team.public_id), body)
    first = path.partition("?")[2].partition("=")[0]
    assert _refused(answer, "unknown_parameter") == {first}
    assert Team.objects.count() == 1


def test_who_is_not_signed_in_reads_only_that() -> None:
    answer = _send(Client(), "GET", "/projects?limt=5")
    assert answer.status_code == 401


def test_a_message_names_only_a_few_of_many_fields(browser: Client) -> None:
    answer = _send(browser, "POST", "/teams", {"name": "Tea", **{f"field{n}" * 50: n for n in range(100)}})
    error = answer.json()["error"]
    assert answer.status_code == 422
    assert len(error["message"]) < 500
    assert len(error["fields"]) == 100
