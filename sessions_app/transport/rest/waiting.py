"""REST endpoints: permission requests and questions that wait for a person."""

from typing import Any, Final

from django.http import HttpRequest
from ninja import Query, Router

from agentsite.base.ids import to_public
from agentsite.base.pagination import paginate
from agentsite.http.operation_marks import idempotent
from agentsite.tenancy.authentication import current_user
from sessions_app.actions.permissions import reply_permission
from sessions_app.actions.questions import answer_question, dismiss_question
from sessions_app.events import schema, views
from sessions_app.models import PermissionRequest, Question, Session
from sessions_app.models.asking import AskingQuerySet
from sessions_app.transport.rest import schemas
from sessions_app.transport.rest.waiting_filters import QuestionFilter, RequestFilter

MAX_ITEMS: Final = 200
router = Router(tags=["asking"])


def requests_of(request: HttpRequest) -> AskingQuerySet[PermissionRequest]:
    rows = PermissionRequest.objects.visible_to(current_user(request))
    return rows.select_related("session__project", "call", "answered_by")


def questions_of(request: HttpRequest) -> AskingQuerySet[Question]:
    return Question.objects.visible_to(current_user(request)).select_related("session__project", "call")


@router.get("/permission-requests", response=schemas.WaitingRequests, operation_id="list_permission_requests")
def list_requests(
    request: HttpRequest, chosen: Query[RequestFilter], cursor: str | None = None, limit: int = MAX_ITEMS
) -> schemas.WaitingRequests:
    """List the permission requests that you may see, oldest first."""
    rows = chosen.among(requests_of(request), current_user(request))
    page = paginate(rows, cursor=cursor, limit=limit, max_limit=MAX_ITEMS, oldest_first=True)
    return schemas.WaitingRequests.of(page, _waiting_request)


@router.get(
    "/permission-requests/{request_id}", response=schema.PermissionRequestView, operation_id="get_permission_request"
)
def get_request(request: HttpRequest, request_id: str) -> schema.PermissionRequestView:
    """Return one permission request."""
    row = requests_of(request).by_public_id(request_id)
    return views.permission_request(row, tool=row.call.tool)


@router.post(
    "/permission-requests/{request_id}/reply",
    response=schema.PermissionRequestView,
    operation_id="reply_permission_request",
)
@idempotent
def post_reply(request: HttpRequest, request_id: str, payload: schemas.PermissionReply) -> schema.PermissionRequestView:
    """Answer a permission request: once, always or no."""
    row = reply_permission(
        actor=current_user(request),
        request=requests_of(request).by_public_id(request_id),
        reply=payload.reply,
        scope=payload.scope or "",
        message=payload.message,
    )
    return views.permission_request(row, tool=row.call.tool)


@router.get("/questions", response=schemas.WaitingQuestions, operation_id="list_questions")
def list_questions(
    request: HttpRequest, chosen: Query[QuestionFilter], cursor: str | None = None, limit: int = MAX_ITEMS
) -> schemas.WaitingQuestions:
    """List the questions that you may see, oldest first."""
    rows = chosen.among(questions_of(request), current_user(request))
    page = paginate(rows, cursor=cursor, limit=limit, max_limit=MAX_ITEMS, oldest_first=True)
    return schemas.WaitingQuestions.of(page, _waiting_question)


@router.get("/questions/{question_id}", response=schema.QuestionView, operation_id="get_question")
def get_question(request: HttpRequest, question_id: str) -> schema.QuestionView:
    """Return one question."""
    return views.question(questions_of(request).by_public_id(question_id))


@router.post("/questions/{question_id}/reply", response=schema.QuestionView, operation_id="answer_question")
@idempotent
def post_answer(request: HttpRequest, question_id: str, payload: schemas.QuestionAnswer) -> schema.QuestionView:
    """Answer a question of an agent."""
    question = questions_of(request).by_public_id(question_id)
    return views.question(answer_question(actor=current_user(request), question=question, answers=payload.answers))


@router.post("/questions/{question_id}/reject", response=schema.QuestionView, operation_id="dismiss_question")
@idempotent
def post_dismissal(request: HttpRequest, question_id: str) -> schema.QuestionView:
    """Dismiss a question without an answer."""
    question = questions_of(request).by_public_id(question_id)
    return views.question(dismiss_question(actor=current_user(request), question=question))


def _waiting_request(row: PermissionRequest) -> schemas.WaitingRequest:
    view = views.permission_request(row, tool=row.call.tool)
    return schemas.WaitingRequest(**view.model_dump(), **_place(row.session))


def _waiting_question(row: Question) -> schemas.WaitingQuestion:
    return schemas.WaitingQuestion(**views.question(row).model_dump(), **_place(row.session))


def _place(session: Session) -> dict[str, Any]:
    return {
        "session_title": session.title,
        "project_id": to_public("prj", session.project_id),
        "shared_with": session.shared_with,
    }
