"""`If-Match`: an edit of a document that somebody else has changed meanwhile is refused."""

import json
from typing import Any

import pytest
from django.test import Client

from sessions_app.models import Session
from tests.support.builders import browser_of
from tests.support.tenancy_world import Tenant, make_tenant

pytestmark = pytest.mark.django_db

EDITS = {
    "/sessions/{session_id}": ("PATCH", {"title": "one"}, {"title": "two"}),
    "/projects/{project_id}": ("PATCH", {"name": "One"}, {"name": "Two"}),
    "/agents/{agent_id}": ("PATCH", {"document": {"prompt": "one"}}, {"document": {"prompt": "two"}}),
}


@pytest.fixture
def tenant() -> Tenant:
    return make_tenant()


@pytest.fixture
def browser(tenant: Tenant) -> Client:
    return browser_of(tenant.owner)


def edit(browser: Client, method: str, path: str, body: Any, tag: str) -> Any:
    headers = {"If-Match": tag}
    return browser.generic(method, path, json.dumps(body), content_type="application/json", headers=headers)


@pytest.mark.parametrize("route", EDITS)
def test_the_second_of_two_who_looked_at_the_same_is_told(route: str, tenant: Tenant, browser: Client) -> None:
    method, first, second = EDITS[route]
    path = "/api/v1" + route.format(**tenant.ids)
    tag = browser.get(path).headers["ETag"]
    changed = edit(browser, method, path, first, tag)
    assert changed.status_code == 200
    refused = edit(browser, method, path, second, tag)
    assert (refused.status_code, refused.json()["error"]["code"]) == (412, "precondition_failed")
    assert edit(browser, method, path, second, changed.headers["ETag"]).status_code == 200


def test_a_policy_that_was_saved_meanwhile(tenant: Tenant, browser: Client) -> None:
    path = f"/api/v1/policies/{tenant.ids['project_id']}"
    tag, version = browser.get(path).headers["ETag"], browser.get(path).json()["version"]
    body = {"document": {}, "base_version": version, "reason": "x"}
    assert edit(browser, "PUT", path, body, '"999.0"').status_code == 412
    assert edit(browser, "PUT", path, body, tag).status_code == 200


def test_a_session_at_work_can_still_be_renamed(tenant: Tenant, browser: Client) -> None:
    """A session at work can still be renamed: its counters change all the time, but they are not part of the version
    that people edit."""
    path = f"/api/v1/sessions/{tenant.ids['session_id']}"
    tag = browser.get(path).headers["ETag"]
    Session.objects.update(cost=7, context_tokens=100)
    assert browser.get(path).headers["ETag"] != tag
    assert edit(browser, "PATCH", path, {"title": "one"}, tag).status_code == 200


@pytest.mark.parametrize(
    ("tag", "status"), [("*", 200), ('"nonsense"', 412), ("nonsense", 412), ('"1.2", W/"3.4"', 412)]
)
def test_what_else_may_stand_in_the_header(tenant: Tenant, browser: Client, tag: str, status: int) -> None:
    path = f"/api/v1/projects/{tenant.ids['project_id']}"
    assert edit(browser, "PATCH", path, {"name": "One"}, tag).status_code == status
