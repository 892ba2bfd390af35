"""Sign in at providers that give short-lived tokens for a stored credential: GitHub Copilot and GitLab Duo.

The stored credential is exchanged for a token, which stays in this process and is renewed before it expires. All
requests go to fixed addresses through the guarded transport. An address or header that an answer names is only used if
it belongs to the provider.
"""

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal
from urllib.parse import urlsplit

import httpx

from sessions_app.llm import failures
from sessions_app.llm.guarded_http import EndpointRefused, GuardedTransport
from sessions_app.llm.port import ModelEndpoint
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
_SCOPE: Final = "read:user"
_GITLAB_HEADER_START: Final = "x-gitlab-"

DeviceState = Literal["pending", "done", "denied", "expired"]


@dataclass(frozen=True, slots=True)
class Addresses:
    """The addresses of both providers. `copilot_hosts` is how a host ends that Copilot may name for its models."""

    device: str = "https://github.com/login/device/code"
    device_token: str = "https://github.com/login/oauth/access_token"
    copilot_token: str = "https://api.github.com/copilot_internal/v2/token"
    copilot_hosts: str = ".githubcopilot.com"
    gitlab_token: str = "https://gitlab.com/api/v4/ai/third_party_agents/direct_access"


@dataclass(frozen=True, slots=True)
class Device:
    """A started sign-in: people enter `user_code` at `address`. `code` is secret."""

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


class SignIn:
    """Exchanges stored credentials for tokens. One per process, because it keeps the tokens."""

    def __init__(self, rules: Callable[[], WebRules] = WebRules, addresses: Addresses | None = None) -> None:
        self._rules = rules
        self._addresses = addresses or Addresses()
        self._tokens: dict[str, _Token] = {}

    async def with_token(self, endpoint: ModelEndpoint, *, starts: bool = True) -> ModelEndpoint:
        """Return the endpoint with a token in place of the stored credential. `starts`: a person's message, and not a
        result of a tool, is what the model is to answer. Raises LlmError."""
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

    async def begin(self, client_id: str) -> Device:
        """Start a sign-in at GitHub. Raises LlmError."""
        place = _github()
        answer = await self._ask(place, "POST", self._addresses.device, {"client_id": client_id, "scope": _SCOPE})
        try:
            device = Device(
                str(answer["device_code"]), str(answer["user_code"])[:40], str(answer["verification_uri"]),
                _between(answer.get("interval"), 5, 60), _between(answer.get("expires_in"), 60, 1_800),
            )  # fmt: skip
        except KeyError:
            raise failures.unreadable_answer(place) from None
        if urlsplit(device.address).netloc != urlsplit(self._addresses.device).netloc:
            raise failures.unreadable_answer(place)
        return device

    async def poll(self, client_id: str, device_code: str) -> tuple[DeviceState, str]:
        """Return the state of a sign-in at GitHub, and the credential if it is done. Raises LlmError."""
        form = {"client_id": client_id, "device_code": device_code, "grant_type": _GRANT}
        answer = await self._ask(_github(), "POST", self._addresses.device_token, form)
        if credential := answer.get("access_token"):
            return "done", str(credential)
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
        answer = await self._ask(endpoint, "POST", self._addresses.gitlab_token, {}, authorization="Bearer")
        value, sent = _token_in(answer, endpoint), answer.get("headers")
        headers = sent if isinstance(sent, Mapping) else {}
        allowed = {
            str(name): str(text) for name, text in headers.items() if str(name).lower().startswith(_GITLAB_HEADER_START)
        }
        return _Token(value, time.time() + GITLAB_LIFETIME, headers={**allowed, "Authorization": f"Bearer {value}"})

    def _is_copilot(self, base_url: str) -> bool:
        try:
            address = urlsplit(base_url)
            return address.scheme in ("https", "http") and address.netloc.endswith(self._addresses.copilot_hosts)
        except ValueError:
            return False

    async def _ask(
        self, endpoint: ModelEndpoint, method: str, url: str, form: Mapping[str, str] | None = None, *,
        authorization: str = "",
    ) -> Mapping[str, Any]:  # fmt: skip
        headers = {"Accept": "application/json", **COPILOT_HEADERS}
        if authorization:
            headers["Authorization"] = f"{authorization} {endpoint.api_key}"
        place = replace(endpoint, base_url=url)
        try:
            async with httpx.AsyncClient(transport=GuardedTransport(self._rules), timeout=TIMEOUT_SECONDS) as http:
                answer = await http.request(method, url, headers=headers, json=form)
        except httpx.TimeoutException:
            raise failures.too_slow(place) from None
        except EndpointRefused:
            raise failures.endpoint_refused(place) from None
        except httpx.HTTPError:
            raise failures.unreachable(place) from None
        return _read(place, answer)


def _read(place: ModelEndpoint, answer: httpx.Response) -> Mapping[str, Any]:
    """Return the answer as an object. Raises LlmError if it is none or an error."""
    if answer.status_code in (401, 403, 404):
        quoted = failures.provider_words(answer.text[:MAX_BYTES], place)
        raise failures.sign_in_refused(place, quoted)
    if not answer.is_success:
        headers = {name.lower(): value for name, value in answer.headers.items()}
        raise failures.from_status(place, answer.status_code, answer.text[:MAX_BYTES], headers)
    try:
        found = json.loads(answer.content) if len(answer.content) <= MAX_BYTES else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, Mapping):
        raise failures.unreadable_answer(place)
    return found


def _token_in(answer: Mapping[str, Any], endpoint: ModelEndpoint) -> str:
    token = answer.get("token")
    if not isinstance(token, str) or not token.isprintable() or not token.isascii():
        raise failures.unreadable_answer(endpoint)
    return token


def _name(endpoint: ModelEndpoint) -> str:
    """Return a name for the endpoint's credential that does not contain it."""
    return hashlib.sha256(f"{endpoint.exchange}\0{endpoint.provider}\0{endpoint.api_key}".encode()).hexdigest()


def _github() -> ModelEndpoint:
    return ModelEndpoint("openai_compatible", "", "https://github.com", provider="github")


def _between(value: object, low: int, high: int) -> int:
    return min(max(value, low), high) if isinstance(value, int) else low
