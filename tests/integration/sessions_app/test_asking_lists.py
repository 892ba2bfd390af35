"""Lists of permission requests, questions and grants: in pages, filtered, and one entry at a time."""

from typing import Any

import pytest

from sessions_app.models import Grant
from tests.support.asking import DEPLOYS
from tests.support.model_server import calls, text, tool_call
from tests.support.rest_api import RestApi
from tests.support.session_site import SessionSite

ASK = tool_call("question", questions=[{"question": "Tea?", "header": "Tea", "options": []}])


@pytest.fixture
def api(site: SessionSite) -> RestApi:
    return RestApi(site.user)


def every_page(api: RestApi, path: str, *, limit: int) -> list[Any]:
    """Return the ids of a list's entries, one list of ids for each page."""
    found: list[Any] = []
    cursor: str | None = ""
    while cursor is not None:
        page = api("get", f"{path}{'&' if '?' in path else '?'}limit={limit}{cursor and f'&cursor={cursor}'}")
        found.append([item["id"] for item in page["items"]])
        cursor = page["next_cursor"]
    return found


def test_requests_come_in_pages_oldest_first(site: SessionSite, api: RestApi) -> None:
    site.script(calls(*[DEPLOYS] * 5))
    site.run_prompt()
    known = [row.public_id for row in site.open_requests()]
    assert every_page(api, "/permission-requests", limit=2) == [known[:2], known[2:4], known[4:]]
    assert every_page(api, "/permission-requests", limit=200) == [known]
    assert "limit" in api.error("get", "/permission-requests?limit=201", expect=400)["fields"]


def test_questions_come_in_pages_and_one_by_one(site: SessionSite, api: RestApi) -> None:
    site.script(calls(ASK, ASK, ASK))
    turn = site.run_prompt()
    first, *rest = every_page(api, f"/questions?session_id={turn.session.public_id}", limit=1)
    assert [len(page) for page in (first, *rest)] == [1, 1, 1]
    assert first[0] < rest[0][0] < rest[1][0]
    assert api("get", f"/questions/{first[0]}")["questions"][0]["question"] == "Tea?"


def test_grants_come_in_pages_newest_first_and_one_by_one(site: SessionSite, api: RestApi) -> None:
    for number in range(3):
        Grant.objects.create(team=site.team, scope="team", permission="bash", pattern=f"make {number}")
    newest = [row.public_id for row in Grant.objects.order_by("-id")]
    assert every_page(api, f"/teams/{site.team.public_id}/grants", limit=2) == [newest[:2], newest[2:]]
    assert api("get", f"/grants/{newest[0]}")["pattern"] == "make 2"


def test_requests_are_narrowed_by_state_tool_and_project(site: SessionSite, api: RestApi) -> None:
    site.script(calls(DEPLOYS), text("Done."))
    site.run_prompt()
    row = site.reply("reject", message="Not now.")

    def found(query: str) -> list[str]:
        return [item["id"] for item in api("get", f"/permission-requests?{query}")["items"]]

    assert found("") == found("state=all&tool=read") == []
    assert found(f"state=all&tool=bash&project={site.project.public_id}") == found("state=rejected") == [row.public_id]


def test_messages_are_narrowed_by_who_speaks(site: SessionSite, api: RestApi) -> None:
    site.script(text("Done."))
    turn = site.run_prompt()
    path = f"/sessions/{turn.session.public_id}/messages"
    for role in ("user", "assistant"):
        (item,) = api("get", f"{path}?role={role}")["items"]
        assert item["message"]["role"] == role
