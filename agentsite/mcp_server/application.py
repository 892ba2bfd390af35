"""The ASGI application at `/mcp`: checks the API token, host and origin of a request before the protocol starts."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import structlog
from asgiref.sync import sync_to_async
from django.conf import settings
from django.http.request import split_domain_port, validate_host

import agentsite
from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import BadInput, NotAllowed, NotSignedIn, SiteError
from agentsite.http.asgi import DATA_HEADERS, Application, Message, encoded, send_error
from agentsite.http.error_responses import to_site_error
from agentsite.http.rate_limits import RateExceeded, count_request
from agentsite.mcp_server.client_site import ClientSite
from agentsite.mcp_server.rest_calls import RestCaller
from agentsite.mcp_server.tools import schema_of
from agentsite.tenancy.authentication import find_token
from agentsite.tenancy.models import ApiToken
from sessions_app.transport.ws.origin import is_own_origin
from tools_app.mcp.served import SITE_KEY, ServerFacts

PATHS: Final = frozenset({"/mcp", "/mcp/"})
METHOD: Final = "POST"
_INSTRUCTIONS: Final = (
    "agentsite runs coding agents for teams. Each session has a conversation and a workspace with the project's files."
    " To give work: list_projects, create_session, send_prompt, then wait_for_turn until its state is `ended`. If it is"
    " `waiting`, a person has to answer a permission request or a question. get_diff shows what changed."
)
logger = structlog.get_logger(__name__)


class McpServer:
    """ASGI middleware for HTTP: answers requests to `/mcp`, and passes all others on to the site.

    A request needs an API token; cookies are ignored. Requests from pages of other sites are refused.
    """

    def __init__(self, site: Application) -> None:
        self._site = site
        self._protocol: Callable[..., Awaitable[None]] | None = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["path"].removeprefix(scope.get("root_path", "")) not in PATHS:
            await self._site(scope, receive, send)
            return
        try:
            token = await self._admit(scope)
        except SiteError as error:
            status = 405 if error.code == ErrorCode.METHOD_NOT_ALLOWED else error.status
            await send_error(send, error, _headers_for(error), status=status)
        except Exception as error:  # the database or the broker is down
            logger.exception("mcp_request_not_admitted")
            await send_error(send, to_site_error(error))
        else:
            site = ClientSite(RestCaller(self._site, scope), token.scopes)
            protocol = await self._started()
            await protocol({**scope, SITE_KEY: site}, receive, _with_data_headers(send))

    async def _admit(self, scope: Mapping[str, Any]) -> ApiToken:
        """Check a request, and return its API token. Raises SiteError if the request is refused."""
        _require_own_place(scope)
        token = await sync_to_async(_token_of)(_header(scope, b"authorization"))
        await sync_to_async(count_request, thread_sensitive=False)({"token": token.public_id})
        if scope["method"] != METHOD:
            raise BadInput(
                "This address only answers POST.",
                code=ErrorCode.METHOD_NOT_ALLOWED,
                hint="The server keeps no sessions and opens no stream of its own; send each message with POST.",
            )
        return token

    async def _started(self) -> Callable[..., Awaitable[None]]:
        """Return the application that speaks the MCP protocol. It is imported with the first request, so that a site
        without MCP clients does not load it."""
        if self._protocol is None:
            self._protocol = await sync_to_async(_protocol, thread_sensitive=False)()
        return self._protocol


def _protocol() -> Callable[..., Awaitable[None]]:
    from tools_app.mcp.serving import mcp_application

    facts = ServerFacts(
        name="agentsite",
        title="agentsite",
        version=agentsite.VERSION,
        instructions=_INSTRUCTIONS,
        website=settings.SITE_URL,
        schema_of=schema_of,
    )
    return mcp_application(facts)


def _require_own_place(scope: Mapping[str, Any]) -> None:
    """Raise NotAllowed if the request's Host header is not a name of this site, as with DNS rebinding, or the request
    comes from a page of another origin."""
    host, origin = _header(scope, b"host"), _header(scope, b"origin")
    name, _ = split_domain_port(host)
    if not name or not validate_host(name, settings.ALLOWED_HOSTS):
        raise NotAllowed("This site does not have the host name of the request.", hint="Use the site's own address.")
    if origin and not is_own_origin(origin, host=host):
        raise NotAllowed("Pages of other sites may not use this address.", hint="Call it from a program.")


def _token_of(authorization: str) -> ApiToken:
    scheme, _, secret = authorization.partition(" ")
    token = find_token(secret.strip()) if scheme.lower() == "bearer" and secret.strip() else None
    if token is None:
        raise NotSignedIn(
            "This address needs an API token.",
            hint=f"Create one at {settings.SITE_URL}/account/tokens, and send it as 'Authorization: Bearer'.",
        )
    return token


def _headers_for(error: SiteError) -> dict[str, str]:
    if isinstance(error, RateExceeded):
        return error.headers
    if isinstance(error, NotSignedIn):
        about = f'error="invalid_token", error_description="{error.hint}"'
        return {"WWW-Authenticate": f'Bearer realm="agentsite", {about}'}
    return {"Allow": METHOD} if error.code == ErrorCode.METHOD_NOT_ALLOWED else {}


def _header(scope: Mapping[str, Any], name: bytes) -> str:
    """Return a header of the request, or "" if it is missing or sent more than once."""
    found = [value.decode("latin-1") for given, value in scope["headers"] if given == name]
    return found[0] if len(found) == 1 else ""


def _with_data_headers(send: Any) -> Any:
    """Wrap ASGI's `send`, so that it adds the security headers `DATA_HEADERS` that the response lacks."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            present = {name.lower() for name, _ in message["headers"]}
            more = [(name, value) for name, value in encoded(DATA_HEADERS) if name not in present]
            message = {**message, "headers": [*message["headers"], *more]}
        await send(message)

    return send_with_headers
