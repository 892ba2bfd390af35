from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from agentsite.base.errors import BadInput, Missing
from agentsite.tenancy.actions.tokens import create_token, delete_token
from agentsite.tenancy.authentication import find_token
from agentsite.tenancy.models import ApiToken
from tests.support.builders import bearer, browser_of, make_user

pytestmark = pytest.mark.django_db


def test_a_token_acts_as_its_user() -> None:
    user = make_user()
    answer = Client().get("/api/v1/me", headers=bearer(user))
    assert answer.json()["user"]["id"] == user.public_id


def test_only_the_hash_of_a_token_is_kept() -> None:
    issued = create_token(actor=make_user(), name="laptop")
    row = ApiToken.objects.values().get(pk=issued.token.pk)
    assert issued.secret.startswith("ags_")
    assert issued.secret not in str(row)


def test_a_token_is_shown_once_and_then_only_described() -> None:
    browser = browser_of(make_user())
    made = browser.post("/api/v1/tokens", {"name": "laptop"}, content_type="application/json")
    listed = browser.get("/api/v1/tokens").json()["items"]

    assert made.status_code == 201
    assert made.json()["token"].startswith("ags_")
    assert [item["name"] for item in listed] == ["laptop"]
    assert "token" not in listed[0]


def test_an_expired_token_opens_nothing() -> None:
    issued = create_token(actor=make_user(), name="old", expires_at=timezone.now() + timedelta(hours=1))
    ApiToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert find_token(issued.secret) is None


def test_a_deleted_token_opens_nothing() -> None:
    user = make_user()
    issued = create_token(actor=user, name="old")
    delete_token(actor=user, public_id=issued.token.public_id)
    assert find_token(issued.secret) is None


def test_the_token_of_somebody_who_was_shut_out_opens_nothing() -> None:
    user = make_user()
    issued = create_token(actor=user, name="old")
    user.is_active = False
    user.save()
    assert find_token(issued.secret) is None


def test_nobody_deletes_the_token_of_another() -> None:
    issued = create_token(actor=make_user(), name="mine")
    with pytest.raises(Missing):
        delete_token(actor=make_user(), public_id=issued.token.public_id)
    assert ApiToken.objects.filter(pk=issued.token.pk).exists()


def test_a_token_that_has_expired_already_is_not_made() -> None:
    with pytest.raises(BadInput):
        create_token(actor=make_user(), name="late", expires_at=timezone.now())


def test_the_last_use_is_remembered_but_not_written_every_time() -> None:
    issued = create_token(actor=make_user(), name="busy")
    find_token(issued.secret)
    first = ApiToken.objects.get(pk=issued.token.pk).last_used_at
    find_token(issued.secret)
    assert first is not None
    assert ApiToken.objects.get(pk=issued.token.pk).last_used_at == first


def test_a_bad_token_does_not_fall_back_on_the_browsers_user() -> None:
    answer = browser_of(make_user()).get("/api/v1/me", headers={"Authorization": "Bearer ags_wrong"})
    assert answer.status_code == 401
