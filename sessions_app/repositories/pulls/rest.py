"""REST endpoints for the pull request of a session."""

from asgiref.sync import sync_to_async
from django.http import HttpRequest
from ninja import Router

from agentsite.tenancy.access import can
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.models import User
from agentsite.tenancy.roles import Act
from sessions_app.models import Session
from sessions_app.queries.sessions import find_session
from sessions_app.repositories.forges.port import PullRequestText
from sessions_app.repositories.pulls import actions
from sessions_app.repositories.pulls.models import PullRequest
from sessions_app.repositories.pulls.schemas import NewPullRequest, PullRequestState
from sessions_app.repositories.queries import ask_forge
from sessions_app.repositories.questions import PullRequestQuestion, ReadPullRequestQuestion

router = Router(tags=["sessions"])


@router.get("/sessions/{session_id}/pull-request", response=PullRequestState, operation_id="get_pull_request")
def get_pull_request(request: HttpRequest, session_id: str) -> PullRequestState:
    """Return the stored state of the session's pull request, and whether a pull request can be opened."""
    return _show(current_user(request), find_session(request, session_id))


@router.post("/sessions/{session_id}/pull-request", response=PullRequestState, operation_id="open_pull_request")
async def post_pull_request(request: HttpRequest, session_id: str, payload: NewPullRequest) -> PullRequestState:
    """Open a pull request from the session's branch, or update the title and text of the open pull request. Its text
    links to the session. Returns 409 `branch_not_pushed` if the branch has no pushed commits."""
    user, text = current_user(request), PullRequestText(payload.title, payload.body, payload.draft)

    def prepare() -> tuple[Session, PullRequestQuestion]:
        session = find_session(request, session_id)
        return session, actions.prepare_open(actor=user, session=session, text=text)

    session, question = await sync_to_async(prepare)()
    answer = await ask_forge(question)

    def store() -> PullRequestState:
        actions.store_opened(actor=user, session=session, question=question, answer=answer)
        return _show(user, session)

    return await sync_to_async(store)()


@router.post(
    "/sessions/{session_id}/pull-request/refresh", response=PullRequestState, operation_id="refresh_pull_request"
)
async def refresh_pull_request(request: HttpRequest, session_id: str) -> PullRequestState:
    """Ask the forge for the state and the checks of the pull request, and return them. They are also stored."""
    user = current_user(request)

    def prepare() -> tuple[Session, ReadPullRequestQuestion]:
        session = find_session(request, session_id)
        return session, actions.prepare_refresh(actor=user, session=session)

    session, question = await sync_to_async(prepare)()
    answer = await ask_forge(question)

    def store() -> PullRequestState:
        actions.store_state(session=session, answer=answer)
        return _show(user, session)

    return await sync_to_async(store)()


def _show(user: User, session: Session) -> PullRequestState:
    place = actions.place_of(session)
    found = PullRequest.objects.select_related("created_by").filter(session=session).first()
    can_open = can(user, Act.PROMPT, team_id=session.project.team_id)
    return PullRequestState.of(found, place.row, branch=place.branch, problem=place.problem, can_open=can_open)
