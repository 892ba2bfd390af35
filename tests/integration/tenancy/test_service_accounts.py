from typing import Any

import pytest
from django.test import Client

from agentsite.tenancy.actions.invitations import invite
from agentsite.tenancy.actions.service_accounts import create_service_account
from agentsite.tenancy.authentication import find_token
from agentsite.tenancy.models import ApiToken, AuditEntry, Invitation, Membership, Team, User
from agentsite.tenancy.roles import Role
from tests.support.builders import browser_of, make_member, make_project, make_team

pytestmark = pytest.mark.django_db


@pytest.fixture
def team() -> Team:
    return make_team()


@pytest.fixture
def admin(team: Team) -> User:
    return make_member(team, Role.ADMIN)


def ask(user: User, method: str, path: str, body: Any = None) -> Any:
    return getattr(browser_of(user), method)(f"/api/v1{path}", body or {}, content_type="application/json")


def make(admin: User, team: Team, **fields: Any) -> dict[str, Any]:
    answer = ask(admin, "post", f"/teams/{team.public_id}/service-accounts", {"name": "Robot", **fields})
    assert answer.status_code == 201, answer.content
    made: dict[str, Any] = answer.json()
    return made


def token_of(admin: User, account: dict[str, Any], **fields: Any) -> Any:
    return ask(admin, "post", f"/service-accounts/{account['id']}/tokens", {"name": "ci", **fields})


def test_a_service_account_works_in_its_team_by_its_tokens(team: Team, admin: User) -> None:
    project = make_project(team)
    secret = token_of(admin, make(admin, team)).json()["token"]
    answer = Client().get("/api/v1/projects", headers={"Authorization": f"Bearer {secret}"})
    assert [item["id"] for item in answer.json()["items"]] == [project.public_id]


def test_a_service_account_never_signs_in(team: Team, admin: User) -> None:
    account = User.objects.get(pk=create_service_account(actor=admin, team=team, name="Robot").pk)
    assert not account.has_usable_password()
    assert browser_of(account).get("/api/v1/me").status_code == 401


@pytest.mark.parametrize("role", ["owner", "nonsense", ""])
def test_no_service_account_is_an_owner(team: Team, role: str) -> None:
    owner = make_member(team, Role.OWNER)
    answer = ask(owner, "post", f"/teams/{team.public_id}/service-accounts", {"name": "x", "role": role})
    assert answer.status_code == 400


@pytest.mark.parametrize("role", [Role.MEMBER, Role.VIEWER])
def test_members_neither_see_nor_make_service_accounts(team: Team, admin: User, role: Role) -> None:
    account = make(admin, team)
    member = make_member(team, role)
    assert ask(member, "get", f"/teams/{team.public_id}/service-accounts").status_code == 403
    assert ask(member, "post", f"/teams/{team.public_id}/service-accounts", {"name": "x"}).status_code == 403
    assert token_of(member, account).status_code == 403


def test_those_of_another_team_are_not_there(team: Team, admin: User) -> None:
    account = make(admin, team)
    stranger = make_member(make_team(), Role.OWNER)
    assert ask(stranger, "get", f"/service-accounts/{account['id']}").status_code == 404
    assert token_of(stranger, account).status_code == 404


def test_the_list_says_how_many_tokens_each_has(team: Team, admin: User) -> None:
    account = make(admin, team, role="viewer")
    token_of(admin, account)
    (listed,) = ask(admin, "get", f"/teams/{team.public_id}/service-accounts").json()["items"]
    assert (listed["name"], listed["role"], listed["tokens"]) == ("Robot", "viewer", 1)


def test_a_new_role_counts_at_once(team: Team, admin: User) -> None:
    account = make(admin, team)
    answer = ask(admin, "patch", f"/service-accounts/{account['id']}", {"role": "viewer", "name": "Reader"})
    assert (answer.json()["role"], answer.json()["name"]) == ("viewer", "Reader")
    assert Membership.objects.get(user__name="Reader").role == "viewer"


def test_a_removed_account_opens_nothing_and_keeps_its_name_in_what_it_did(team: Team, admin: User) -> None:
    account = make(admin, team)
    secret = token_of(admin, account).json()["token"]
    assert ask(admin, "delete", f"/service-accounts/{account['id']}").status_code == 204
    assert find_token(secret) is None
    assert ask(admin, "get", f"/teams/{team.public_id}/service-accounts").json()["items"] == []
    assert User.objects.get(name="Robot").memberships.count() == 0


def test_admins_revoke_the_tokens_of_service_accounts_and_not_those_of_people(team: Team, admin: User) -> None:
    account = make(admin, team)
    token = token_of(admin, account).json()
    owner = make_member(team, Role.OWNER)
    own = ask(owner, "post", "/tokens", {"name": "own"}).json()
    assert ask(admin, "delete", f"/tokens/{own['id']}").status_code == 404
    assert ask(owner, "delete", f"/tokens/{token['id']}").status_code == 204
    assert [row.name for row in ApiToken.objects.all()] == ["own"]


def test_ones_own_tokens_are_listed_without_those_of_service_accounts(team: Team, admin: User) -> None:
    token_of(admin, make(admin, team))
    assert ask(admin, "get", "/tokens").json()["items"] == []


def test_a_service_token_is_for_projects_of_its_team_only(team: Team, admin: User) -> None:
    account = make(admin, team)
    own = token_of(admin, account, project_id=make_project(team).public_id)
    foreign = token_of(admin, account, project_id=make_project(make_team()).public_id)
    assert (own.status_code, foreign.status_code) == (201, 404)
    assert own.json()["team_id"] == team.public_id


def test_what_was_made_changed_and_removed_is_recorded(team: Team, admin: User) -> None:
    account = make(admin, team)
    token = token_of(admin, account).json()
    ask(admin, "patch", f"/service-accounts/{account['id']}", {"role": "admin"})
    ask(admin, "delete", f"/service-accounts/{account['id']}")
    entries = AuditEntry.objects.filter(chain__team=team).values_list("action", "subject")
    assert list(entries) == [
        ("service_account.created", account["id"]),
        ("token.created", token["id"]),
        ("service_account.changed", account["id"]),
        ("service_account.removed", account["id"]),
    ]


def test_its_tokens_see_the_budgets_of_their_team_alone(team: Team, admin: User) -> None:
    own = ask(admin, "post", f"/teams/{team.public_id}/budgets", {"scope": "team", "period": "day", "limit": "5"})
    secret = token_of(admin, make(admin, team)).json()["token"]
    answer = Client().get("/api/v1/me/budgets", headers={"Authorization": f"Bearer {secret}"})
    assert [item["id"] for item in answer.json()["items"]] == [own.json()["id"]]


@pytest.mark.parametrize("way", ["delete", "patch"])
def test_what_it_invited_is_taken_back_with_its_rights(team: Team, admin: User, way: str) -> None:
    made = make(admin, team, role="admin")
    account = User.objects.get(service_team=team)
    invite(actor=account, team=team, email="friend@example.org", role="admin")
    answer = ask(admin, way, f"/service-accounts/{made['id']}", {"role": "viewer"} if way == "patch" else None)
    assert answer.status_code in (200, 204)
    assert not Invitation.objects.open().exists()
