"""REST endpoints: submit a prompt and wait for the outcome, for programs that want one answer and no stream.

The response starts at once with whitespace that keeps the connection open; its JSON follows when the outcome is known.
A waiting request therefore uses an inbox for events, but no thread, no database connection and no query of its own. It
ends when the client disconnects.
"""

import time
from collections.abc import AsyncIterator
from functools import partial
from typing import Annotated, Any, Final, Literal

from asgiref.sync import sync_to_async
from channels.db import database_sync_to_async
from django.db.models import Q
from django.http import HttpRequest, StreamingHttpResponse
from ninja import Query, Router

from agentsite.base.errors import Missing
from agentsite.base.ids import to_public
from agentsite.http.operation_marks import idempotent
from agentsite.tenancy.actions.idempotency import StoredResponse
from agentsite.tenancy.authentication import current_token, current_user, is_still_signed_in, seconds_left
from agentsite.tenancy.rest.idempotency_key import work_once
from sessions_app.events import schema, views
from sessions_app.models import Message, Part, PermissionRequest, Question, Turn
from sessions_app.transport import session_stream
from sessions_app.transport.follow import following
from sessions_app.transport.inboxes import Message as InboxMessage
from sessions_app.transport.rest import schemas
from sessions_app.transport.rest.conversation import take_prompt
from sessions_app.transport.session_stream import groups_of, newest_events

MAX_WAIT_SECONDS: Final = 600  # seconds
OUTCOME_EVENTS: Final = frozenset({"turn.updated", "permission.asked", "question.asked"})
Wait = Annotated[int, Query(ge=0, le=MAX_WAIT_SECONDS, description="Seconds to wait for the turn, 600 at most.")]

router = Router(tags=["conversation"])


class TurnOutcome(schema.View):
    """The state of a turn. `state` is `ended`, `waiting` if a person has to answer one of the `permission_requests` or
    `questions`, or `running` if the time limit was reached before. `text` is the last text of the agent. `events` is
    the address from which to continue the events."""

    state: Literal["ended", "waiting", "running"]
    turn: schema.TurnView
    text: str
    permission_requests: list[schema.PermissionRequestView]
    questions: list[schema.QuestionView]
    events: str


@router.post("/sessions/{session_id}/messages/send-and-wait", response=TurnOutcome, operation_id="send_and_wait")
@idempotent
async def post_and_wait(request: HttpRequest, session_id: str, payload: schemas.NewPrompt, wait: Wait = 60) -> Any:
    """Submit a prompt and wait until its turn has ended, the turn waits for a person, or the time limit is reached.

    After the time limit, call `POST /turns/{turn_id}/wait` or follow the events. A retry with the same
    `Idempotency-Key` waits for the same turn.
    """
    turn = await sync_to_async(_submit)(request, session_id, payload)
    return await sync_to_async(_outcome)(request, turn) if wait == 0 else _streamed(request, turn, wait)


@router.get("/turns/{turn_id}", response=TurnOutcome, operation_id="get_turn")
def get_turn(request: HttpRequest, turn_id: str) -> TurnOutcome:
    """Return the current state of a turn."""
    return _outcome(request, _find(request, turn_id))


@router.post("/turns/{turn_id}/wait", response=TurnOutcome, operation_id="wait_for_turn")
async def post_wait(request: HttpRequest, turn_id: str, wait: Wait = 60) -> Any:
    """Wait until the turn has ended, the turn waits for a person, or the time limit is reached; then return its
    state."""
    turn = await sync_to_async(_find)(request, turn_id)
    return await sync_to_async(_outcome)(request, turn) if wait == 0 else _streamed(request, turn, wait)


def _streamed(request: HttpRequest, turn: Turn, wait: int) -> StreamingHttpResponse:
    response = StreamingHttpResponse(_wait_for_outcome(request, turn, wait), content_type="application/json")
    response["X-Accel-Buffering"] = "no"
    return response


async def _wait_for_outcome(request: HttpRequest, turn: Turn, wait: int) -> AsyncIterator[str]:
    """Yield whitespace while waiting for the turn, then its outcome as JSON. If the client loses the right to see the
    turn, nothing more is yielded."""
    over = time.monotonic() + wait
    groups = groups_of(turn.session_id, person=current_user(request).pk)
    is_allowed, left = partial(_may_see, request, turn), partial(seconds_left, current_token(request))
    async with following(groups, is_allowed=is_allowed, seconds_left=left) as followed:
        seen = turn.session.last_seq
        while turn.state in (Turn.State.QUEUED, Turn.State.RUNNING) and time.monotonic() < over:
            message = await followed.next()
            if not await followed.may_send():
                return
            if message is None:
                yield " "
            if _is_outcome_of(message, turn.public_id) or (message is None and await _is_log_longer(turn, seen)):
                turn = await _in_thread(_find, request, turn.public_id)
                seen = turn.session.last_seq
        outcome = await _in_thread(_outcome, request, turn)
        if await followed.may_send():
            yield outcome.model_dump_json()


async def _is_log_longer(turn: Turn, seen: int) -> bool:
    """Return whether the log of the turn's session has events after the number `seen`. Called when no message has
    arrived for a while, because messages may be lost."""
    return await newest_events.seq(turn.session_id, lifetime=session_stream.POLL_INTERVAL / 2) != seen


def _may_see(request: HttpRequest, turn: Turn) -> bool:
    return is_still_signed_in(request) and Turn.objects.visible_to(current_user(request)).filter(pk=turn.pk).exists()


def _submit(request: HttpRequest, session_id: str, payload: schemas.NewPrompt) -> Turn:
    def work() -> StoredResponse:
        turn, _ = take_prompt(request, session_id, payload)
        return StoredResponse(202, turn.public_id.encode())

    return _find(request, work_once(request, work).content.decode())


def _is_outcome_of(message: InboxMessage | None, turn_id: str) -> bool:
    """Return whether the message contains an event after which a request that waits for the turn may be answered."""
    return message is not None and any(_is_outcome(frame, turn_id) for frame in message.get("frames", ()))


def _is_outcome(frame: dict[str, Any], turn_id: str) -> bool:
    """Return whether an event may end the wait for a turn's outcome: the turn is no longer queued or running, or it
    asks people something."""
    data = frame["data"]
    if frame["event_type"] == "turn.updated":
        return bool(data["id"] == turn_id) and data["state"] not in (Turn.State.QUEUED, Turn.State.RUNNING)
    return frame["event_type"] in OUTCOME_EVENTS and data.get("turn_id") == turn_id


def _find(request: HttpRequest, turn_id: str) -> Turn:
    """Load the turn again. Raises Missing if the person has signed out or may no longer see the turn."""
    if not is_still_signed_in(request):
        raise Missing("You are no longer signed in.")
    return Turn.objects.visible_to(current_user(request)).select_related("session").by_public_id(turn_id)


def _outcome(request: HttpRequest, turn: Turn) -> TurnOutcome:
    turn = _find(request, turn.public_id)
    states: dict[str, Literal["waiting", "running"]] = {"waiting": "waiting", "queued": "running", "running": "running"}
    here = Q(session=turn.session) | Q(session__root=turn.session)
    asked: dict[str, Any] = {"state": "open"} if turn.state == Turn.State.WAITING else {"pk__in": []}
    requests = PermissionRequest.objects.filter(here, **asked).select_related("call", "answered_by").order_by("id")
    session_id = to_public("ses", turn.session_id)
    return TurnOutcome(
        state=states.get(turn.state, "ended"),
        turn=views.turn(turn),
        text=_last_text(turn),
        permission_requests=[views.permission_request(row, tool=row.call.tool) for row in requests],
        questions=[views.question(row) for row in Question.objects.filter(here, **asked).order_by("id")],
        events=f"/api/v1/sessions/{session_id}/events?after={turn.session.last_seq}",
    )


def _last_text(turn: Turn) -> str:
    message = Message.objects.filter(turn=turn, role=Message.Role.ASSISTANT).order_by("-id").first()
    if message is None:
        return ""
    texts = Part.objects.filter(message=message, type=Part.Type.TEXT).order_by("index").values_list("text", flat=True)
    return "\n\n".join(texts)


async def _in_thread(function: Any, *arguments: Any) -> Any:
    return await database_sync_to_async(function, thread_sensitive=False)(*arguments)
