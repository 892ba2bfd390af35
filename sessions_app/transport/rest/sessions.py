"""REST endpoints for sessions and their snapshot."""

from django.http import HttpRequest
from ninja import Query, Router, Status

from agentsite.base.pagination import Page, paginate
from agentsite.http.etags import accepted_versions, set_version
from agentsite.http.operation_marks import conditional
from agentsite.tenancy.access import can
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.models import Project
from agentsite.tenancy.roles import Act
from sessions_app.actions.prompts import abort_turn
from sessions_app.actions.sessions import (
    ask_for_summary,
    create_session,
    delete_session,
    update_session,
    version_of_session,
)
from sessions_app.events import schema, views
from sessions_app.events.snapshot import read_snapshot
from sessions_app.models import Session, Workspace
from sessions_app.queries.sessions import find_session
from sessions_app.transport.rest import schemas
from sessions_app.transport.rest.session_filters import ProjectSessionFilter, SessionFilter

router = Router(tags=["sessions"])


@router.get("/projects/{project_id}/sessions", response=Page[schema.SessionView], operation_id="list_project_sessions")
def list_project_sessions(
    request: HttpRequest,
    project_id: str,
    chosen: Query[ProjectSessionFilter],
    cursor: str | None = None,
    limit: int = 50,
) -> Page[schema.SessionView]:
    """List the project's sessions that people opened, newest first. Sessions of sub-agents are listed under their
    parents."""
    user = current_user(request)
    project = Project.objects.visible_to(user).by_public_id(project_id)
    rows = chosen.of(user).filter(project=project)
    page = paginate(rows.select_related("created_by"), cursor=cursor, limit=limit)
    return Page[schema.SessionView].of(page, views.session)


@router.post("/projects/{project_id}/sessions", response={201: schema.SessionView}, operation_id="create_session")
def post_session(request: HttpRequest, project_id: str, payload: schemas.NewSession) -> Status[schema.SessionView]:
    """Open a new session in a project."""
    user = current_user(request)
    project = Project.objects.visible_to(user).by_public_id(project_id)
    workspace = None
    if payload.workspace_id:
        workspace = Workspace.objects.visible_to(user).filter(project=project).by_public_id(payload.workspace_id)
    row = create_session(
        actor=user,
        project=project,
        title=payload.title,
        agent=payload.agent,
        model=payload.model,
        effort=payload.effort,
        workspace=workspace,
        new_workspace=payload.new_workspace,
        ref=payload.ref,
        shared_with=payload.shared_with,
        config=payload.config,
        folder=payload.folder,
    )
    return Status(201, views.session(row))


@router.get("/sessions", response=Page[schema.SessionView], operation_id="list_sessions")
def list_sessions(
    request: HttpRequest, chosen: Query[SessionFilter], cursor: str | None = None, limit: int = 50
) -> Page[schema.SessionView]:
    """List the sessions that people opened in all your projects, newest first. A session also waits for a person if one
    of its sub-agents does."""
    rows = chosen.of(current_user(request)).select_related("created_by")
    page = paginate(rows, cursor=cursor, limit=limit)
    return Page[schema.SessionView].of(page, views.session)


@router.get("/sessions/{session_id}", response=schema.SessionView, operation_id="get_session")
def get_session(request: HttpRequest, session_id: str) -> schema.SessionView:
    """Return one session."""
    return _show(request, find_session(request, session_id))


def _show(request: HttpRequest, row: Session) -> schema.SessionView:
    set_version(request, version_of_session(row))
    return views.session(row)


@router.get("/sessions/{session_id}/children", response=Page[schema.SessionView], operation_id="list_child_sessions")
def list_children(
    request: HttpRequest, session_id: str, cursor: str | None = None, limit: int = 50
) -> Page[schema.SessionView]:
    """List the sessions of the session's sub-agents, newest first."""
    parent = find_session(request, session_id)
    rows = Session.objects.visible_to(current_user(request)).filter(parent=parent).select_related("created_by")
    page = paginate(rows, cursor=cursor, limit=limit)
    return Page[schema.SessionView].of(page, views.session)


@router.patch("/sessions/{session_id}", response=schema.SessionView, operation_id="update_session")
@conditional
def patch_session(request: HttpRequest, session_id: str, payload: schemas.SessionChange) -> schema.SessionView:
    """Change a session's title, labels, agent, model or reasoning effort, or move it to or from the archive."""
    row = update_session(
        actor=current_user(request),
        session=find_session(request, session_id),
        title=payload.title,
        agent=payload.agent,
        model=payload.model,
        effort=payload.effort,
        archived=payload.archived,
        labels=payload.labels,
        versions=accepted_versions(request),
    )
    return _show(request, row)


@router.delete("/sessions/{session_id}", response={204: None}, operation_id="delete_session")
def remove_session(request: HttpRequest, session_id: str) -> Status[None]:
    """Delete a session with its conversation."""
    delete_session(actor=current_user(request), session=find_session(request, session_id))
    return Status(204, None)


@router.get("/sessions/{session_id}/snapshot", response=schema.SnapshotView, operation_id="get_snapshot")
def get_snapshot(request: HttpRequest, session_id: str, limit: int | None = None) -> schema.SnapshotView:
    """Return the whole session: its messages, parts and tool calls, and the seq from which to continue the events. With
    `limit`, only that many of the newest messages are included; `older` then says how to read the others."""
    row = find_session(request, session_id)
    can_act = can(current_user(request), Act.PROMPT, team_id=row.project.team_id)
    return read_snapshot(row.id, can_act=can_act, limit=limit)


@router.post("/sessions/{session_id}/abort", response={202: schema.SessionView}, operation_id="abort_session")
def post_abort(request: HttpRequest, session_id: str) -> Status[schema.SessionView]:
    """Stop the running turn of the session."""
    row = find_session(request, session_id)
    abort_turn(actor=current_user(request), session=row)
    return Status(202, views.session(find_session(request, session_id)))


@router.post("/sessions/{session_id}/summary", response={202: schema.SessionView}, operation_id="summarize_session")
def post_summary(request: HttpRequest, session_id: str) -> Status[schema.SessionView]:
    """Generate a short summary of the session. Delivered as a `session.updated` event."""
    row = find_session(request, session_id)
    ask_for_summary(actor=current_user(request), session=row)
    return Status(202, views.session(row))
