"""REST endpoints for prompts and messages."""

from collections import defaultdict
from typing import Any, Literal

from django.http import HttpRequest
from ninja import Query, Router, Schema, Status

from agentsite.base.pagination import paginate
from agentsite.http.operation_marks import idempotent
from agentsite.tenancy.authentication import current_user
from sessions_app.actions.budget_stops import continue_turn
from sessions_app.actions.compaction import compact_session
from sessions_app.actions.prompts import submit_prompt
from sessions_app.events import schema, views
from sessions_app.events.conversation import messages_before, newest_messages, read_window, require_page_size
from sessions_app.models import Message, Part, ToolCall, Turn
from sessions_app.queries.sessions import find_session
from sessions_app.transport.rest import schemas

router = Router(tags=["conversation"])


@router.post("/sessions/{session_id}/prompts", response={202: schemas.PromptTaken}, operation_id="submit_prompt")
def post_prompt(request: HttpRequest, session_id: str, payload: schemas.NewPrompt) -> Status[schemas.PromptTaken]:
    """Submit a prompt. The answer is delivered as events. While a turn runs, the prompt joins that turn."""
    turn, message = take_prompt(request, session_id, payload)
    return Status(202, schemas.PromptTaken(turn=views.turn(turn), message=views.message(message)))


def take_prompt(request: HttpRequest, session_id: str, payload: schemas.NewPrompt) -> tuple[Turn, Message]:
    return submit_prompt(
        actor=current_user(request),
        session=find_session(request, session_id),
        text=payload.text,
        attachments=payload.attachments,
        agent=payload.agent,
        wait_for_answers=payload.wait_for_answers,
        output_schema=payload.output_schema,
        paths=payload.paths,
    )


@router.post("/sessions/{session_id}/compact", response={202: schema.TurnView}, operation_id="compact_session")
def post_compact(request: HttpRequest, session_id: str) -> Status[schema.TurnView]:
    """Summarize the conversation. Models then read the summary instead of the older messages; people still see all
    messages. The compaction starts now, or after the running step."""
    turn = compact_session(actor=current_user(request), session=find_session(request, session_id))
    return Status(202, views.turn(turn))


@router.post(
    "/sessions/{session_id}/continue", response=schema.TurnView, operation_id="continue_session", tags=["budgets"]
)
@idempotent
def post_continue(request: HttpRequest, session_id: str) -> schema.TurnView:
    """Resume a turn that a budget stopped. The turn stays stopped while the budget is still used up."""
    return views.turn(continue_turn(actor=current_user(request), session=find_session(request, session_id)))


@router.get("/sessions/{session_id}/conversation", response=schema.ConversationView, operation_id="get_conversation")
def get_conversation(
    request: HttpRequest, session_id: str, before: str | None = None, limit: int = 100
) -> schema.ConversationView:
    """Return the newest messages of the session, or the messages before a given message, with their parts, tool calls
    and turns: at most `limit`, and about 240 kB. Pass `older` as `before` to get the next page."""
    require_page_size(limit)
    session = find_session(request, session_id)
    if before is None:
        return read_window(session.pk, newest_messages(session.pk, limit=limit))
    message = Message.objects.filter(session=session).by_public_id(before)
    return read_window(session.pk, messages_before(session.pk, before=message.pk, limit=limit))


class MessageFilter(Schema):
    """Filters for messages. `role` restricts the list to messages of this role; with `alternatives` it includes
    messages of answers that are not chosen."""

    role: Literal["user", "assistant"] | None = None
    alternatives: bool = False


@router.get("/sessions/{session_id}/messages", response=schemas.MessagePage, operation_id="list_messages")
def list_messages(
    request: HttpRequest,
    session_id: str,
    wanted: Query[MessageFilter],
    cursor: str | None = None,
    limit: int = 50,
) -> schemas.MessagePage:
    """List the messages of a session with their parts and tool calls, newest first. Messages of answers that are not
    chosen are left out unless `alternatives` is set."""
    session = find_session(request, session_id)
    rows = Message.objects.visible_to(current_user(request)).filter(session=session).select_related("author")
    rows = rows if wanted.alternatives else rows.filter(turn__hidden_with=None)
    page = paginate(rows.filter(role=wanted.role) if wanted.role else rows, cursor=cursor, limit=limit)
    return schemas.MessagePage(items=_with_parts(page.rows), next_cursor=page.next_cursor)


def _with_parts(messages: list[Message]) -> list[schemas.MessageWithParts]:
    parts: dict[Any, list[Part]] = defaultdict(list)
    for part in Part.objects.filter(message__in=messages).order_by("index"):
        parts[part.message_id].append(part)
    calls: dict[Any, list[ToolCall]] = defaultdict(list)
    for call in ToolCall.objects.filter(message__in=messages).order_by("id"):
        calls[call.message_id].append(call)
    return [
        schemas.MessageWithParts(
            message=views.message(row),
            parts=[views.part(part) for part in parts[row.id]],
            calls=[views.call(call) for call in calls[row.id]],
        )
        for row in messages
    ]
