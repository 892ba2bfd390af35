"""Tokens of GitHub Copilot and GitLab Duo are exchanged, stored and renewed, and sent to their own servers only."""

import asyncio
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from sessions_app.llm.gateway import ModelGateway
from sessions_app.llm.oauth_credential import OAuthCredential, credential_in
from sessions_app.llm.port import SITE, LlmError, LlmRefused, LlmUnavailable, ModelEndpoint, ModelRequest
from sessions_app.llm.sign_in import Addresses, SignIn
from tests.support.sign_in_server import ACCESS, CREDENTIAL, DEVICE_CODE, REFRESH, TOKEN, SignInServer, sign_in_server
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
    device = await one.begin("copilot", "client-1")
    assert (device.user_code, device.interval, device.lifetime) == ("WDJB-MJHT", 5, 899)
    assert DEVICE_CODE not in repr(device)
    server.device = state
    assert await one.poll("copilot", "client-1", device.code) == (state, "")


async def test_the_device_flow_ends_with_a_credential(server: SignInServer) -> None:
    one = sign_in(server)
    device = await one.begin("copilot", "client-1")
    server.device = "done"
    assert await one.poll("copilot", "client-1", device.code) == ("done", CREDENTIAL)
    assert server.asked[-1][2]["device_code"] == DEVICE_CODE


# --- a sign-in at GitLab, which expires -------------------------------------------------------------------------------
@dataclass
class Kept:
    """The stored credential that all processes share. `renewing` tells whether one of them is renewing it."""

    key: str
    renewing: bool = False

    async def may_renew(self, endpoint: ModelEndpoint) -> bool:
        was, self.renewing = self.renewing, True
        return not was

    async def newest(self, endpoint: ModelEndpoint) -> str:
        return self.key

    async def keep(self, endpoint: ModelEndpoint, before: str, key: str) -> None:
        assert before == self.key
        self.key = key


def pair(number: int, seconds: float) -> str:
    return OAuthCredential(f"{ACCESS}-{number}", f"{REFRESH}-{number}", time.time() + seconds, "client-1").as_key()


def asked_with(server: SignInServer) -> list[str]:
    return [authorization for path, authorization, _ in server.asked if path.startswith("/api/v4")]


async def test_a_sign_in_at_gitlab_ends_with_a_pair_that_serves_until_it_expires(server: SignInServer) -> None:
    one = sign_in(server)
    device = await one.begin("gitlab", "client-1")
    assert server.asked[-1][2] == {"client_id": "client-1", "scope": "api"}
    assert await one.poll("gitlab", "client-1", device.code) == ("pending", "")
    server.device = "done"
    state, key = await one.poll("gitlab", "client-1", device.code)
    credential = credential_in(key)
    assert state == "done"
    assert credential is not None
    assert (credential.access, credential.refresh) == (f"{ACCESS}-0", f"{REFRESH}-0")
    assert key.isascii()
    assert " " not in key
    await one.with_token(replace(GITLAB, api_key=key))
    assert asked_with(server) == [f"Bearer {ACCESS}-0"]


async def test_one_of_several_processes_renews_the_sign_in_and_all_use_the_result(server: SignInServer) -> None:
    kept = Kept(pair(0, 5))
    endpoint = replace(GITLAB, api_key=kept.key)
    processes = [SignIn(lambda: WebRules.exempting([server.netloc]), server.addresses(), kept) for _ in range(4)]
    await asyncio.gather(*(each.with_token(endpoint) for each in processes))
    assert server.refreshed == 1
    assert asked_with(server) == 4 * [f"Bearer {ACCESS}-1"]
    found = credential_in(kept.key)
    assert found is not None
    assert found.refresh == f"{REFRESH}-1"


async def test_a_process_that_comes_too_late_uses_what_another_one_has_renewed(server: SignInServer) -> None:
    server.refreshed = 1  # the pair of this process was used already
    kept = Kept(pair(0, 5))
    one = SignIn(lambda: WebRules.exempting([server.netloc]), server.addresses(), kept)

    async def newest(endpoint: ModelEndpoint) -> str:
        first, kept.key = kept.key, pair(1, 1_000)  # another process stores its result in between
        return first

    kept.newest = newest  # type: ignore[method-assign]
    await one.with_token(replace(GITLAB, api_key=kept.key))
    assert asked_with(server) == [f"Bearer {ACCESS}-1"]


async def test_a_sign_in_that_was_revoked_says_that_somebody_must_sign_in_again(server: SignInServer) -> None:
    server.revoked = True
    one = SignIn(lambda: WebRules.exempting([server.netloc]), server.addresses(), Kept(pair(0, -1)))
    with pytest.raises(LlmRefused) as caught:
        await one.with_token(replace(GITLAB, api_key=pair(0, -1), provider_name="GitLab"))
    assert caught.value.message == "The sign-in at 'GitLab' has expired or was revoked."
    assert "sign in again" in caught.value.hint
    assert caught.value.about == "key"


async def test_a_client_that_the_provider_does_not_know_is_named_to_operators(server: SignInServer) -> None:
    for exchange in ("copilot", "gitlab"):
        with pytest.raises(LlmRefused) as caught:
            await sign_in(server).begin(exchange, "unknown")
        assert "does not accept this site's OAuth client: Client authentication failed" in caught.value.message


@pytest.mark.parametrize("key", ["glpat-1", "oauth:", "oauth:{}", "oauth:[1]", 'oauth:{"access":"a"}'])
def test_what_somebody_typed_is_no_sign_in(key: str) -> None:
    assert credential_in(key) is None
