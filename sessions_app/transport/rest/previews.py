"""REST endpoints: the ports that programs of a session's workspace listen on, and previews of the pages that these
programs serve."""

from typing import Any, Final

from asgiref.sync import sync_to_async
from django.http import HttpRequest
from ninja import Field, Router, Schema, Status

from agentsite.base.preview_address import MAX_PORT
from agentsite.http.request_body import RequestBody
from agentsite.tenancy.authentication import current_token, current_user
from agentsite.tenancy.models import User
from sessions_app.actions.previews import open_preview, preview_problem
from sessions_app.models import Session
from sessions_app.queries.live import query_workspace
from sessions_app.queries.questions import ListPortsQuestion
from sessions_app.queries.sessions import find_session

router = Router(tags=["previews"])
MAX_PATH: Final = 2_000  # characters
PATH_PATTERN: Final = r"^/([!-.0-\[\]-~][!-\[\]-~]*)?$"  # not //, which names another host


class PortView(Schema):
    """A port that a program of the workspace listens on."""

    port: int


class PortsView(Schema):
    """The ports, the smallest first. `running`: the workspace runs. `reason` says why you cannot open previews; it is
    empty if you can."""

    ports: list[PortView]
    running: bool
    reason: str


class NewPreview(RequestBody):
    """The port of a workspace, and the path of the page to open, which may have a query."""

    port: int = Field(ge=1, le=MAX_PORT)
    path: str = Field(default="/", max_length=MAX_PATH, pattern=PATH_PATTERN)


class PreviewView(Schema):
    """The address that opens a preview. It works once, within a minute, in one browser."""

    url: str


@router.get("/sessions/{session_id}/ports", response=PortsView, operation_id="list_ports")
async def get_ports(request: HttpRequest, session_id: str) -> PortsView:
    """List the ports that programs of a session's workspace listen on. Asking does not start the workspace."""
    user, session = await sync_to_async(_find)(request, session_id)
    reason = await sync_to_async(preview_problem)(user, session)
    found: list[dict[str, Any]] | None = None
    if not reason and session.workspace.node:
        found = await query_workspace(session.workspace, ListPortsQuestion(), person=user)
    return PortsView(ports=[PortView(**each) for each in found or []], running=found is not None, reason=reason)


@router.post("/sessions/{session_id}/previews", response={201: PreviewView}, operation_id="open_preview")
def post_preview(request: HttpRequest, session_id: str, payload: NewPreview) -> Status[PreviewView]:
    """Return the address of a preview of the pages that a program of the session's workspace serves on a port. The
    audit log names you. The preview ends when your sign-in or API token ends, when you lose the right to it, and when
    the workspace stops."""
    user, session = _find(request, session_id)
    token = current_token(request)
    key = "" if token else request.session.session_key or ""
    address = open_preview(
        actor=user, session=session, port=payload.port, path=payload.path, session_key=key, token=token
    )
    return Status(201, PreviewView(url=address))


def _find(request: HttpRequest, session_id: str) -> tuple[User, Session]:
    return current_user(request), find_session(request, session_id)
