"""REST endpoints and pages for signing in at MCP servers."""

from contextlib import suppress
from datetime import datetime
from typing import Any, Final

from asgiref.sync import sync_to_async
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.utils.html import format_html
from django.views.decorators.http import require_safe
from ninja import Router, Status

from agentsite.base.errors import SiteError, Stale
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.models import User
from sessions_app.events import schema
from sessions_app.mcp.accounts import begin_sign_in, sign_out, take_answer
from sessions_app.mcp.asking import ask_sign_in
from sessions_app.models import McpServer, McpSignIn

router = Router(tags=["mcp servers"])
PLACES: Final = ("team", "project", "person", "workspace__project")
_PAGE: Final = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Not signed in</title>
<meta name="viewport" content="width=device-width"></head>
<body><h1>Not signed in</h1><p>{}</p><p>{}</p><p><a href="{}">Back to agentsite</a></p></body></html>
"""
_POLICY: Final = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"


class McpSignInView(schema.View):
    """A sign-in that was begun. To continue, open `authorization_url` in a browser in which you are signed in to this
    site, before `expires_at`. If you began it in a browser, it must be the same one."""

    authorization_url: str
    expires_at: datetime


@router.post(
    "/mcp-servers/{mcp_server_id}/sign-in",
    response={201: McpSignInView},
    operation_id="sign_in_to_mcp_server",
)
async def sign_in_to_mcp_server(request: HttpRequest, mcp_server_id: str) -> Status[McpSignInView]:
    """Begin to sign in at a remote MCP server with OAuth: for yourself, or as an admin for the team if the server has
    one account for the whole team."""
    row = await sync_to_async(_begin)(request, mcp_server_id)
    found = await ask_sign_in("begin", row.pk)
    return Status(201, McpSignInView(authorization_url=found["url"], expires_at=row.expires_at))


@router.post("/mcp-servers/{mcp_server_id}/sign-out", response={204: None}, operation_id="sign_out_of_mcp_server")
def sign_out_of_mcp_server(request: HttpRequest, mcp_server_id: str) -> Status[None]:
    """Sign out of an MCP server: the next call is refused, and the tokens are revoked at the server. If the server has
    one account for the whole team, only an admin can sign out."""
    user = current_user(request)
    sign_out(actor=user, server=_find(user, mcp_server_id))
    return Status(204, None)


def _find(user: User, server_id: str) -> McpServer:
    return McpServer.objects.visible_to(user).select_related(*PLACES).by_public_id(server_id)


def _begin(request: HttpRequest, server_id: str) -> McpSignIn:
    user = current_user(request)
    is_token = getattr(request, "api_token", None) is not None
    session_key = None if is_token else request.session.session_key
    return begin_sign_in(actor=user, server=_find(user, server_id), session_key=session_key)


@require_safe
def show_client_document(_request: HttpRequest) -> HttpResponse:
    """Serve the client-id metadata document, which tells authorization servers who this site is."""
    document = {
        "client_id": f"{settings.SITE_URL}/oauth/mcp/client.json",
        "client_name": "agentsite",
        "client_uri": settings.SITE_URL,
        "redirect_uris": [f"{settings.SITE_URL}/oauth/mcp/callback"],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        "application_type": "web",
    }
    return JsonResponse(document, headers={"Cache-Control": "public, max-age=3600"})


async def receive_answer(request: HttpRequest) -> HttpResponse:
    """Handle the OAuth redirect that ends a person's sign-in at an authorization server, and send the browser to the
    page of the MCP server."""
    if request.method != "GET":
        return HttpResponse(status=405, headers={"Allow": "GET"})
    try:
        row = await sync_to_async(_take)(request)
        if not row.problem:
            with suppress(Stale):  # the page of the server says why
                await ask_sign_in("finish", row.pk)
    except SiteError as error:
        return _problem_page(error)
    return HttpResponseRedirect(f"{settings.SITE_URL}/mcp-servers/{row.server.public_id}")


def _take(request: HttpRequest) -> McpSignIn:
    user: Any = request.user
    if not user.is_authenticated:
        raise Stale("You are not signed in to this site.", hint="Sign in, open the page of the server, and try again.")
    answer = {name: str(value) for name, value in request.GET.items()}
    return take_answer(actor=user, session_key=request.session.session_key, answer=answer)


def _problem_page(error: SiteError) -> HttpResponse:
    page = HttpResponse(format_html(_PAGE, error.message, error.hint or "", settings.SITE_URL), status=error.status)
    page.headers["Content-Security-Policy"] = _POLICY
    page.headers["Cache-Control"] = "no-store"
    page.headers["Referrer-Policy"] = "no-referrer"
    return page
