"""REST endpoints: the terminals of a session. The output and input of a terminal use a WebSocket
(`ws.terminal_consumer`)."""

from typing import Any, Final, Literal

from asgiref.sync import sync_to_async
from django.http import HttpRequest
from ninja import Field, Router, Schema, Status

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import Missing, Stale
from agentsite.base.ids import from_public, new_id, to_public
from agentsite.http.request_body import RequestBody
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.models import Membership, User
from sessions_app.actions.terminals import record_terminal, require_terminals, terminal_rights
from sessions_app.events import views
from sessions_app.events.schema import PersonView
from sessions_app.models import Session
from sessions_app.queries.live import query_workspace
from sessions_app.queries.questions import CloseTerminalQuestion, ListTerminalsQuestion, OpenTerminalQuestion
from sessions_app.queries.sessions import find_session

router = Router(tags=["terminals"])
PREFIX: Final = "trm"
MAX_SIZE: Final = 1_000  # rows or columns


class TerminalView(Schema):
    """A terminal: an interactive shell in the session's workspace, or a `command` that an agent started with the tool
    `interactive`; `opened_by` is null for these commands, and for somebody who left the team. `end` is empty while its
    program runs. `busy`: a program other than the shell runs in the foreground. Times are in seconds since 1970;
    `input_at` is when somebody last typed."""

    id: str
    opened_by: PersonView | None
    command: str
    rows: int
    columns: int
    started_at: float
    input_at: float
    end: Literal["", "exited", "closed", "timeout"]
    exit_code: int
    watchers: int
    busy: bool


class TerminalsView(Schema):
    """The terminals that were opened in a session, the oldest first. `allowed`: the policies allow terminals. `reason`
    says why you may not open terminals or type into them; it is empty if you may."""

    terminals: list[TerminalView]
    allowed: bool
    may_type: bool
    reason: str


class NewTerminal(RequestBody):
    """The size of the window that shows the terminal."""

    rows: int = Field(default=24, ge=1, le=MAX_SIZE)
    columns: int = Field(default=80, ge=1, le=MAX_SIZE)


class ClosedTerminal(Schema):
    """The confirmation that a terminal was closed. `closed` is always true."""

    closed: bool


@router.get("/sessions/{session_id}/terminals", response=TerminalsView, operation_id="list_terminals")
async def get_terminals(request: HttpRequest, session_id: str) -> TerminalsView:
    """List the terminals of a session. A workspace that does not run has none; asking does not start it."""
    user, session = await sync_to_async(_find)(request, session_id)
    rights = await sync_to_async(terminal_rights)(user, session)
    found: list[dict[str, Any]] = []
    if rights.allowed and session.workspace.node:
        question = ListTerminalsQuestion(session=session.public_id)
        found = await query_workspace(session.workspace, question, person=user) or []
    shown = await sync_to_async(_views)(session, found)
    return TerminalsView(terminals=shown, allowed=rights.allowed, may_type=rights.may_type, reason=rights.reason)


@router.post("/sessions/{session_id}/terminals", response={201: TerminalView}, operation_id="open_terminal")
async def post_terminal(request: HttpRequest, session_id: str, payload: NewTerminal) -> Status[TerminalView]:
    """Open a terminal. A stopped workspace is started. The audit log names you. At most 8 run in a workspace."""
    user, session = await sync_to_async(_find)(request, session_id)
    await sync_to_async(require_terminals)(user, session, to_type=True)
    if not session.workspace.seeded:
        raise Stale("This workspace has no files yet, or is being restored.", code=ErrorCode.WORKSPACE_NOT_READY)
    terminal = to_public(PREFIX, new_id())
    await sync_to_async(record_terminal)(actor=user, session=session, action="terminal.opened", terminal=terminal)
    question = OpenTerminalQuestion(
        session=session.public_id,
        terminal=terminal,
        person=to_public("usr", user.pk),
        rows=payload.rows,
        columns=payload.columns,
    )
    found = await query_workspace(session.workspace, question, person=user)
    return Status(201, (await sync_to_async(_views)(session, [found]))[0])


@router.delete("/sessions/{session_id}/terminals/{terminal_id}", response=ClosedTerminal, operation_id="close_terminal")
async def delete_terminal(request: HttpRequest, session_id: str, terminal_id: str) -> ClosedTerminal:
    """Close a terminal: end its shell and everything that was started in it."""
    user, session = await sync_to_async(_find)(request, session_id)
    await sync_to_async(require_terminals)(user, session, to_type=True)
    from_public(PREFIX, terminal_id)
    question = CloseTerminalQuestion(session=session.public_id, terminal=terminal_id)
    closed = bool(session.workspace.node) and await query_workspace(session.workspace, question, person=user)
    if not closed:
        raise Missing("There is no such terminal in this session. It may have ended with its container.")
    await sync_to_async(record_terminal)(actor=user, session=session, action="terminal.closed", terminal=terminal_id)
    return ClosedTerminal(closed=True)


def _find(request: HttpRequest, session_id: str) -> tuple[User, Session]:
    return current_user(request), find_session(request, session_id)


def _views(session: Session, found: list[dict[str, Any]]) -> list[TerminalView]:
    rows = Membership.objects.filter(team=session.project.team_id).select_related("user")
    people = {to_public("usr", row.user_id): views.person(row.user) for row in rows} if found else {}
    return [TerminalView(**{**each, "opened_by": people.get(each["opened_by"])}) for each in found]
