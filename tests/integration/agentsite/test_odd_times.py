"""Times outside of the supported calendar, or without an offset, are refused as invalid in every field."""

from typing import Any

import pytest
from django.test import Client

from agentsite.tenancy.models import Team
from agentsite.tenancy.roles import Role
from tests.support.builders import browser_of, make_member, make_team

pytestmark = pytest.mark.django_db

ODD = ("2027-01-01T00:00:00", "9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00", "1e300", "-1e15")
PLACES = (
    "/search?q=tea&after", "/search?q=tea&before", "/sessions?since", "/sessions?until",
    "/teams/{team}/audit?since", "/teams/{team}/audit?until", "/teams/{team}/audit/export?until",
)  # fmt: skip


@pytest.fixture
def team() -> Team:
    return make_team()


@pytest.fixture
def browser(team: Team) -> Client:
    client = browser_of(make_member(team, Role.OWNER))
    client.raise_request_exception = False
    return client


@pytest.mark.parametrize("when", ODD)
@pytest.mark.parametrize("place", PLACES)
def test_in_a_filter(team: Team, browser: Client, place: str, when: str) -> None:
    path, _, name = place.format(team=team.public_id).rpartition("&" if "&" in place else "?")
    given = {name: when} | ({"q": "tea"} if "q=" in place else {})
    answer: Any = browser.get(f"/api/v1{path.partition('?')[0]}", given)
    assert answer.status_code == 400
    assert name in answer.json()["error"]["fields"]


@pytest.mark.parametrize("when", ODD)
def test_in_what_ends(browser: Client, when: str) -> None:
    answer: Any = browser.post("/api/v1/tokens", {"name": "x", "expires_at": when}, content_type="application/json")
    assert answer.status_code == 400
    assert "expires_at" in answer.json()["error"]["fields"]
