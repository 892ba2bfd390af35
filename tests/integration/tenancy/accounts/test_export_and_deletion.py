"""A person can export the data that the site stores about them, and delete their account."""

import io
import json
import zipfile
from typing import Any

import pytest
from django.apps import apps
from django.db import models

from agentsite.tenancy.actions.tokens import create_token
from agentsite.tenancy.models import AuditEntry, Membership, User
from agentsite.tenancy.roles import Role
from sessions_app.models import Message, Part, Session, Turn, Workspace
from tests.support.account_browser import AccountBrowser, letters, make_account
from tests.support.builders import PASSWORD, join, make_member, make_project, make_team

pytestmark = pytest.mark.django_db
EMAIL = "ada@example.org"


@pytest.fixture
def user() -> User:
    return make_account(EMAIL, name="Ada")


@pytest.fixture
def here(user: User) -> AccountBrowser:
    browser = AccountBrowser()
    browser.sign_in(EMAIL)
    return browser


def _wrote(user: User, text: str) -> Session:
    """Create a session in a team that another person owns, with a prompt of the user."""
    team = make_team()
    make_member(team, Role.OWNER)
    join(team, user)
    project = make_project(team)
    workspace = Workspace.objects.create(project=project, name="main")
    session = Session.objects.create(project=project, workspace=workspace, created_by=user, title="Tea")
    turn = Turn.objects.create(session=session, started_by=user)
    message = Message.objects.create(session=session, turn=turn, role="user", author=user)
    Part.objects.create(session=session, message=message, index=0, type="text", text=text)
    return session


def _files(answer: Any) -> dict[str, Any]:
    archive = zipfile.ZipFile(io.BytesIO(answer.content))
    return {name: json.loads(archive.read(name)) for name in archive.namelist() if name.endswith(".json")}


def test_the_export_has_everything_of_the_person_and_nothing_that_opens_anything(
    here: AccountBrowser, user: User
) -> None:
    session = _wrote(user, "Boil the water.")
    secret = create_token(actor=user, name="ci").secret
    _wrote(make_account("bob@example.org"), "Nobody else's business.")
    answer = here.client.get("/api/v1/me/export")
    files = _files(answer)
    assert files["profile.json"]["email"] == EMAIL
    assert [row["text"] for row in files["prompts.json"]] == ["Boil the water."]
    assert [row["id"] for row in files["sessions.json"]] == [session.public_id]
    assert [row["name"] for row in files["tokens.json"]] == ["ci"]
    assert {row["action"] for row in files["audit.json"]} >= {"account.signed_in", "account.exported"}
    content = str(files)
    assert secret not in content
    assert user.password not in content
    assert "business" not in content


def test_a_token_neither_exports_nor_deletes(user: User) -> None:
    headers = {"Authorization": f"Bearer {create_token(actor=user, name='ci').secret}"}
    client = AccountBrowser().client
    assert client.get("/api/v1/me/export", headers=headers).status_code == 403
    body = {"password": PASSWORD}
    answer = client.post("/api/v1/me/delete", body, content_type="application/json", headers=headers)
    assert answer.status_code == 403
    assert User.objects.filter(pk=user.pk).exists()


def test_deleting_takes_the_password(here: AccountBrowser, user: User) -> None:
    answer = here.ask("POST", "/api/v1/me/delete", {"password": "wrong"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "wrong_password")
    assert User.objects.filter(pk=user.pk).exists()


def test_what_belongs_to_the_account_is_gone_and_what_belongs_to_teams_stays(here: AccountBrowser, user: User) -> None:
    session = _wrote(user, "Boil the water.")
    secret = create_token(actor=user, name="ci").secret
    there = AccountBrowser()
    there.sign_in(EMAIL)
    assert here.ask("POST", "/api/v1/me/delete", {"password": PASSWORD}).status_code == 204
    assert not User.objects.filter(email=EMAIL).exists()
    assert not here.is_signed_in
    assert not there.is_signed_in
    as_program = AccountBrowser().client.get("/api/v1/me", headers={"Authorization": f"Bearer {secret}"})
    assert as_program.status_code == 401
    session.refresh_from_db()
    assert session.created_by is None
    assert Part.objects.get(message__session=session).text == "Boil the water."
    assert letters()[-1].subject == "Your account was deleted"
    last = AuditEntry.objects.filter(action="account.deleted").get()
    assert (last.actor, last.actor_name) == (user.public_id, "Ada")


def test_the_only_owner_of_a_team_hands_it_over_first(here: AccountBrowser, user: User) -> None:
    team = make_team("tea-makers")
    join(team, user, Role.OWNER)
    other = make_member(team)
    refused = here.ask("POST", "/api/v1/me/delete", {"password": PASSWORD})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "last_owner")
    assert "Tea-Makers" in refused.json()["error"]["message"]
    Membership.objects.filter(user=other).update(role=Role.OWNER)
    assert here.ask("POST", "/api/v1/me/delete", {"password": PASSWORD}).status_code == 204


def test_an_account_without_a_password_is_deleted_by_its_address(here: AccountBrowser, user: User) -> None:
    user.set_unusable_password()
    user.save()
    here.client.force_login(user)
    assert here.ask("POST", "/api/v1/me/delete", {"address": "else@example.org"}).status_code == 400
    assert here.ask("POST", "/api/v1/me/delete", {"address": EMAIL}).status_code == 204


def test_guessing_the_password_here_is_counted_too(here: AccountBrowser) -> None:
    for _ in range(5):
        here.ask("POST", "/api/v1/me/delete", {"password": "wrong"})
    assert here.ask("POST", "/api/v1/me/delete", {"password": PASSWORD}).status_code == 429


# Rows that are the person's own, and go with the account. Everything else outlives it.
OWN = {
    "Membership", "ApiToken", "SocketTicket", "EmailAddress", "Authenticator", "SocialAccount", "UserSession",
    "RememberedAnswer", "SessionGuest", "SessionMark", "LogEntry", "Budget", "MailChoice", "MailedItem",
    "Variable", "FileApproval", "McpServer", "McpServerState", "Configuration", "McpAccount", "McpSignIn",
    "SkillPackage", "PushBrowser",
}  # fmt: skip


def test_whatever_points_at_a_person_says_what_becomes_of_it() -> None:
    for model in apps.get_models():
        for field in model._meta.get_fields():
            if isinstance(field, models.ForeignKey) and field.related_model is User and model.__name__ not in OWN:
                assert field.remote_field.on_delete is models.SET_NULL, f"{model.__name__}.{field.name}"
