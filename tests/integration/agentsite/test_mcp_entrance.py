"""Access to the site's MCP server is checked before the protocol starts."""

import json

import pytest
from pytest_django import Settings

from agentsite.http.middleware import DATA_POLICY, DEFAULT_HEADERS
from agentsite.tenancy.models import User
from agentsite.tenancy.scopes import Scope
from tests.support.builders import browser_of, make_user
from tests.support.site_mcp import HANDSHAKE, STATELESS, McpSite, token_of
from tests.support.sockets import do

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_database]

PING = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"})


@pytest.fixture
def user() -> User:
    return make_user()


@pytest.fixture
def mcp(user: User) -> McpSite:
    return McpSite(token_of(user))


@pytest.mark.parametrize("secret", ["", "ags_nonsense", " ", "x" * 5000])
async def test_without_a_token_the_answer_says_how_to_get_one(user: User, secret: str) -> None:
    answer = await McpSite(secret).post(PING)
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "not_signed_in")
    assert answer.headers["www-authenticate"].startswith('Bearer realm="agentsite", error="invalid_token"')
    assert "/account/tokens" in answer.headers["www-authenticate"]
    assert "/account/tokens" in answer.json()["error"]["hint"]


async def test_a_cookie_is_no_token(user: User) -> None:
    browser = await do(browser_of, user)
    cookie = "; ".join(f"{name}={morsel.value}" for name, morsel in browser.cookies.items())
    assert (await McpSite("").post(PING, Cookie=cookie)).status_code == 401


async def test_a_revoked_token_and_one_of_a_barred_person_are_refused(user: User, mcp: McpSite) -> None:
    assert (await mcp.post(PING)).status_code == 200
    user.is_active = False
    await user.asave()
    assert (await mcp.post(PING)).status_code == 401


@pytest.mark.parametrize("version", [HANDSHAKE, STATELESS])
@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "evil.example", "Origin": "http://evil.example"},
        {"Origin": "http://evil.example"},
        {"Origin": "http://localhost:8001"},
        {"Origin": "null"},
        {"Host": "localhost:8000.evil.example"},
    ],
)
async def test_pages_of_other_sites_are_refused(mcp: McpSite, version: str, headers: dict[str, str]) -> None:
    answer = await mcp.post(PING, MCP_Protocol_Version=version, **headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "not_allowed")


async def test_own_pages_and_programs_are_answered(mcp: McpSite) -> None:
    assert (await mcp.post(PING, Origin="http://localhost:8000")).status_code == 200
    answer = await mcp.post(PING)
    assert answer.status_code == 200
    for name, value in {**DEFAULT_HEADERS, "Content-Security-Policy": DATA_POLICY}.items():
        assert answer.headers[name] == value


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "HEAD"])
async def test_only_post_is_answered(mcp: McpSite, method: str) -> None:
    answer = await mcp.post("", method=method)
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize("version", [HANDSHAKE, STATELESS])
@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b"\xff\xfe", 400),
        (b"[]", 400),
        (b"[" * 100_000, 400),
        (b'{"jsonrpc": "2.0", "id": 1}', 400),
        (b'"' + b"x" * (4 << 20) + b'"', 413),
    ],
)
async def test_bad_bodies_are_refused(mcp: McpSite, version: str, body: bytes, status: int) -> None:
    answer = await mcp.post(body, MCP_Protocol_Version=version)
    assert answer.status_code == status
    assert "Traceback" not in answer.text


async def test_an_unknown_method_and_an_unknown_version_are_errors(mcp: McpSite) -> None:
    assert (await mcp.send("nothing/at_all"))["error"]["code"] == -32601
    answer = await mcp.post(PING, MCP_Protocol_Version="1999-01-01")
    assert answer.status_code == 400


async def test_requests_are_counted_for_the_token(settings: Settings, mcp: McpSite) -> None:
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "token": "2/minute"}
    assert (await mcp.post(PING)).status_code == 200
    refused = [await mcp.post(PING) for _ in range(3)][-1]
    assert (refused.status_code, refused.json()["error"]["code"]) == (429, "rate_limited")
    assert int(refused.headers["retry-after"]) > 0


async def test_a_tool_that_is_over_the_limit_says_so_to_the_model(settings: Settings, mcp: McpSite) -> None:
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "token": "1/minute"}
    assert await mcp.error("list_projects") == "rate_limited"


async def test_a_token_without_any_reading_still_lists_what_it_may(user: User) -> None:
    mcp = McpSite(await do(token_of, user, Scope.ANSWER))
    assert [tool["name"] for tool in (await mcp.send("tools/list"))["result"]["tools"]] == ["answer_permission_request"]
    assert (await mcp.send("resources/list"))["error"]["data"]["code"] == "scope_missing"


async def test_clients_are_told_what_the_server_is_for(mcp: McpSite) -> None:
    params = {"protocolVersion": HANDSHAKE, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    result = (await mcp.send("initialize", params))["result"]
    assert (result["protocolVersion"], result["serverInfo"]["name"]) == (HANDSHAKE, "agentsite")
    assert "wait_for_turn" in result["instructions"]
    assert set(result["capabilities"]) == {"tools", "resources"}


async def test_every_tool_says_what_it_takes_without_references(mcp: McpSite) -> None:
    tools = (await mcp.send("tools/list"))["result"]["tools"]
    assert len(tools) == 16
    for tool in tools:
        assert tool["inputSchema"]["additionalProperties"] is False
        assert "$ref" not in json.dumps(tool)
    assert len(json.dumps(tools)) < 20_000
