"""Answer an agent's questions exactly once."""

from contextlib import suppress
from datetime import datetime
from typing import Any, Final

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import BadInput, Missing, Stale
from agentsite.tenancy.access import require
from agentsite.tenancy.models import User
from agentsite.tenancy.roles import Act
from sessions_app.actions.calls import close_call, close_open_calls, end_processes_after_commit
from sessions_app.actions.server_questions import continue_call, values_of
from sessions_app.actions.turns import end_turn, settle_turn
from sessions_app.audience import require_seen
from sessions_app.events import views
from sessions_app.events.log import SessionWrite, session_write
from sessions_app.models import Question, ToolCall, Turn
from sessions_app.models.base import move

UNANSWERED: Final = "Nobody answered in time. Continue without an answer, and state what you assumed."


def answer_question(*, actor: User, question: Question, answers: list[list[str]]) -> Question:
    """Complete the waiting call with the answers: one list of chosen labels or free text for each question. If an MCP
    server asked, its call continues with the answers."""
    require(actor, Act.PROMPT, team_id=question.session.project.team_id)
    require_seen(actor, question.session)
    if len(answers) != len(question.questions) or any(len(" ".join(answer)) > 10_000 for answer in answers):
        raise BadInput(
            f"Exactly {len(question.questions)} answers are required.", fields={"answers": "wrong number or too long"}
        )
    if question.form is not None:
        values_of(question, answers)
        return _settle_form(question, Question.State.ANSWERED, answers=answers, answered_by=actor)
    with session_write(question.session_id) as write:
        row = _settle(write, question, Question.State.ANSWERED, answers=answers, answered_by=actor)
        metadata = {"questions": row.questions, "answers": answers}
        close_call(
            write,
            row.call,
            ToolCall.State.COMPLETED,
            title="Asked a question",
            output=_answers_as_text(row),
            metadata=metadata,
        )
        settle_turn(write, row.turn_id)
    return row


def dismiss_question(*, actor: User, question: Question) -> Question:
    """Close the question without an answer and stop the turn, as a rejected permission request does.

    If an MCP server asked the question, the server gets a refusal and the turn continues.
    """
    require(actor, Act.PROMPT, team_id=question.session.project.team_id)
    require_seen(actor, question.session)
    if question.form is not None:
        return _settle_form(question, Question.State.DISMISSED, answered_by=actor)
    with session_write(question.session_id) as write:
        row = _settle(write, question, Question.State.DISMISSED, answered_by=actor)
        close_call(write, row.call, ToolCall.State.ERROR, output="The person dismissed the question.")
        stopped = "Stopped: a question of this turn was dismissed."
        end_processes_after_commit(
            write, close_open_calls(write, row.turn, state=ToolCall.State.ABORTED, output=stopped)
        )
        error = {
            "code": ErrorCode.DISMISSED,
            "message": "A question was dismissed, so the turn stopped.",
            "hint": "Send a message that says how to continue.",
        }
        end_turn(write, Turn.objects.get(pk=row.turn_id), Turn.State.ABORTED, error=error)
    return row


def expire_questions(now: datetime) -> int:
    """Close questions that nobody answered in time; the agents continue. Returns the number of overdue questions found,
    at most 100."""
    overdue = list(Question.objects.filter(state=Question.State.OPEN, expires_at__lt=now)[:100])
    for question in overdue:
        with suppress(Stale, Missing, Question.DoesNotExist):  # answered or deleted in the meantime
            _expire(question)
    return len(overdue)


def _settle_form(question: Question, state: str, **fields: Any) -> Question:
    with session_write(question.session_id) as write:
        row = _settle(write, question, state, **fields)
        continue_call(write, row.call)
        return row


def _expire(question: Question) -> None:
    if question.form is not None:
        _settle_form(question, Question.State.CANCELLED)
        return
    with session_write(question.session_id) as write:
        row = _settle(write, question, Question.State.DISMISSED)
        close_call(write, row.call, ToolCall.State.ERROR, output=UNANSWERED)
        settle_turn(write, row.turn_id)


def _settle(write: SessionWrite, question: Question, state: str, **fields: Any) -> Question:
    row = Question.objects.select_related("call", "turn").get(pk=question.pk)
    if not move(row, source=Question.State.OPEN, target=state, settled_at=write.now, **fields):
        raise Stale(f"This question is already closed ({row.state}).", code=ErrorCode.ALREADY_SETTLED)
    write.emit("question.settled", views.question(row))
    return row


def _answers_as_text(row: Question) -> str:
    pairs = zip(row.questions, row.answers, strict=True)
    return "\n".join(f"{asked['question']}\n-> {', '.join(answer) or '(no answer)'}" for asked, answer in pairs)
