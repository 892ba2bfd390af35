"""Reading a session with the client."""

import httpx

from tests.unit.client.conftest import ScriptedSite

LISTS = ("turns", "messages", "parts", "calls", "permission_requests", "questions", "workspace_notes", "alternatives")


def page(older: str | None) -> httpx.Response:
    return httpx.Response(200, json={**{name: [] for name in LISTS}, "older": older})


def test_a_conversation_is_read_in_pages_up_to_its_start(site: ScriptedSite) -> None:
    site.answers = [page("msg_2"), page("msg_1"), page(None)]
    found = [one.older for one in site.client.session("ses_1").conversation()]
    assert found == ["msg_2", "msg_1", None]
    assert [request.url.path for request in site.asked] == ["/prefix/api/v1/sessions/ses_1/conversation"] * 3
    assert [request.url.params.get("before") for request in site.asked] == [None, "msg_2", "msg_1"]
