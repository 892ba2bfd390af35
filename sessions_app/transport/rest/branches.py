"""REST endpoints that start work on a session's branch: a new session from it, and a turn that resolves its
conflicts."""

from typing import Any

from asgiref.sync import sync_to_async
from django.http import HttpRequest
from ninja import Router, Status

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import Stale
from agentsite.http.operation_marks import idempotent
from agentsite.tenancy.access import require
from agentsite.tenancy.actions.idempotency import StoredResponse
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.rest.idempotency_key import work_once
from agentsite.tenancy.roles import Act
from sessions_app.actions.prompts import submit_prompt
from sessions_app.actions.sessions import create_session
from sessions_app.events import schema, views
from sessions_app.models import Message, Session, Turn
from sessions_app.queries.live import query_workspace
from sessions_app.queries.questions import GitStateQuestion
from sessions_app.queries.sessions import find_session
from sessions_app.repositories.project_rest import require_repository
from sessions_app.repositories.pulls.actions import branch_of
from sessions_app.repositories.queries import ask_forge
from sessions_app.repositories.questions import RefsQuestion
from sessions_app.repositories.working_copy.actions import state_question
from sessions_app.repositories.working_copy.conflicts import conflicts_prompt
from sessions_app.repositories.working_copy.schemas import NewBranchSession
from sessions_app.transport.rest.schemas import PromptTaken

router = Router(tags=["sessions"])


@router.post(
    "/sessions/{session_id}/git/session", response={201: schema.SessionView}, operation_id="start_branch_session"
)
@idempotent
async def start_branch_session(request: HttpRequest, session_id: str, payload: NewBranchSession) -> Any:
    """Open a session in a new workspace that starts from this session's branch as it is at the server. The new session
    works on a branch of its own. Returns 409 `branch_not_pushed` if the server does not have the branch."""

    def prepare() -> tuple[str, RefsQuestion]:
        session = find_session(request, session_id)
        require(current_user(request), Act.PROMPT, team_id=session.project.team_id)
        row = require_repository(session.project)
        branch = branch_of(session, row)
        return branch, RefsQuestion(connection=row.connection_id, clone_url=row.clone_url, search=branch)

    branch, question = await sync_to_async(prepare)()
    found = await ask_forge(question)
    if not any(each["kind"] == "branch" and each["name"] == branch for each in found["found"]):
        raise Stale(f"The branch {branch} is not pushed yet.", code=ErrorCode.BRANCH_NOT_PUSHED)

    def work() -> StoredResponse:
        row = create_session(
            actor=current_user(request),
            project=find_session(request, session_id).project,
            title=payload.title,
            agent=payload.agent,
            ref=branch,
            shared_with=payload.shared_with,
        )
        return StoredResponse(201, row.public_id.encode())

    def show() -> schema.SessionView:
        return views.session(find_session(request, work_once(request, work).content.decode()))

    return Status(201, await sync_to_async(show)())


@router.post("/sessions/{session_id}/git/resolve", response={202: PromptTaken}, operation_id="resolve_conflicts")
@idempotent
async def resolve_conflicts(request: HttpRequest, session_id: str) -> Any:
    """Submit a prompt that asks the agent to resolve the conflicts of the rebase or merge in the workspace. Returns 409
    `no_conflicts` if there are none."""
    user = current_user(request)

    def prepare() -> tuple[Session, GitStateQuestion | None]:
        session = find_session(request, session_id)
        require(user, Act.PROMPT, team_id=session.project.team_id)
        return session, state_question(session)

    session, question = await sync_to_async(prepare)()
    state = {} if question is None else await query_workspace(session.workspace, question, person=user)
    files = [each["path"] for each in state.get("uncommitted", ()) if each["status"] == "conflict"]
    if not state.get("operation") or not files:
        raise Stale("No files of the workspace are in conflict.", code=ErrorCode.NO_CONFLICTS)
    text = conflicts_prompt(state["operation"], state.get("base", ""), files)

    def work() -> StoredResponse:
        turn, message = submit_prompt(actor=user, session=find_session(request, session_id), text=text)
        return StoredResponse(202, f"{turn.public_id} {message.public_id}".encode())

    def show() -> PromptTaken:
        turn_id, _, message_id = work_once(request, work).content.decode().partition(" ")
        turn = Turn.objects.visible_to(user).by_public_id(turn_id)
        message = Message.objects.visible_to(user).by_public_id(message_id)
        return PromptTaken(turn=views.turn(turn), message=views.message(message))

    return Status(202, await sync_to_async(show)())
