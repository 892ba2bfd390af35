"""Run the OAuth flow of the MCP SDK in separate steps: a person signs in in a browser between `begin` and `finish`.

The SDK finds the servers, registers, builds every request and checks every answer. This module makes the flow stop at
the address where the person signs in, and continue later from an `OAuthState`.
"""

from collections.abc import Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import httpx2
from mcp.client.auth import OAuthClientProvider, OAuthFlowError, OAuthTokenError, PKCEParameters
from mcp.client.auth.utils import validate_authorization_response_iss
from mcp.shared.auth import (
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
    ProtectedResourceMetadata,
)
from mcp_types import LATEST_PROTOCOL_VERSION

from tools_app.mcp.oauth.orders import OAuthClient, OAuthState

PKCE: Final = "S256"
DEFAULT_METHOD: Final = "client_secret_basic"
MAX_WORDS_CHARACTERS: Final = 300  # of an authorization server's own description of an error
NO_PKCE: Final = "its authorization server does not say that it supports PKCE with S256"
NOT_ASKED: Final = "it did not ask for a sign-in"


class Refused(Exception):
    """The authorization server refused a request of the flow. The message contains the server's reason, if any."""


class NeedsPerson(Exception):
    """A person has to sign in at `url`. The authorization server's answer has `key` as its `state`."""

    def __init__(self, url: str, key: str, state: OAuthState) -> None:
        super().__init__("a person has to sign in")
        self.url = url
        self.key = key
        self.state = state


class _Memory:
    """A `TokenStorage` for the SDK that keeps the tokens and the client of one step in memory."""

    def __init__(self, state: OAuthState, client: OAuthClient) -> None:
        known = state.client or client.registered
        self._client = OAuthClientInformationFull.model_validate(known) if known else None
        self._tokens = OAuthToken.model_validate(state.tokens) if state.tokens else None

    async def get_tokens(self) -> OAuthToken | None:
        return self._tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self._tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self._client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self._client = client_info


@dataclass(frozen=True, slots=True)
class _Metadata:
    name: str
    uri: str
    redirect_uri: str

    def of_client(self) -> OAuthClientMetadata:
        is_local = urlsplit(self.redirect_uri).scheme == "http"
        return OAuthClientMetadata.model_validate(
            {
                "client_name": self.name,
                "client_uri": self.uri,
                "redirect_uris": [self.redirect_uri],
                "application_type": "native" if is_local else "web",
            }
        )


class SteppedFlow(OAuthClientProvider):
    """The OAuth flow for one MCP server, in steps. `check_address` raises an error for an address that nobody may be
    sent to."""

    def __init__(
        self, url: str, client: OAuthClient, state: OAuthState, check_address: Callable[[str], Any], scope: str = ""
    ) -> None:
        super().__init__(
            url,
            _Metadata(client.name, client.uri, client.redirect_uri).of_client(),
            _Memory(state, client),
            redirect_handler=self._stop,
            callback_handler=self._never,
            client_metadata_url=client.metadata_url or None,
        )
        self._check_address = check_address
        self._also = scope
        self._before = state
        context = self.context
        if state.resource:
            context.protected_resource_metadata = ProtectedResourceMetadata.model_validate(state.resource)
        if state.server:
            context.oauth_metadata = OAuthMetadata.model_validate(state.server)
        context.auth_server_url = state.issuer or None
        context.protocol_version = LATEST_PROTOCOL_VERSION  # so that each request names the server it is for
        context.client_metadata.scope = state.scope or None

    async def begin(self, http: httpx2.AsyncClient, request: httpx2.Request, challenge: str = "") -> None:
        """Find the authorization server, and register the site there. Raises NeedsPerson, OAuthFlowError,
        httpx2.HTTPError.

        The request is sent without a token, to see how the server refuses it. If the server answers this request but
        refused an earlier one, `challenge` is the header of that refusal.
        """
        async with aclosing(self.async_auth_flow(request)) as flow:
            answer = await http.send(await anext(flow))
            is_refused = answer.status_code == httpx2.codes.UNAUTHORIZED
            answer = self._refusal(request, answer.headers.get("WWW-Authenticate", "") if is_refused else challenge)
            try:
                while True:
                    answer = await http.send(await flow.asend(answer))
            except StopAsyncIteration:
                raise OAuthFlowError(NOT_ASKED) from None

    def _refusal(self, request: httpx2.Request, challenge: str) -> httpx2.Response:
        """Return the refusal with which the flow begins: 401, or 403 if more scopes are wanted.

        The 403 says that the token has too few scopes, so that the SDK registers the site for all of them.
        """
        if not self._also:
            headers = {"WWW-Authenticate": challenge} if challenge else {}
            return httpx2.Response(httpx2.codes.UNAUTHORIZED, headers=headers, request=request)
        self.context.client_metadata.scope = self._also
        rest = challenge.partition(" ")[2]
        headers = {"WWW-Authenticate": f'Bearer error="insufficient_scope"{", " if rest else ""}{rest}'}
        return httpx2.Response(httpx2.codes.FORBIDDEN, headers=headers, request=request)

    async def finish(self, http: httpx2.AsyncClient, code: str, iss: str | None) -> OAuthState:
        """Exchange an authorization code for tokens. Raises OAuthFlowError, Refused, httpx2.HTTPError."""
        await self._initialize()
        validate_authorization_response_iss(iss, self.context.oauth_metadata)
        answer = await http.send(await self._exchange_token_authorization_code(code, self._before.verifier))
        _require_success(answer)
        await self._handle_token_response(answer)
        return self._now(verifier="")

    async def refresh(self, http: httpx2.AsyncClient) -> OAuthState:
        """Get a new access token. Raises Refused, OAuthFlowError, httpx2.HTTPError."""
        await self._initialize()
        answer = await http.send(await self._refresh_token())
        _require_success(answer)
        if not await self._handle_refresh_response(answer):
            raise OAuthTokenError("The answer to the refresh could not be read.")
        return self._now(verifier="")

    async def revoke(self, http: httpx2.AsyncClient) -> None:
        """Revoke the tokens at the authorization server, if it supports that. Raises Refused, httpx2.HTTPError."""
        await self._initialize()
        metadata, tokens, client = self.context.oauth_metadata, self.context.current_tokens, self.context.client_info
        if metadata is None or metadata.revocation_endpoint is None or tokens is None or client is None:
            return
        for hint, token in (("refresh_token", tokens.refresh_token), ("access_token", tokens.access_token)):
            if token:
                data = {"token": token, "token_type_hint": hint, "client_id": client.client_id}
                data, headers = self.context.prepare_token_auth(data, {})
                _require_success(await http.post(str(metadata.revocation_endpoint), data=data, headers=headers))

    async def _stop(self, url: str) -> None:
        """Raise NeedsPerson with the sign-in address and the state of the flow. The PKCE challenge that the SDK put
        into the address is replaced by a new one, whose verifier is kept in the state."""
        supported = self.context.oauth_metadata and self.context.oauth_metadata.code_challenge_methods_supported
        if self.context.oauth_metadata is not None and PKCE not in (supported or ()):
            raise OAuthFlowError(NO_PKCE)
        self._check_address(url)
        self._choose_authentication()
        parts = urlsplit(url)
        fields = dict(parse_qsl(parts.query, keep_blank_values=True))
        proof = PKCEParameters.generate()
        fields["code_challenge"] = proof.code_challenge
        address = urlunsplit(parts._replace(query=urlencode(fields)))
        raise NeedsPerson(address, fields["state"], self._now(verifier=proof.code_verifier))

    def _choose_authentication(self) -> None:
        """Choose how the client authenticates at the token endpoint, if it has a secret but states no method.

        This is the case for a client that an admin entered.
        """
        client, server = self.context.client_info, self.context.oauth_metadata
        if client is None or client.client_secret is None or client.token_endpoint_auth_method is not None:
            return
        methods = (server and server.token_endpoint_auth_methods_supported) or [DEFAULT_METHOD]
        client.token_endpoint_auth_method = DEFAULT_METHOD if DEFAULT_METHOD in methods else "client_secret_post"

    async def _never(self) -> Any:
        raise OAuthFlowError("The flow continues in another step.")

    def _now(self, *, verifier: str) -> OAuthState:
        context = self.context
        return replace(
            self._before,
            resource=_plain(context.protected_resource_metadata),
            server=_plain(context.oauth_metadata),
            issuer=context.auth_server_url or "",
            client=_plain(context.client_info),
            scope=context.client_metadata.scope or "",
            verifier=verifier,
            tokens=_plain(context.current_tokens),
            expires_at=context.token_expiry_time,
        )


def _plain(value: Any) -> Mapping[str, Any] | None:
    found: Mapping[str, Any] | None = value and value.model_dump(mode="json", by_alias=True, exclude_none=True)
    return found


def _require_success(answer: httpx2.Response) -> None:
    """Raise Refused for a client error (4xx except 408 and 429), and HTTPStatusError for any other error or a
    redirect."""
    if answer.is_success:
        return
    if answer.is_client_error and answer.status_code not in (408, 429):
        raise Refused(_words(answer))
    raise httpx2.HTTPStatusError(f"it answered {answer.status_code}", request=answer.request, response=answer)


def _words(answer: httpx2.Response) -> str:
    try:
        found = answer.json()
    except ValueError:
        found = None
    known = found if isinstance(found, dict) else {}
    words = [known[name] for name in ("error", "error_description") if isinstance(known.get(name), str)]
    return ": ".join(words)[:MAX_WORDS_CHARACTERS] or f"it answered {answer.status_code}"
