"""A token's scopes and restrictions deny actions that the role of its owner permits."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from agentsite.base.errors import NotAllowed
from agentsite.tenancy.actions.tokens import create_token
from agentsite.tenancy.models import ApiToken, AuditEntry, Project, Team, User
from agentsite.tenancy.roles import Role
from agentsite.tenancy.scopes import Scope
from sessions_app.models import Session, Workspace
from tests.support.builders import browser_of, join, make_member, make_project, make_team, make_user

pytestmark = pytest.mark.django_db


class Program:
    """A client that sends requests with an API token that has the given scopes."""

    def __init__(self, user: User, scopes: Iterable[str] = Scope, **options: Any) -> None:
        issued = create_token(actor=user, name="test", scopes=scopes, **options)
        self.token = issued.token
        self._headers = {"Authorization": f"Bearer {issued.secret}"}

    def __call__(self, method: str, path: str, body: Any = None) -> Any:
        return Client().generic(
            method, f"/api/v1{path}", _json(body), content_type="application/json", headers=self._headers
        )


def _json(body: Any) -> bytes:
    import json

    return json.dumps({} if body is None else body).encode()


def session_in(project: Project, user: User) -> Session:
    workspace = Workspace.objects.create(project=project, name="main")
    return Session.objects.create(project=project, workspace=workspace, created_by=user)


def error_of(answer: Any) -> dict[str, Any]:
    error: dict[str, Any] = answer.json()["error"]
    return error


# --- scopes -------------------------------------------------------------------------------------------------------
def test_without_the_scope_the_answer_names_it() -> None:
    program = Program(make_user(), [Scope.READ])
    answer = program("POST", "/tokens", {"name": "x"})
    error = error_of(answer)
    assert (answer.status_code, error["code"], error["fields"]) == (403, "scope_missing", {"scope": "tokens"})
    assert "'tokens'" in error["hint"]


def test_a_token_without_read_reads_nothing() -> None:
    answer = Program(make_user(), [Scope.WORK])("GET", "/me")
    assert error_of(answer)["code"] == "scope_missing"


def test_a_reading_token_opens_no_session_though_its_owner_may() -> None:
    user = make_member(team := make_team())
    project = make_project(team)
    answer = Program(user, [Scope.READ])("POST", f"/projects/{project.public_id}/sessions")
    assert error_of(answer)["fields"] == {"scope": "sessions:write"}
    assert not Session.objects.exists()


def test_a_working_token_decides_no_permission_request() -> None:
    answer = Program(make_user(), [Scope.READ, Scope.WORK])("POST", "/permission-requests/per_x/reply", {})
    assert error_of(answer)["fields"] == {"scope": "answer"}


def test_a_scope_opens_nothing_that_the_role_does_not_permit() -> None:
    viewer = make_member(team := make_team(), Role.VIEWER)
    project = make_project(team)
    answer = Program(viewer)("POST", f"/projects/{project.public_id}/sessions")
    assert (answer.status_code, error_of(answer)["code"]) == (403, "not_allowed")


def test_a_token_that_names_no_scopes_reads_and_works() -> None:
    made = browser_of(make_user()).post("/api/v1/tokens", {"name": "x"}, content_type="application/json").json()
    assert made["scopes"] == ["read", "sessions:write"]


@pytest.mark.parametrize("scopes", [[], ["everything"], "read", [1], ["read"] * 21])
def test_scopes_that_are_none_are_refused(scopes: Any) -> None:
    body = {"name": "x", "scopes": scopes}
    answer = browser_of(make_user()).post("/api/v1/tokens", body, content_type="application/json")
    assert answer.status_code == 400
    assert not ApiToken.objects.exists()


def test_a_token_tells_what_it_may() -> None:
    program = Program(make_user(), [Scope.READ])
    assert program("GET", "/tokens/current").json()["token"]["scopes"] == ["read"]


# --- reach --------------------------------------------------------------------------------------------------------
@pytest.fixture
def person() -> User:
    """Create an owner of two teams, each with two projects, each with a session."""
    user = make_user()
    for team in (make_team("one"), make_team("two")):
        join(team, user, Role.OWNER)
        for number in range(2):
            session_in(make_project(team, f"{team.slug}-{number}"), user)
    return user


def listed(program: Program, path: str, field: str = "id") -> set[str]:
    return {item[field] for item in program("GET", path).json()["items"]}


def test_a_token_for_a_team_sees_that_team_only(person: User) -> None:
    one = Team.objects.get(slug="one")
    program = Program(person, team=one)
    assert listed(program, "/projects", "slug") == {"one-0", "one-1"}
    assert len(listed(program, "/sessions")) == 2
    assert [team["slug"] for team in program("GET", "/me").json()["teams"]] == ["one"]


def test_a_token_for_a_team_finds_nothing_of_another(person: User) -> None:
    program = Program(person, team=Team.objects.get(slug="one"))
    other = Project.objects.get(slug="two-0")
    session = Session.objects.get(project=other)
    for path in (
        f"/projects/{other.public_id}",
        f"/sessions/{session.public_id}",
        f"/teams/{other.team.public_id}/audit",
    ):
        assert program("GET", path).status_code == 404


def test_a_token_for_a_project_sees_that_project_only(person: User) -> None:
    project = Project.objects.get(slug="one-0")
    program = Program(person, project=project)
    assert listed(program, "/projects", "slug") == {"one-0"}
    assert listed(program, "/sessions", "project_id") == {project.public_id}
    other = Session.objects.get(project__slug="one-1")
    assert program("GET", f"/sessions/{other.public_id}").status_code == 404


def test_a_token_for_a_project_does_nothing_for_its_team(person: User) -> None:
    project = Project.objects.get(slug="one-0")
    program = Program(person, project=project)
    team = project.team.public_id
    assert program("GET", f"/teams/{team}/audit").status_code == 404
    assert program("PUT", f"/policies/{team}", {"document": {}, "base_version": 0}).status_code == 404
    assert program("PUT", f"/policies/{project.public_id}", {"document": {}, "base_version": 0}).status_code == 200


def test_an_operators_token_for_a_team_does_not_run_the_site(person: User) -> None:
    User.objects.filter(pk=person.pk).update(is_staff=True)
    change = ("PUT", "/policies/site", {"document": {}, "base_version": 0})
    assert Program(person, team=Team.objects.get(slug="one"))(*change).status_code == 403
    assert Program(person)(*change).status_code == 200


def test_a_token_for_a_team_that_is_not_ones_own_is_not_made() -> None:
    body = {"name": "x", "team_id": make_team().public_id}
    answer = browser_of(make_user()).post("/api/v1/tokens", body, content_type="application/json")
    assert answer.status_code == 404


def test_a_token_goes_with_its_project(person: User) -> None:
    project = Project.objects.get(slug="one-0")
    token = Program(person, project=project).token
    Session.objects.filter(project=project).delete()
    Workspace.objects.filter(project=project).delete()
    project.delete()
    assert not ApiToken.objects.filter(pk=token.pk).exists()


# --- tokens by tokens ---------------------------------------------------------------------------------------------
def test_a_token_makes_another_with_what_it_has_itself() -> None:
    program = Program(make_user(), [Scope.READ, Scope.TOKENS])
    answer = program("POST", "/tokens", {"name": "x", "scopes": ["read"]})
    assert (answer.status_code, answer.json()["scopes"]) == (201, ["read"])


def test_a_token_makes_none_with_more_scopes() -> None:
    program = Program(make_user(), [Scope.READ, Scope.TOKENS])
    answer = program("POST", "/tokens", {"name": "x", "scopes": ["read", "admin"]})
    assert (answer.status_code, error_of(answer)["code"]) == (403, "beyond_token")
    assert "admin" in error_of(answer)["fields"]["scopes"]


def test_a_token_makes_none_that_reaches_further(person: User) -> None:
    program = Program(person, team=Team.objects.get(slug="one"))
    answer = program("POST", "/tokens", {"name": "x"})
    assert error_of(answer)["code"] == "beyond_token"
    within = {"name": "x", "team_id": Team.objects.get(slug="one").public_id}
    assert program("POST", "/tokens", within).status_code == 201


def test_a_token_makes_none_that_outlives_it() -> None:
    end = timezone.now() + timedelta(days=1)
    program = Program(make_user(), expires_at=end)
    for later in (None, (end + timedelta(seconds=1)).isoformat()):
        answer = program("POST", "/tokens", {"name": "x", "expires_at": later})
        assert error_of(answer)["code"] == "beyond_token"


def test_a_restricted_token_revokes_none_beyond_its_reach(person: User) -> None:
    wide = Program(person).token
    narrow = Program(person, team=Team.objects.get(slug="one"))
    assert narrow("DELETE", f"/tokens/{wide.public_id}").status_code == 404
    assert ApiToken.objects.filter(pk=wide.pk).exists()


# --- traces -------------------------------------------------------------------------------------------------------
def test_making_and_revoking_is_recorded(person: User) -> None:
    one = Team.objects.get(slug="one")
    token = Program(person, [Scope.READ], team=one).token
    browser_of(person).delete(f"/api/v1/tokens/{token.public_id}")
    entries = AuditEntry.objects.filter(chain__team=one, subject=token.public_id)
    assert [entry.action for entry in entries] == ["token.created", "token.revoked"]
    assert entries[0].data["scopes"] == ["read"]


def test_a_token_for_all_teams_is_recorded_in_the_sites_log(person: User) -> None:
    token = Program(person).token
    assert AuditEntry.objects.get(subject=token.public_id).chain.team is None


@pytest.mark.parametrize(
    "fields",
    [
        {"name": ""},
        {"name": "   "},
        {"name": "x" * 121},
        {"name": "x", "expires_at": "2020-01-01T00:00:00Z"},
        {"name": "x", "expires_at": "2099-01-01T00:00:00"},
        {"name": "x", "expires_at": "9999-12-31T23:59:59-23:59"},
        {"name": "x", "expires_at": 10**30},
        {"name": "a\0b"},
    ],
)
def test_bad_fields_are_refused_and_no_failure(fields: dict[str, Any]) -> None:
    answer = browser_of(make_user()).post("/api/v1/tokens", fields, content_type="application/json")
    assert answer.status_code == 400


def test_a_wider_token_than_the_one_in_hand_is_refused_in_the_action_too() -> None:
    user = make_user()
    by = Program(user, [Scope.READ, Scope.TOKENS]).token
    with pytest.raises(NotAllowed):
        create_token(actor=user, name="x", scopes=[Scope.ANSWER], by=by)
