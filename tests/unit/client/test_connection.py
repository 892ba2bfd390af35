"""Single requests of the Python client, and the answers to them."""

import json

import httpx
import pytest
from pydantic import BaseModel

from agentsite.client import ApiError, Unreachable
from agentsite.client.paging import pages
from tests.unit.client.conftest import ScriptedSite

FAILURE = {"code": "missing", "message": "There is no 'x'.", "hint": "Look.", "fields": {"a": "b"}, "request_id": "r1"}


class Anything(BaseModel):
    pass


class Thing(BaseModel):
    id: str


class ThingPage(BaseModel):
    items: list[Thing]
    next_cursor: str | None


def page(*ids: str, next_cursor: str | None = None) -> httpx.Response:
    return httpx.Response(200, json={"items": [{"id": item} for item in ids], "next_cursor": next_cursor})


def send(site: ScriptedSite, body: dict[str, int] | None = None) -> None:
    site.client._connection.send(Anything, "POST", "/things", body)


def test_the_token_and_the_sites_prefix_are_in_every_request(site: ScriptedSite) -> None:
    site.answers = [page()]
    assert site.client.waiting_requests() == []
    (request,) = site.asked
    assert str(request.url) == "http://site.test/prefix/api/v1/permission-requests"
    assert request.headers["Authorization"] == "Bearer ags_secret"


def test_a_refusal_is_an_error_with_all_that_the_site_said(site: ScriptedSite) -> None:
    site.answers = [httpx.Response(404, json={"error": FAILURE})]
    with pytest.raises(ApiError, match=r"There is no 'x'\. Look\.") as caught:
        site.client.me()
    error = caught.value
    assert (error.status, error.code, error.fields, error.request_id) == (404, "missing", {"a": "b"}, "r1")


def test_an_answer_of_something_in_between_is_an_error_too(site: ScriptedSite) -> None:
    site.answers = [httpx.Response(403, text="<html>")]
    with pytest.raises(ApiError, match="The site answered 403") as caught:
        site.client.me()
    assert caught.value.code == "unknown"


def test_a_write_is_tried_again_under_the_same_key(site: ScriptedSite) -> None:
    busy = httpx.Response(503, json={"error": FAILURE}, headers={"Retry-After": "2"})
    site.answers = [httpx.ConnectError("refused"), busy, httpx.Response(200, json={})]
    send(site, {"a": 1})
    keys = {request.headers["Idempotency-Key"] for request in site.asked}
    assert (len(site.asked), len(keys)) == (3, 1)
    assert [json.loads(request.content) for request in site.asked] == [{"a": 1}] * 3


def test_two_writes_have_two_keys(site: ScriptedSite) -> None:
    site.answers = [httpx.Response(200, json={}), httpx.Response(200, json={})]
    for _ in range(2):
        send(site)
    assert len({request.headers["Idempotency-Key"] for request in site.asked}) == 2


def test_what_was_refused_for_good_is_not_tried_again(site: ScriptedSite) -> None:
    site.answers = [httpx.Response(409, json={"error": FAILURE})]
    with pytest.raises(ApiError):
        send(site)
    assert len(site.asked) == 1


def test_a_site_that_stays_away_is_unreachable(site: ScriptedSite) -> None:
    site.answers = [httpx.ConnectError("refused")] * 4
    with pytest.raises(Unreachable, match=r"site\.test does not answer"):
        site.client.me()


def test_lists_are_read_to_their_last_page(site: ScriptedSite) -> None:
    site.answers = [page("a", "b", next_cursor="cur_1"), page("c")]
    connection = site.client._connection
    things = pages(lambda cursor: connection.get(ThingPage, "/things", cursor=cursor))
    assert [thing.id for thing in things] == ["a", "b", "c"]
    assert [request.url.params.get("cursor") for request in site.asked] == [None, "cur_1"]
