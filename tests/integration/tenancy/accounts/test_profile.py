"""A person's name, as others see it."""

import pytest

from agentsite.tenancy.models import AuditEntry
from tests.support.builders import browser_of, make_user

pytestmark = pytest.mark.django_db


def test_a_person_changes_their_name_and_it_is_written_down() -> None:
    user = make_user(name="Ada")
    answer = browser_of(user).patch("/api/v1/me", {"name": " Ada  Lovelace "}, content_type="application/json")
    assert (answer.status_code, answer.json()["name"]) == (200, "Ada Lovelace")
    entry = AuditEntry.objects.get(action="account.renamed")
    assert entry.data == {"name": "Ada Lovelace", "former": "Ada"}


def test_a_name_that_is_too_long_is_refused() -> None:
    answer = browser_of(make_user()).patch("/api/v1/me", {"name": "x" * 150}, content_type="application/json")
    assert (answer.status_code, list(answer.json()["error"]["fields"])) == (400, ["name"])
