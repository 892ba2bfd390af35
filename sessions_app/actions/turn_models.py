"""Continue a running turn with another model, because the present one does not answer."""

import uuid
from typing import Any

from agentsite.base.errors import BadInput, Stale
from agentsite.tenancy.access import require
from agentsite.tenancy.models import User
from agentsite.tenancy.roles import Act
from sessions_app.actions.opening import model_of_command
from sessions_app.actions.turns import interrupt_streaming
from sessions_app.agents import effective_agents
from sessions_app.events import views
from sessions_app.events.log import SessionWrite, session_write
from sessions_app.model_endpoints import ModelNotOffered, chosen_model, model_for
from sessions_app.models import Message, Part, Session, ToolCall, Turn
from sessions_app.queueing import enqueue_turn


def switch_turn_model(*, actor: User, turn: Turn, model: str) -> Turn:
    """Make `model` continue the turn at once. A pause before the next attempt ends, and the rest of a running answer is
    discarded. Tool calls that run or wait continue; the step after them uses the new model.

    Reads `turn.session` with project and workspace. Raises BadInput if the model cannot be used here, Stale if the turn
    has ended.
    """
    require(actor, Act.PROMPT, team_id=turn.session.project.team_id)
    session = Session.objects.select_related("project", "workspace").get(pk=turn.session_id)
    try:
        chosen_model(session, model)
    except ModelNotOffered as error:
        raise BadInput(error.message, hint="Choose a model of the project.", fields={"model": "not offered"}) from error
    usual = model_for(session, effective_agents(session).get(session.agent))
    with session_write(turn.session_id) as write:
        row = Turn.objects.get(pk=turn.pk)
        if row.state not in Turn.OPEN:
            raise Stale("This turn has ended.", hint="Choose the model below the prompt, then send the prompt again.")
        before = row.fallback_model or model_of_command(row) or usual
        if not ToolCall.objects.filter(turn=row, state__in=ToolCall.OPEN).exists():
            _end_try(write, row, {"model": before, "next": model, "by": actor.public_id})
        row.fallback_model = model
        row.save()
        write.emit("turn.updated", views.turn(row))
        write.after_commit(lambda: enqueue_turn(row.pk))
        return row


def _end_try(write: SessionWrite, turn: Turn, models: dict[str, str]) -> None:
    """End the running attempt of a model call, or the pause before the next attempt, and note in the conversation which
    model continues. The worker loses its lease, so that nothing that it still receives is stored."""
    interrupt_streaming(write, turn)
    if turn.answer_id is not None and turn.state == Turn.State.RUNNING:
        _note(write, turn, turn.answer_id, models)
    turn.attempts, turn.not_before, turn.moved_at = 0, None, write.now
    turn.lease_token, turn.lease_until = "", None


def _note(write: SessionWrite, turn: Turn, message_id: uuid.UUID, models: dict[str, str]) -> None:
    fields: dict[str, Any] = {
        "session": write.session, "turn": turn, "role": Message.Role.ASSISTANT, "agent": write.session.agent,
        "model": models["model"], "state": Message.State.INTERRUPTED,
    }  # fmt: skip
    message, created = Message.objects.get_or_create(pk=message_id, defaults=fields)
    if message.state == Message.State.COMPLETE:  # the step has ended, and no other has begun
        return
    if created:
        write.emit("message.updated", views.message(message))
    index = Part.objects.filter(message=message).count()
    data = {"attempt": turn.attempts + 1, "message": "", "next_at": write.now.isoformat(), **models}
    part = Part.objects.create(
        session=write.session, message=message, index=index, type=Part.Type.RETRY, data=data
    )  # fmt: skip
    write.emit("part.updated", views.part(part))
