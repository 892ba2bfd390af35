import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

import pytest

from sandbox.ports import Runtime
from tests.support.search_server import WRITTEN, SearchSite, searching
from tests.support.tool_context import call, make_context
from tests.support.warm_processes import warm_processes
from tools_app.builtin import websearch
from tools_app.registry import catalogue
from tools_app.spec import OfferContext, ToolContext, ToolError, ToolResult

__all__ = ["warm_processes"]
pytestmark = pytest.mark.usefixtures("warm_processes")
NO_SANDBOX = cast(Runtime, None)
TOOLS = ("websearch", "codesearch")


@pytest.fixture(scope="module")
def server() -> Iterator[SearchSite]:
    with searching() as site:
        yield site


def context(url: str, key: str = "") -> ToolContext:
    return replace(make_context(NO_SANDBOX), settings={"search_server": url, "search_key": key})


async def ask(tool: str, server: SearchSite, *, key: str = "", **arguments: Any) -> ToolResult:
    return await call(tool, json.dumps(arguments), context(server.url, key))


@pytest.mark.cold
async def test_the_web_is_searched_and_results_are_told_apart(server: SearchSite) -> None:
    result = await ask("websearch", server, query="how to install ruff", key="hunter2")
    assert result.title == "Searched the web for how to install ruff, 2 results"
    assert result.output == WRITTEN
    assert result.metadata["results"] == [
        {"title": "Installing ruff", "url": "https://docs.example.org/ruff", "text": "pip install ruff then run it."},
        {"title": "Ruff's rules", "url": "https://docs.example.org/rules", "text": "There are many."},
    ]
    assert (server.headers["authorization"], server.headers["x-api-key"]) == ("Bearer hunter2", "hunter2")


async def test_only_what_the_servers_tool_knows_is_sent(server: SearchSite) -> None:
    await ask("websearch", server, query="a", numResults=3, type="fast", livecrawl="preferred")
    assert server.asked[-1] == {"query": "a", "numResults": 3, "type": "fast"}


async def test_public_code_is_searched() -> None:
    with searching(json_response=True) as server:
        result = await ask("codesearch", server, query="use it", tokensNum=2000)
    assert (result.title, result.output) == ("Searched public code for use it", "```python\nuse(it)\n```")
    assert server.asked == [{"query": "use it", "tokensNum": 2000}]


async def test_an_empty_answer_is_said(server: SearchSite) -> None:
    result = await ask("websearch", server, query="nothing")
    assert (result.output, result.metadata["results"]) == ("Nothing was found.", [])


async def test_an_answer_without_end_is_cut(server: SearchSite) -> None:
    with pytest.raises(AttributeError):  # only the full text's place in a sandbox is missing here
        await ask("websearch", server, query="huge")


async def test_the_servers_own_error_is_told(server: SearchSite) -> None:
    with pytest.raises(ToolError, match=r"answered with an error: .*no luck"):
        await ask("websearch", server, query="fail")


async def test_a_server_that_is_not_there_is_told() -> None:
    with pytest.raises(ToolError, match="could not be reached"):
        await call("websearch", json.dumps({"query": "a"}), context("http://127.0.0.1:9/mcp"))


async def test_a_server_that_says_nothing_does_not_hold_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(websearch, "TIMEOUT_SECONDS", 1.0)
    with searching(silent=True) as server, pytest.raises(ToolError, match="did not answer within 1 s"):
        await ask("websearch", server, query="a")


@pytest.mark.parametrize("tool", TOOLS)
async def test_without_a_server_the_tools_are_not_offered_and_a_call_says_so(tool: str) -> None:
    assert not catalogue()[tool].is_offered(OfferContext())
    assert catalogue()[tool].is_offered(OfferContext(settings={"search_server": "exa"}))
    with pytest.raises(ToolError, match="no search server"):
        await call(tool, json.dumps({"query": "a"}), make_context(NO_SANDBOX))
