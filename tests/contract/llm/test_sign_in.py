"""Tokens of GitHub Copilot and GitLab Duo: exchanged, kept, renewed, and never sent where they do not belong."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from sessions_app.llm.gateway import ModelGateway
from sessions_app.llm.port import SITE, LlmError, LlmRefused, LlmUnavailable, ModelEndpoint, ModelRequest
from sessions_app.llm.sign_in import Addresses, SignIn
from tests.support.sign_in_server import CREDENTIAL, DEVICE_CODE, TOKEN, SignInServer, sign_in_server
from tests.support.vertex import vertex_server
from tools_app.web.rules import WebRules

COPILOT = ModelEndpoint(
    "openai_compatible", "gpt-5", "https://api.githubcopilot.com", CREDENTIAL, provider="pvd_1", exchange="copilot"
)
GITLAB = replace(
    COPILOT, kind="litellm", model="anthropic/claude-sonnet-4-5", base_url="https://cloud.gitlab.com/ai/v1/proxy/anthropic",
    exchange="gitlab",
)  # fmt: skip


@pytest.fixture
def server() -> Iterator[SignInServer]:
    with sign_in_server() as running:
        yield running


def sign_in(server: SignInServer, addresses: Addresses | None = None) -> SignIn:
    return SignIn(lambda: WebRules.exempting([server.netloc]), addresses or server.addresses())


async def test_a_token_of_copilot_replaces_the_credential_and_serves_until_it_expires(server: SignInServer) -> None:
    one = sign_in(server)
    first, second = await one.with_token(COPILOT), await one.with_token(COPILOT, starts=False)
    assert (first.api_key, second.api_key) == (f"{TOKEN}-1", f"{TOKEN}-1")
    assert (first.headers["X-Initiator"], second.headers["X-Initiator"]) == ("user", "agent")
    assert first.base_url == COPILOT.base_url
    assert first.exchange == ""
    assert [authorization for _, authorization, _ in server.asked] == [f"token {CREDENTIAL}"]
    server.lifetime = 30
    one.forget(COPILOT)
    await one.with_token(COPILOT)
    assert (await one.with_token(COPILOT)).api_key == f"{TOKEN}-3"


@pytest.mark.parametrize(
    "address", ["https://evil.example/", "https://api.githubcopilot.com.evil.example", "https://[half", "file:///etc"]
)
async def test_a_token_is_only_sent_to_copilots_own_hosts(server: SignInServer, address: str) -> None:
    server.model_address = address
    assert (await sign_in(server).with_token(COPILOT)).base_url == COPILOT.base_url


async def test_a_token_of_gitlab_comes_with_gitlabs_headers_and_no_others(server: SignInServer) -> None:
    endpoint = await sign_in(server).with_token(GITLAB)
    assert endpoint.headers == {"X-Gitlab-Instance-Id": "7", "Authorization": f"Bearer {TOKEN}-1"}
    assert endpoint.base_url == GITLAB.base_url
    assert server.asked[0][1] == f"Bearer {CREDENTIAL}"


@pytest.mark.litellm
async def test_models_of_gitlab_are_asked_in_anthropics_format_with_the_token(server: SignInServer) -> None:
    with vertex_server() as proxy:
        endpoint = replace(await sign_in(server).with_token(GITLAB), base_url=proxy.address, provider=SITE)
        with pytest.raises(LlmError):  # the stand-in answers in another format
            [
                event
                async for event in ModelGateway().stream(ModelRequest(endpoint, [{"role": "user", "content": "Hi"}]))
            ]
        path, authorization, body = proxy.asked[0]
    assert (path, authorization) == ("/v1/messages", f"Bearer {TOKEN}-1")
    assert body["model"] == "claude-sonnet-4-5"


async def test_accounts_never_share_a_token(server: SignInServer) -> None:
    one = sign_in(server)
    await one.with_token(COPILOT)
    assert (await one.with_token(replace(COPILOT, provider="pvd_2"))).api_key == f"{TOKEN}-2"


async def test_a_credential_that_is_refused_is_a_fault_of_the_key(server: SignInServer) -> None:
    server.refuses = True
    with pytest.raises(LlmRefused) as caught:
        await sign_in(server).with_token(COPILOT)
    assert caught.value.about == "key"
    assert CREDENTIAL not in f"{caught.value.message} {caught.value.hint}"


async def test_an_address_inside_is_not_asked(server: SignInServer) -> None:
    guarded = SignIn(WebRules, server.addresses())
    with pytest.raises((LlmRefused, LlmUnavailable)):
        await guarded.with_token(COPILOT)
    assert not server.asked


@pytest.mark.parametrize("state", ["pending", "denied", "expired"])
async def test_the_device_flow_says_what_it_waits_for(server: SignInServer, state: str) -> None:
    one = sign_in(server)
    device = await one.begin("client-1")
    assert (device.user_code, device.interval, device.lifetime) == ("WDJB-MJHT", 5, 899)
    assert DEVICE_CODE not in repr(device)
    server.device = state
    assert await one.poll("client-1", device.code) == (state, "")


async def test_the_device_flow_ends_with_a_credential(server: SignInServer) -> None:
    one = sign_in(server)
    device = await one.begin("client-1")
    server.device = "done"
    assert await one.poll("client-1", device.code) == ("done", CREDENTIAL)
    assert server.asked[-1][2]["device_code"] == DEVICE_CODE
