"""Every GET operation of the API can return selected fields only, and report that nothing has changed."""

from typing import Any

import pytest
from django.test import Client

from agentsite.tenancy.roles import Role
from tests.support.builders import browser_of, make_member, make_project, make_team

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture
def browser() -> Client:
    team = make_team()
    make_project(team, "one")
    make_project(team, "two")
    return browser_of(make_member(team, Role.OWNER))


def get(browser: Client, path: str, **headers: str) -> Any:
    return browser.get(f"/api/v1{path}", headers=headers)


def test_of_a_list_each_item_has_the_named_fields_only(browser: Client) -> None:
    page = get(browser, "/projects?fields=slug, name").json()
    assert page["items"] == [{"name": "Two", "slug": "two"}, {"name": "One", "slug": "one"}]
    assert page["next_cursor"] is None


def test_of_one_thing_the_named_fields_only(browser: Client) -> None:
    project = get(browser, "/projects").json()["items"][0]
    assert get(browser, f"/projects/{project['id']}?fields=id").json() == {"id": project["id"]}


def test_a_field_that_is_not_there_is_named(browser: Client) -> None:
    answer = get(browser, "/projects?fields=colour")
    assert answer.status_code == 400
    assert "fields" in answer.json()["error"]["fields"]


def test_what_is_the_same_is_not_sent_again(browser: Client) -> None:
    first = get(browser, "/projects")
    again = get(browser, "/projects", **{"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["ETag"] == first.headers["ETag"]


def test_what_has_changed_is_sent(browser: Client) -> None:
    tag = get(browser, "/projects").headers["ETag"]
    assert get(browser, "/projects?limit=1", **{"If-None-Match": tag}).status_code == 200


@pytest.mark.parametrize("header", ["*", 'W/{tag}, "other"', '"other", {tag}'])
def test_all_ways_of_naming_what_one_has(browser: Client, header: str) -> None:
    tag = get(browser, "/projects").headers["ETag"]
    assert get(browser, "/projects", **{"If-None-Match": header.format(tag=tag)}).status_code == 304
