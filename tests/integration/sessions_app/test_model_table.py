"""Operators update the table of models: a guarded process reads it, the table is stored, and failures are reported."""

import json
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from agentsite.base.background import background
from agentsite.tenancy.models import AuditEntry
from sessions_app.actions import model_table as actions
from sessions_app.llm import model_table, prices
from sessions_app.models import ModelTable
from sessions_app.workers.door import model_table as door
from tests.support.builders import make_user
from tests.support.deadline import wait_until
from tests.support.door_at_work import door_at_work
from tests.support.rest_api import RestApi
from tests.support.web_server import WebServer, page, serving

__all__ = ["door_at_work"]
pytestmark = [pytest.mark.one_database, pytest.mark.django_db]


def table(provider: str, count: int = 10) -> dict[str, Any]:
    fields = {"mode": "chat", "litellm_provider": provider, "max_input_tokens": 1000, "supports_function_calling": True}
    return {f"{provider}-{number}": fields for number in range(count)}


@pytest.fixture
def server(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WebServer]:
    """Run a web server with a model table that has twelve models of `new`, while the bundled table has ten models of
    `old`."""
    bundled = tmp_path / "bundled.json"
    bundled.write_text(json.dumps(table("old")))
    monkeypatch.setattr(model_table, "_bundled_path", lambda: bundled)
    monkeypatch.setattr(door, "is_first", lambda *_: True)
    prices._facts_of_table.cache_clear()
    settings.MODEL_TABLE_FILE = tmp_path / "kept.json"
    monkeypatch.setitem(prices._kept, "file", str(settings.MODEL_TABLE_FILE))
    stack = AsyncExitStack()
    found = background.run(stack.enter_async_context(serving({})))
    settings.WEB_ALLOW, settings.MODEL_TABLE_URL = [found.place], f"http://{found.place}/models.json"
    publish(found, table("new", 12))
    yield found
    background.run(stack.aclose())
    prices._facts_of_table.cache_clear()


def publish(server: WebServer, content: Any) -> None:
    said = content if isinstance(content, bytes) else page(json.dumps(content), "application/json")
    server.pages = {"/models.json": said}


def operator() -> RestApi:
    user = make_user()
    user.is_staff = True
    user.save()
    return RestApi(user)


def names(api: RestApi, query: str = "") -> list[str]:
    return [item["name"] for item in api("get", f"/model-table/models{query}")["items"]]


def refresh(api: RestApi) -> dict[str, Any]:
    ModelTable.objects.update(tried_at=None)
    api("post", "/model-table/refresh", expect=202)
    door.refresh_table()  # after the commit
    found: dict[str, Any] = api("get", "/model-table")
    return found


def test_a_table_that_was_read_is_in_use_for_everybody_and_after_a_restart(server: WebServer, settings: Any) -> None:
    api = RestApi(make_user())
    before = api("get", "/model-table")
    assert (before["read_at"], before["providers"]) == (None, [{"name": "old", "models": 10}])
    assert not before["can_refresh"]
    shown = refresh(operator())
    assert (shown["problem"], shown["address"], shown["models"]) == ("", settings.MODEL_TABLE_URL, 12)
    assert names(api, "?search=new-1&provider=new") == ["new-1", "new-10", "new-11"]
    settings.MODEL_TABLE_FILE.unlink()  # another machine, or a restored backup
    assert names(api, "?limit=1") == ["old-0"]
    actions.take_over_table()
    assert names(api, "?limit=1") == ["new-0"]


@pytest.mark.django_db(transaction=True)
def test_a_door_at_work_reads_the_table_after_the_request_and_says_why_it_cannot(
    server: WebServer, door_at_work: None
) -> None:
    api = operator()
    api("post", "/model-table/refresh", expect=202)
    wait_until(lambda: api("get", "/model-table")["read_at"] is not None, "the door reads the table")
    wait_until(lambda: names(api, "?limit=1") == ["new-0"], "the door writes its file, after the commit")
    publish(server, b"HTTP/1.1 503 Down\r\nContent-Length: 0\r\n\r\n")
    ModelTable.objects.update(tried_at=None)
    api("post", "/model-table/refresh", expect=202)
    wait_until(lambda: "503" in api("get", "/model-table")["problem"], "the door says that the table is away")
    assert names(api, "?limit=1") == ["new-0"]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (page(json.dumps(table("new"))[:-50], "application/json"), "only a part of one"),
        (page(json.dumps(table("new", 3))), "A whole table has at least"),
        (page("", status="503 Down"), "answered 503"),
        (page("", status="302 Found", Location="http://169.254.169.254/latest"), "is refused"),
        (page("x" * (6 << 20)), "larger than 5 MiB"),
    ],
)
def test_a_table_that_cannot_be_used_changes_nothing_and_says_why(server: WebServer, answer: bytes, words: str) -> None:
    api = operator()
    refresh(api)
    publish(server, answer)
    shown = refresh(api)
    assert words in shown["problem"]
    assert shown["models"] == 12
    assert shown["tried_at"] > shown["read_at"]


def test_only_operators_have_it_read_or_go_back_to_the_bundled_one(server: WebServer) -> None:
    member, api = RestApi(make_user()), operator()
    member.error("post", "/model-table/refresh", expect=403)
    member.error("delete", "/model-table", expect=403)
    refresh(api)
    assert api.error("post", "/model-table/refresh", expect=429)["hint"]
    shown = api("delete", "/model-table")
    assert (shown["read_at"], shown["models"]) == (None, 10)
    actions_made = AuditEntry.objects.filter(action__startswith="model_table.").order_by("seq")
    assert [entry.action for entry in actions_made] == ["model_table.requested", "model_table.reset"]


def test_models_come_in_pages(server: WebServer) -> None:
    api = RestApi(make_user())
    first = api("get", "/model-table/models?limit=4")
    assert (len(first["items"]), first["total"], first["next_cursor"]) == (4, 10, "old-3")
    rest = api("get", f"/model-table/models?cursor={first['next_cursor']}")
    assert (len(rest["items"]), rest["next_cursor"]) == (6, None)
    assert first["items"][0] == {
        "name": "old-0", "provider": "old", "context": 1000, "max_output": None, "input_price": None,
        "output_price": None, "sees_images": False, "sees_pdf": False, "reasons": False, "calls_tools": True,
        "efforts": [], "caches": False,
    }  # fmt: skip
    api.error("get", "/model-table/models?limit=201", expect=400)


def test_a_site_without_an_address_keeps_the_bundled_table(server: WebServer, settings: Any) -> None:
    settings.MODEL_TABLE_URL = ""
    api = operator()
    assert "MODEL_TABLE_URL" in api.error("post", "/model-table/refresh", expect=409)["message"]
    assert not api("get", "/model-table")["can_refresh"]
