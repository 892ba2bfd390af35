"""Sign in at providers that give short-lived tokens for a stored credential: GitHub Copilot and GitLab Duo.

The stored credential is exchanged for a token, which stays in this process and is renewed before it expires. The
credential of a sign-in at GitLab expires, too: one process renews it and stores it for all processes. All requests go
to fixed addresses through the guarded transport. An address or header that an answer names is only used if it belongs
to the provider.
"""

import asyncio
import hashlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, Protocol
from urllib.parse import urlsplit

import httpx

from sessions_app.llm import failures
from sessions_app.llm.guarded_http import EndpointRefused, GuardedTransport
from sessions_app.llm.oauth_credential import OAuthCredential, credential_in
from sessions_app.llm.port import Exchange, ModelEndpoint
from tools_app.web.rules import WebRules

TIMEOUT_SECONDS: Final = 20.0
RENEWED_BEFORE: Final = 60.0  # seconds before a token expires
GITLAB_LIFETIME: Final = 25 * 60.0  # seconds
MAX_LIFETIME: Final = 60 * 60.0  # seconds
MAX_BYTES: Final = 100_000
COPILOT_HEADERS: Final[Mapping[str, str]] = {
    "Copilot-Integration-Id": "vscode-chat",
    "Editor-Version": "vscode/1.98.0",
    "Openai-Intent": "conversation-edits",
}
_GRANT: Final = "urn:ietf:params:oauth:grant-type:device_code"
_SCOPES: Final[Mapping[str, str]] = {"copilot": "read:user", "gitlab": "api"}
WAITS: Final = 40  # polls for a credential that another process renews
WAIT_SECONDS: Final = 0.25  # between them
_GITLAB_HEADER_START: Final = "x-gitlab-"

DeviceState = Literal["pending", "done", "denied", "expired"]


@dataclass(frozen=True, slots=True)
class Addresses:
    """The addresses for sign-ins at GitHub Copilot and GitLab Duo. Copilot may name only hosts for its models that end
    with `copilot_hosts`."""

    device: str = "https://github.com/login/device/code"
    device_token: str = "https://github.com/login/oauth/access_token"
    copilot_token: str = "https://api.github.com/copilot_internal/v2/token"
    copilot_hosts: str = ".githubcopilot.com"
    gitlab_token: str = "https://gitlab.com/api/v4/ai/third_party_agents/direct_access"
    gitlab_device: str = "https://gitlab.com/oauth/authorize_device"
    gitlab_oauth: str = "https://gitlab.com/oauth/token"


@dataclass(frozen=True, slots=True)
class Device:
    """A started sign-in by OAuth's device flow: people enter `user_code` at `address`. `code` is secret."""

    code: str = field(repr=False)
    user_code: str
    address: str
    interval: int
    lifetime: int


@dataclass(frozen=True, slots=True)
class _Token:
    value: str = field(repr=False)
    until: float
    base_url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


class Credentials(Protocol):
    """The storage of renewed provider credentials, which all processes share."""

    async def may_renew(self, endpoint: ModelEndpoint) -> bool:
        """Return whether this process may renew the endpoint's credential. At most one process at a time may do so."""

    async def newest(self, endpoint: ModelEndpoint) -> str:
        """Return the endpoint's stored credential; "" if there is none."""

    async def keep(self, endpoint: ModelEndpoint, before: str, key: str) -> None:
        """Store a renewed credential in place of the credential `before`. Nothing is stored if `before` has been
        replaced by now."""


class SignIn:
    """The exchange of stored credentials for tokens. One object per process, because it keeps the tokens. Without
    `credentials`, renewed credentials are not stored: an endpoint's credential is used until it expires."""

    def __init__(
        self, rules: Callable[[], WebRules] = WebRules, addresses: Addresses | None = None,
        credentials: Credentials | None = None,
    ) -> None:  # fmt: skip
        self._rules = rules
        self._addresses = addresses or Addresses()
        self._credentials = credentials
        self._tokens: dict[str, _Token] = {}

    async def with_token(self, endpoint: ModelEndpoint, *, starts: bool = True) -> ModelEndpoint:
        """Return the endpoint with an exchanged token in place of the stored credential. `starts`: the model answers a
        person's message, not a tool's result (Copilot is told so in a header). Raises LlmError."""
        token = self._tokens.get(_name(endpoint))
        if token is None or token.until - RENEWED_BEFORE < time.time():
            token = await self._exchange(endpoint)
            self._tokens = {name: one for name, one in self._tokens.items() if one.until > time.time()}
            self._tokens[_name(endpoint)] = token
        told = {"X-Initiator": "user" if starts else "agent"} if endpoint.exchange == "copilot" else {}
        headers = {**token.headers, **told, **endpoint.headers}
        return replace(
            endpoint, api_key=token.value, headers=headers, base_url=token.base_url or endpoint.base_url, exchange=""
        )

    def forget(self, endpoint: ModelEndpoint) -> None:
        """Drop the token of an endpoint, because the provider has refused it."""
        self._tokens.pop(_name(endpoint), None)

    async def begin(self, exchange: Exchange, client_id: str) -> Device:
        """Start a sign-in at the provider. Raises LlmError."""
        place = _place_of(exchange)
        address = self._addresses.gitlab_device if exchange == "gitlab" else self._addresses.device
        answer = await self._ask_oauth(place, address, {"client_id": client_id, "scope": _SCOPES[exchange]})
        if "error" in answer:
            raise failures.client_refused(place, str(answer.get("error_description") or answer["error"]))
        try:
            device = Device(
                str(answer["device_code"]), str(answer["user_code"])[:40], str(answer["verification_uri"]),
                _between(answer.get("interval"), 5, 60), _between(answer.get("expires_in"), 60, 1_800),
            )  # fmt: skip
        except KeyError:
            raise failures.unreadable_answer(place) from None
        if urlsplit(device.address).netloc != urlsplit(address).netloc:
            raise failures.unreadable_answer(place)
        return device

    async def poll(self, exchange: Exchange, client_id: str, device_code: str) -> tuple[DeviceState, str]:
        """Return the state of a sign-in, and the credential to store if it is done. Raises LlmError."""
        form = {"client_id": client_id, "device_code": device_code, "grant_type": _GRANT}
        place = _place_of(exchange)
        address = self._addresses.gitlab_oauth if exchange == "gitlab" else self._addresses.device_token
        answer = await self._ask_oauth(place, address, form)
        if answer.get("access_token"):
            return "done", _credential_of(answer, place, client_id)
        states: Mapping[str, DeviceState] = {"expired_token": "expired", "access_denied": "denied"}
        if answer.get("error") in ("authorization_pending", "slow_down"):
            return "pending", ""
        return states.get(str(answer.get("error")), "expired"), ""

    async def _exchange(self, endpoint: ModelEndpoint) -> _Token:
        if endpoint.exchange == "gitlab":
            return await self._gitlab_token(endpoint)
        answer = await self._ask(endpoint, "GET", self._addresses.copilot_token, authorization="token")
        endpoints = answer.get("endpoints")
        base_url = str(endpoints.get("api", "")) if isinstance(endpoints, Mapping) else ""
        until = answer.get("expires_at")
        until = float(until) if isinstance(until, int | float) else time.time() + RENEWED_BEFORE
        return _Token(
            _token_in(answer, endpoint), min(until, time.time() + MAX_LIFETIME),
            base_url if self._is_copilot(base_url) else "", COPILOT_HEADERS,
        )  # fmt: skip

    async def _gitlab_token(self, endpoint: ModelEndpoint) -> _Token:
        credential = credential_in(endpoint.api_key)
        if credential is not None:
            endpoint = replace(endpoint, api_key=(await self._current(endpoint, credential)).access)
        answer = await self._ask(endpoint, "POST", self._addresses.gitlab_token, {}, authorization="Bearer")
        value, sent = _token_in(answer, endpoint), answer.get("headers")
        headers = sent if isinstance(sent, Mapping) else {}
        allowed = {
            str(name): str(text) for name, text in headers.items() if str(name).lower().startswith(_GITLAB_HEADER_START)
        }
        return _Token(value, time.time() + GITLAB_LIFETIME, headers={**allowed, "Authorization": f"Bearer {value}"})

    async def _current(self, endpoint: ModelEndpoint, credential: OAuthCredential) -> OAuthCredential:
        """Return the credential, renewed if it has expired. GitLab accepts each refresh token only once, so one process
        renews the credential and the other processes wait for the result. Raises LlmError."""
        if not _is_over(credential):
            return credential
        if self._credentials is None:
            raise failures.sign_in_ended(endpoint)
        if not await self._credentials.may_renew(endpoint):
            for _ in range(WAITS):
                await asyncio.sleep(WAIT_SECONDS)
                if (found := await self._stored(endpoint)) is not None and not _is_over(found):
                    return found
        found = await self._stored(endpoint) or credential
        return await self._renewed(endpoint, found) if _is_over(found) else found

    async def _stored(self, endpoint: ModelEndpoint) -> OAuthCredential | None:
        return None if self._credentials is None else credential_in(await self._credentials.newest(endpoint))

    async def _renewed(self, endpoint: ModelEndpoint, old: OAuthCredential) -> OAuthCredential:
        form = {"client_id": old.client_id, "refresh_token": old.refresh, "grant_type": "refresh_token"}
        answer = await self._ask_oauth(endpoint, self._addresses.gitlab_oauth, form)
        renewed = OAuthCredential.of_answer(answer, old.client_id, time.time())
        if renewed is None:  # refused: another process was faster, or the sign-in was revoked
            found = await self._stored(endpoint)
            if found is None or _is_over(found):
                raise failures.sign_in_ended(endpoint)
            return found
        if self._credentials is not None:
            await self._credentials.keep(endpoint, old.as_key(), renewed.as_key())
        return renewed

    def _is_copilot(self, base_url: str) -> bool:
        try:
            address = urlsplit(base_url)
            return address.scheme in ("https", "http") and address.netloc.endswith(self._addresses.copilot_hosts)
        except ValueError:
            return False

    async def _ask_oauth(self, endpoint: ModelEndpoint, url: str, form: Mapping[str, str]) -> Mapping[str, Any]:
        """Return the answer of an OAuth endpoint; an OAuth error such as "authorization_pending" is returned, too."""
        secret = form.get("refresh_token") or form.get("device_code", "")  # masked, should an error quote it
        place = replace(endpoint, base_url=url, api_key=secret, headers={})
        answer = await self._send(place, "POST", {"Accept": "application/json"}, form=form)
        if answer.status_code in (400, 401) and (told := _object_in(answer)) is not None and "error" in told:
            return told
        return _read(place, answer)

    async def _ask(
        self, endpoint: ModelEndpoint, method: str, url: str, content: Mapping[str, str] | None = None, *,
        authorization: str,
    ) -> Mapping[str, Any]:  # fmt: skip
        headers = {"Accept": "application/json", "Authorization": f"{authorization} {endpoint.api_key}"}
        if endpoint.exchange == "copilot":
            headers |= COPILOT_HEADERS
        place = replace(endpoint, base_url=url)
        return _read(place, await self._send(place, method, headers, content=content))

    async def _send(
        self, place: ModelEndpoint, method: str, headers: Mapping[str, str], *,
        form: Mapping[str, str] | None = None, content: Mapping[str, str] | None = None,
    ) -> httpx.Response:  # fmt: skip
        try:
            async with httpx.AsyncClient(transport=GuardedTransport(self._rules), timeout=TIMEOUT_SECONDS) as http:
                return await http.request(method, place.base_url, headers=headers, data=form, json=content)
        except httpx.TimeoutException:
            raise failures.too_slow(place) from None
        except EndpointRefused:
            raise failures.endpoint_refused(place) from None
        except httpx.HTTPError:
            raise failures.unreachable(place) from None


def _read(place: ModelEndpoint, answer: httpx.Response) -> Mapping[str, Any]:
    """Return the JSON object of a provider's answer. Raises LlmError if the answer is not an object, or reports an
    error."""
    if answer.status_code in (401, 403, 404):
        quoted = failures.provider_words(answer.text[:MAX_BYTES], place)
        raise failures.sign_in_refused(place, quoted)
    if not answer.is_success:
        headers = {name.lower(): value for name, value in answer.headers.items()}
        raise failures.from_status(place, answer.status_code, answer.text[:MAX_BYTES], headers)
    found = _object_in(answer)
    if found is None:
        raise failures.unreadable_answer(place)
    return found


def _object_in(answer: httpx.Response) -> Mapping[str, Any] | None:
    try:
        found = json.loads(answer.content) if len(answer.content) <= MAX_BYTES else None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, Mapping) else None


def _token_in(answer: Mapping[str, Any], endpoint: ModelEndpoint) -> str:
    token = answer.get("token")
    if not isinstance(token, str) or not token.isprintable() or not token.isascii():
        raise failures.unreadable_answer(endpoint)
    return token


def _name(endpoint: ModelEndpoint) -> str:
    """Return a name for the endpoint's credential, for cache keys and the like, from which the credential cannot be
    derived."""
    return hashlib.sha256(f"{endpoint.exchange}\0{endpoint.provider}\0{endpoint.api_key}".encode()).hexdigest()


def _place_of(exchange: Exchange) -> ModelEndpoint:
    host = "gitlab.com" if exchange == "gitlab" else "github.com"
    return ModelEndpoint("openai_compatible", "", f"https://{host}", provider=host, exchange=exchange)


def _credential_of(answer: Mapping[str, Any], place: ModelEndpoint, client_id: str) -> str:
    """Return the credential to store after a completed sign-in: GitHub's token, which does not expire, or GitLab's pair
    of tokens."""
    if place.exchange != "gitlab":
        return str(answer["access_token"])
    credential = OAuthCredential.of_answer(answer, client_id, time.time())
    if credential is None:
        raise failures.unreadable_answer(place)
    return credential.as_key()


def _is_over(credential: OAuthCredential) -> bool:
    return credential.until - RENEWED_BEFORE < time.time()


def _between(value: object, low: int, high: int) -> int:
    return min(max(value, low), high) if isinstance(value, int) else low
