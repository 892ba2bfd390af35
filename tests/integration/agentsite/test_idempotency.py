"""A POST with an Idempotency-Key is executed once, even if it is repeated."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.db import connection, connections
from django.test import Client
from django.utils import timezone

from agentsite.tenancy.actions import idempotency
from agentsite.tenancy.actions.expiry import delete_expired
from agentsite.tenancy.actions.tokens import create_token
from agentsite.tenancy.models import ApiToken, RememberedAnswer, User
from agentsite.tenancy.roles import Role
from agentsite.tenancy.scopes import Scope
from sessions_app.models import Session
from tests.support.builders import browser_of, make_member, make_project, make_team, make_user
from tests.support.parsed_once import committed_api

KEY = "one-and-only"


@pytest.fixture
def user(transactional_db: None) -> User:
    return make_user()


def post_token(user: User, *, key: str | None = KEY, name: str = "ci") -> Any:
    headers = {} if key is None else {"Idempotency-Key": key}
    return browser_of(user).post(
        "/api/v1/tokens", json.dumps({"name": name}), content_type="application/json", headers=headers
    )


def test_the_same_request_again_gets_the_same_answer_and_makes_nothing(user: User) -> None:
    first, second = post_token(user), post_token(user)
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json() == second.json()
    assert "Idempotency-Replayed" not in first.headers
    assert second.headers["Idempotency-Replayed"] == "true"
    assert ApiToken.objects.count() == 1


def test_without_a_key_each_request_makes_one(user: User) -> None:
    assert post_token(user, key=None).json()["id"] != post_token(user, key=None).json()["id"]


def test_another_key_makes_another_one(user: User) -> None:
    assert post_token(user).json()["id"] != post_token(user, key="two").json()["id"]


def test_the_key_of_somebody_else_is_another_key(user: User) -> None:
    assert post_token(user).json()["id"] != post_token(make_user()).json()["id"]


def test_another_request_under_the_same_key_is_refused(user: User) -> None:
    post_token(user)
    answer = post_token(user, name="other")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "idempotency_key_reused")
    assert ApiToken.objects.count() == 1


def test_a_request_that_failed_may_be_asked_again(user: User) -> None:
    project = make_project(make_team())
    path = f"/api/v1/projects/{project.public_id}/workspaces"
    headers = {"Idempotency-Key": KEY}
    browser = browser_of(user)
    assert browser.post(path, "{}", content_type="application/json", headers=headers).status_code == 404
    project.team.memberships.create(user=user, role=Role.OWNER.value)
    assert browser.post(path, "{}", content_type="application/json", headers=headers).status_code == 201


def test_after_a_day_the_key_is_new_again(user: User) -> None:
    first = post_token(user).json()
    with time_machine.travel(timezone.now() + timedelta(hours=24, seconds=1)):
        assert post_token(user).json()["id"] != first["id"]


def test_old_answers_are_forgotten(user: User) -> None:
    post_token(user)
    assert delete_expired(timezone.now())["answers"] == 0
    assert delete_expired(timezone.now() + timedelta(hours=25))["answers"] == 1


def test_no_secret_and_no_key_stands_in_the_row(user: User) -> None:
    secret = post_token(user).json()["token"]
    row = RememberedAnswer.objects.get()
    kept = " ".join(str(getattr(row, field.name)) for field in RememberedAnswer._meta.fields) + repr(bytes(row.answer))
    assert secret not in kept
    assert KEY not in kept


@pytest.mark.parametrize("key", ["", "x" * 201, "tab\there"])
def test_a_key_that_is_none_is_refused(user: User, key: str) -> None:
    answer = post_token(user, key=key)
    assert (answer.status_code, answer.json()["error"]["fields"].keys()) == (400, {"Idempotency-Key"})


def test_twins_that_come_at_the_same_moment_make_one(user: User) -> None:
    together = threading.Barrier(4)
    browsers = [browser_of(user) for _ in range(4)]

    def ask(browser: Client) -> str:
        together.wait(10)
        try:
            body = json.dumps({"name": "ci"})
            headers = {"Idempotency-Key": KEY}
            answer = browser.post("/api/v1/tokens", body, content_type="application/json", headers=headers)
            return f"{answer.status_code} {answer.json().get('id')}"
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        answers = set(pool.map(ask, browsers))
    assert len(answers) == 1
    assert answers.pop().startswith("201")
    assert ApiToken.objects.count() == 1


WITHOUT_KEY = {
    "check_policy", "simulate_policy", "explain", "verify_audit", "open_invitation", "wait_for_turn",  # change nothing
    "begin_provider_sign_in", "check_provider_sign_in",  # each asks the provider anew
    "find_provider_models",  # changes nothing
    "test_provider", "test_connection", "refresh_pull_request", "draft_text",  # are made anew each time
    "check_mcp_server", "get_mcp_prompt", "complete_mcp_prompt_argument", "try_mcp_tool",  # are made anew each time
    "preview_revert", "preview_unrevert",  # change nothing
    "commit_changes", "push_branch", "update_branch",  # do nothing the second time
    "accept_mcp_server_tools",  # the same
    "open_terminal",  # makes another one each time, which the list shows
    "sign_in_to_mcp_server",  # is begun anew each time
    "sign_out_of_mcp_server",  # does nothing the second time
    "revert_session", "unrevert_session",  # the same
    "open_pull_request",  # finds the one that it opened by its branch
    "upload_file", "move_file", "make_folder",  # are refused the second time, because nothing is replaced
    "upload_attachment",  # what no prompt uses is forgotten
    "upload_skill_package",  # an equal file makes no other version
    "delete_me",  # nobody is there to ask again
}  # fmt: skip


def test_every_post_that_changes_something_takes_a_key() -> None:
    posts = [methods["post"] for methods in committed_api()["paths"].values() if "post" in methods]
    without = {
        post["operationId"]
        for post in posts
        if not any(each["name"] == "Idempotency-Key" for each in post["parameters"])
    }
    assert without == WITHOUT_KEY


class Killed(BaseException):
    """An exception that simulates the death of a process."""


def test_a_process_that_is_killed_before_it_answers_leaves_nothing_behind(
    user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that is killed before its response leaves no change behind. The change and its stored response are one
    transaction, so the next attempt makes the change, once."""

    def die(*_args: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(idempotency, "_box", die)
        with pytest.raises(Killed):
            post_token(user)
    assert not connection.in_atomic_block
    assert (ApiToken.objects.count(), RememberedAnswer.objects.count()) == (0, 0)
    assert post_token(user).status_code == 201


def test_a_session_is_opened_once(transactional_db: None) -> None:
    team = make_team()
    project = make_project(team)
    browser = browser_of(make_member(team))
    path = f"/api/v1/projects/{project.public_id}/sessions"
    headers = {"Idempotency-Key": KEY}
    answers = [browser.post(path, "{}", content_type="application/json", headers=headers).json() for _ in range(2)]
    assert answers[0] == answers[1]
    assert Session.objects.count() == 1


def test_what_one_token_made_is_not_told_to_another(user: User) -> None:
    """A stored response is not repeated to another API token, because that token may lack the right to see the data: it
    may have narrower scopes, or replace a revoked token."""
    wide = create_token(actor=user, name="wide", scopes=Scope).secret
    narrow = create_token(actor=user, name="narrow", scopes=[Scope.TOKENS], team=make_team()).secret
    body = json.dumps({"name": "ci", "scopes": ["read"]})
    answers = [
        Client().post(
            "/api/v1/tokens",
            body,
            content_type="application/json",
            headers={"Idempotency-Key": KEY, "Authorization": f"Bearer {secret}"},
        )
        for secret in (wide, narrow)
    ]
    assert [answer.status_code for answer in answers] == [201, 409]
