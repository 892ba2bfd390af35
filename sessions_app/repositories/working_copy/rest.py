"""REST endpoints for the repository inside a session's workspace."""

from contextlib import ExitStack
from typing import Any, Final

from asgiref.sync import sync_to_async
from django.http import HttpRequest
from ninja import Router

from agentsite.tenancy.access import can
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.models import User
from agentsite.tenancy.roles import Act
from sessions_app.models import Session
from sessions_app.queries.live import query_workspace
from sessions_app.queries.questions import CommitQuestion, PushQuestion, UpdateQuestion
from sessions_app.queries.sessions import find_session
from sessions_app.repositories.pulls.actions import place_of
from sessions_app.repositories.working_copy import actions
from sessions_app.repositories.working_copy.decided import decided_push
from sessions_app.repositories.working_copy.schemas import BranchUpdate, GitState, NewCommit, NewPush
from tools_app.network.git.judging import DecidedPush

TIMEOUT: Final = 130.0  # seconds; hooks of the repository run, and a push goes to the forge
NOTHING: Final[dict[str, Any]] = {
    "current_branch": "", "head": "", "uncommitted": [], "unpushed": [], "base": "", "behind": 0, "pushed": False,
    "operation": "",
}  # fmt: skip

router = Router(tags=["sessions"])


@router.get("/sessions/{session_id}/git", response=GitState, operation_id="get_git_state")
async def get_git_state(request: HttpRequest, session_id: str) -> GitState:
    """Return the uncommitted changes and the unpushed commits of the session's workspace."""
    session = await sync_to_async(find_session)(request, session_id)
    return await _state(current_user(request), session)


@router.post("/sessions/{session_id}/git/commit", response=GitState, operation_id="commit_changes")
async def commit_changes(request: HttpRequest, session_id: str, payload: NewCommit) -> GitState:
    """Commit all uncommitted changes. Hooks of the repository run. Returns 409 `nothing_to_commit`, or `commit_failed`
    with git's output."""
    user = current_user(request)

    def prepare() -> tuple[Session, CommitQuestion]:
        session = find_session(request, session_id)
        return session, actions.prepare_commit(actor=user, session=session, message=payload.message)

    session, question = await sync_to_async(prepare)()
    answer = await query_workspace(session.workspace, question, person=user, timeout_seconds=TIMEOUT)
    actions.raise_problem(answer)
    await sync_to_async(actions.note_commit)(actor=user, session=session, commit=answer["commit"])
    return await _state(user, session)


@router.post("/sessions/{session_id}/git/push", response=GitState, operation_id="push_branch")
async def push_branch(request: HttpRequest, session_id: str, payload: NewPush) -> GitState:
    """Push a commit to the session's branch. If the rules ask about the push and you may decide, your request is the
    approval; if the rules deny it, the push is refused. Returns 409 `push_rejected`, `push_asks`, `push_refused` or
    `connection_revoked` with the reason."""
    user = current_user(request)

    def prepare() -> tuple[Session, PushQuestion, str]:
        session = find_session(request, session_id)
        question = actions.prepare_push(actor=user, session=session, commit=payload.commit)
        return session, question, actions.hint_who_decides(user, session)

    session, question, asks_hint = await sync_to_async(prepare)()
    with ExitStack() as stack:
        if not asks_hint:
            push = DecidedPush(question.branch, question.commit, payload.workflows)
            await sync_to_async(stack.enter_context)(decided_push(session.workspace_id, push))
        answer = await query_workspace(session.workspace, question, person=user, timeout_seconds=TIMEOUT)
    actions.raise_problem(answer, asks_hint=asks_hint)
    await sync_to_async(actions.note_push)(actor=user, session=session, question=question)
    return await _state(user, session)


@router.post("/sessions/{session_id}/git/update", response=GitState, operation_id="update_branch")
async def update_branch(request: HttpRequest, session_id: str, payload: BranchUpdate) -> GitState:
    """Fetch the branch that the session started from, and bring its new commits into the session's branch if you ask
    for it. If there are conflicts, they stay in the workspace, and the answer's `operation` says so. Returns 409
    `not_committed`, `update_failed`, `workspace_busy` or `connection_revoked` with the reason."""
    user = current_user(request)

    def prepare() -> tuple[Session, UpdateQuestion]:
        session = find_session(request, session_id)
        return session, actions.prepare_update(actor=user, session=session, how=payload.how)

    session, question = await sync_to_async(prepare)()
    answer = await query_workspace(session.workspace, question, person=user, timeout_seconds=TIMEOUT)
    actions.raise_problem(answer)
    if question.how != "fetch":
        await sync_to_async(actions.note_update)(actor=user, session=session, question=question)
    return await _state(user, session)


async def _state(user: User, session: Session) -> GitState:
    question = await sync_to_async(actions.state_question)(session)
    found = NOTHING
    if question is not None:
        found = await query_workspace(session.workspace, question, person=user)
    return await sync_to_async(_shown)(user, session, found)


def _shown(user: User, session: Session, found: dict[str, Any]) -> GitState:
    place = place_of(session)
    problem = found.get("problem", "")
    return GitState(
        repository=place.row.full_name if place.row else "",
        branch=place.branch,
        problem=problem or actions.push_problem(place),
        can_change=can(user, Act.PROMPT, team_id=session.project.team_id),
        decides=actions.may_decide(user, session),
        **{name: found.get(name, empty) for name, empty in NOTHING.items()},
    )
