"""A real OAuth authorization server and a real MCP server that needs its tokens, both written with the SDK.

`python oauth_mcp_server.py PORT_OF_AUTHORIZATION PORT_OF_MCP [SECONDS]`

People choose their account at `/login` with `?as=ada`. Access tokens expire after SECONDS. A refresh token is valid
once; a second use revokes all tokens of its family. All secrets begin with `canary-`. `/facts` returns counts of
events.
"""

import asyncio
import secrets
import sys
import time
from typing import Any, Final

import uvicorn
from mcp.server import MCPServer
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    TokenError,
    construct_redirect_uri,
)
from mcp.server.auth.routes import create_auth_routes
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions, RevocationOptions
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import AnyHttpUrl
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

SCOPES: Final = ["notes", "admin"]
MARK: Final = "canary-"
PAGE: Final = """<!doctype html><title>Notes Inc.</title><h1>Sign in to Notes Inc.</h1>{}"""


def new_secret(kind: str, who: str) -> str:
    return f"{MARK}{kind}-{who}-{secrets.token_hex(16)}"


class Notes(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    """The state of the authorization server. A `family` contains all tokens that were issued for one code."""

    def __init__(self, issuer: str, seconds: int) -> None:
        self.issuer = issuer
        self.seconds = seconds
        self.clients: dict[str, OAuthClientInformationFull] = {}
        self.waiting: dict[str, tuple[str, AuthorizationParams]] = {}
        self.codes: dict[str, AuthorizationCode] = {}
        self.access: dict[str, AccessToken] = {}
        self.renewals: dict[str, RefreshToken] = {}
        self.family: dict[str, str] = {}
        self.facts: dict[str, Any] = {
            "registered": 0,
            "refreshed": 0,
            "reused": 0,
            "revoked": 0,
            "resources": [],
            "iss": str(AnyHttpUrl(issuer)),
        }
        self.delay = 0.0

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        return self.clients.get(client_id)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        self.facts["registered"] += 1
        if client_info.client_secret:
            client_info.client_secret = new_secret("client", "site")
        self.clients[client_info.client_id] = client_info

    async def authorize(self, client: OAuthClientInformationFull, params: AuthorizationParams) -> str:
        key = secrets.token_hex(16)
        self.waiting[key] = client.client_id, params
        return f"{self.issuer}/login?key={key}"

    def login(self, request: Request) -> Response:
        key, who = request.query_params["key"], request.query_params.get("as", "")
        client_id, params = self.waiting[key]
        if not who:
            links = "".join(f'<p><a href="?key={key}&amp;as={name}">As {name}</a></p>' for name in ("ada", "bob"))
            return HTMLResponse(PAGE.format(f'{links}<p><a href="?key={key}&amp;as=nobody">Refuse</a></p>'))
        if who == "nobody":
            answer = {"error": "access_denied", "error_description": "You said no."}
        else:
            code = self._code(client_id, params, who)
            answer = {"code": code.code}
        where = construct_redirect_uri(str(params.redirect_uri), **answer, state=params.state, iss=self.facts["iss"])
        return RedirectResponse(where, 302)

    def _code(self, client_id: str, params: AuthorizationParams, who: str) -> AuthorizationCode:
        self.facts["resources"].append(params.resource)
        code = AuthorizationCode(
            code=new_secret("code", who), scopes=params.scopes or [], expires_at=time.time() + 60, client_id=client_id,
            code_challenge=params.code_challenge, redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=True, resource=params.resource, subject=who,
        )  # fmt: skip
        self.codes[code.code] = code
        return code

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        del self.codes[authorization_code.code]
        return self._give(authorization_code, secrets.token_hex(8))

    async def load_refresh_token(self, client: OAuthClientInformationFull, refresh_token: str) -> RefreshToken | None:
        if refresh_token in self.family and refresh_token not in self.renewals:
            self.facts["reused"] += 1
            self._end(self.family[refresh_token])
        return self.renewals.get(refresh_token)

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        if self.renewals.pop(refresh_token.token, None) is None:
            raise TokenError("invalid_grant", "This refresh token was used before.")
        self.facts["refreshed"] += 1
        await asyncio.sleep(self.delay)
        return self._give(refresh_token, self.family[refresh_token.token])

    def _give(self, given: AuthorizationCode | RefreshToken, family: str) -> OAuthToken:
        who = given.subject or ""
        known = {"client_id": given.client_id, "scopes": given.scopes, "resource": given.resource, "subject": who}
        access, renewal = new_secret("access", who), new_secret("refresh", who)
        self.access[access] = AccessToken(token=access, expires_at=int(time.time()) + self.seconds, **known)
        self.renewals[renewal] = RefreshToken(token=renewal, **known)
        self.family |= {access: family, renewal: family}
        scope = " ".join(given.scopes)
        return OAuthToken(access_token=access, refresh_token=renewal, expires_in=self.seconds, scope=scope)

    async def load_access_token(self, token: str) -> AccessToken | None:
        found = self.access.get(token)
        return found if found and (found.expires_at or 0) > time.time() else None

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        self.facts["revoked"] += 1
        self._end(self.family[token.token])

    def _end(self, family: str) -> None:
        for token in [token for token, each in self.family.items() if each == family]:
            self.access.pop(token, None)
            self.renewals.pop(token, None)

    def show_facts(self, request: Request) -> Response:
        """Return the counts of events. `?end=access` expires all access tokens, `?end=all` also all refresh tokens,
        `?delay=S` slows refreshes down, and `?iss=X` sets a false issuer."""
        if request.query_params.get("end") == "access":
            self.access.clear()
        if request.query_params.get("end") == "all":
            self.access.clear()
            self.renewals.clear()
        self.delay = float(request.query_params.get("delay", self.delay))
        self.facts["iss"] = request.query_params.get("iss", self.facts["iss"])
        return JSONResponse({**self.facts, "access": len(self.access), "renewals": len(self.renewals)})

    def app(self) -> Starlette:
        options = ClientRegistrationOptions(enabled=True, valid_scopes=SCOPES, default_scopes=SCOPES)
        routes = create_auth_routes(
            self, AnyHttpUrl(self.issuer), client_registration_options=options,
            revocation_options=RevocationOptions(enabled=True),
        )  # fmt: skip
        return Starlette(routes=[*routes, Route("/login", self.login), Route("/facts", self.show_facts)])


class NeedsAdmin:
    """ASGI middleware that answers 403 to calls of `secrets_of_admins` with a token without the scope `admin`."""

    def __init__(self, app: Any, notes: Notes) -> None:
        self._app = app
        self._notes = notes

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        body = await Request(scope, receive).body()
        token = dict(scope["headers"]).get(b"authorization", b"").decode().removeprefix("Bearer ")
        found = await self._notes.load_access_token(token)
        if b"secrets_of_admins" in body and found and "admin" not in found.scopes:
            challenge = 'Bearer error="insufficient_scope", scope="notes admin"'
            await Response(status_code=403, headers={"WWW-Authenticate": challenge})(scope, receive, send)
            return
        sent = False

        async def again() -> Any:
            nonlocal sent
            if sent:
                return await receive()
            sent = True
            return {"type": "http.request", "body": body, "more_body": False}

        await self._app(scope, again, send)


def resource(notes: Notes, url: str) -> MCPServer:
    settings = AuthSettings(
        issuer_url=AnyHttpUrl(notes.issuer), resource_server_url=AnyHttpUrl(url), required_scopes=["notes"],
        validate_token_resource=True,
    )  # fmt: skip
    server = MCPServer("notes", auth=settings, auth_server_provider=notes)

    @server.tool()
    def whoami() -> str:
        """Say whose notes these are."""
        token = get_access_token()
        return f"These are the notes of {token.subject if token else 'nobody'}."

    @server.tool()
    def leak() -> str:
        """Return a text with the access token of the request that called this tool."""
        token = get_access_token()
        return f"The token is {token.token if token else ''}."

    @server.tool()
    def secrets_of_admins() -> str:
        """Return a text that only admins may read."""
        return "Admins know it."

    return server


async def serve(port: int, mcp_port: int, seconds: int) -> None:
    notes = Notes(f"http://127.0.0.1:{port}", seconds)
    app = resource(notes, f"http://127.0.0.1:{mcp_port}/mcp").streamable_http_app(stateless_http=True)
    servers = [
        uvicorn.Server(uvicorn.Config(served, host="127.0.0.1", port=where, log_level="warning"))
        for served, where in ((notes.app(), port), (NeedsAdmin(app, notes), mcp_port))
    ]
    await asyncio.gather(*(server.serve() for server in servers))


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 3600))
