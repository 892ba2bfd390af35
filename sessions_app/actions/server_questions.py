"""Questions of MCP servers. A server asks people something during a call of its tool, and the call continues with the
reply.

Unlike a call of the tool `question`, the call keeps its worker and its lease while it waits, because the server's call
cannot be interrupted and resumed.
"""

from datetime import timedelta

from django.db.models import Q

from agentsite.base.errors import BadInput
from sessions_app.actions.calls import emit_update
from sessions_app.actions.open_questions import withdraw_questions
from sessions_app.actions.turns import settle_turn
from sessions_app.actions.waiting_calls import end_of_waiting, turn_of
from sessions_app.events import views
from sessions_app.events.log import SessionWrite, session_write
from sessions_app.models import Question, Session, ToolCall
from sessions_app.models.base import move
from sessions_app.policy import session_policies
from tools_app.mcp.forms import PEOPLE_SECONDS, BadAnswer, Form, Value, read_answers


def ask_form(call: ToolCall, session: Session, server: str, form: Form) -> Question | None:
    """Ask the session's people the questions of an MCP server's form, and make the call wait. Returns None if nobody
    can be asked, because the turn does not wait for people, or the call was ended elsewhere."""
    policies = session_policies(session)
    with session_write(call.session_id) as write:
        ends = end_of_waiting(write.now, turn_of(call), policies)
        leased = Q(lease_token=call.lease_token)
        if ends is None or not move(
            call, source=ToolCall.State.RUNNING, target=ToolCall.State.WAITING, only=leased,
            waits_for=ToolCall.QUESTION, moved_at=write.now,
        ):  # fmt: skip
            return None
        emit_update(write, call)
        row = Question.objects.create(
            session=write.session,
            turn_id=call.turn_id,
            call=call,
            questions=form.questions(),
            form={"server": server, **form.as_dict()},
            expires_at=min(ends, write.now + timedelta(seconds=PEOPLE_SECONDS)),
        )
        write.emit("question.asked", views.question(row))
        settle_turn(write, call.turn_id)
        return row


def withdraw_form(question: Question) -> None:
    """Close a question of an MCP server that no longer waits for the answer, and let the tool call that asked it
    continue."""
    with session_write(question.session_id) as write:
        withdraw_questions(write, Question.objects.filter(pk=question.pk))
        continue_call(write, ToolCall.objects.get(pk=question.call_id))


def continue_call(write: SessionWrite, call: ToolCall) -> None:
    """Move a call from waiting to running after its MCP server's questions were answered or closed, so that the call's
    worker continues it. If that worker is dead, `recover` ends the call."""
    leased = Q(lease_until__isnull=False, waits_for=ToolCall.QUESTION)
    state = ToolCall.State
    if move(call, source=state.WAITING, target=state.RUNNING, only=leased, waits_for="", moved_at=write.now):
        emit_update(write, call)
        settle_turn(write, call.turn_id)


def values_of(question: Question, answers: list[list[str]]) -> dict[str, Value]:
    """Convert the answers to a question to values for the MCP server that asked. Raises BadInput with a sentence about
    the first answer that does not fit."""
    try:
        return read_answers(Form.from_dict(question.form or {}), answers)
    except BadAnswer as error:
        raise BadInput(str(error), fields={"answers": str(error)}) from error
