"""Handle a step whose model did not answer: retry it later, or fail its turn."""

from datetime import timedelta

from sessions_app.actions.turns import Step, end_turn, interrupt_streaming, leased_turn, message_fields
from sessions_app.events import views
from sessions_app.events.log import SessionWrite, session_write
from sessions_app.models import Message, Part, Turn
from sessions_app.queueing import enqueue_turn


def retry_step(step: Step, *, message: str, delay: float) -> None:
    """Show in the conversation that the model could not be reached, and retry after `delay` seconds. Raises
    LeaseLost."""
    with session_write(step.session_id) as write:
        turn = leased_turn(step)
        note = _note_failure(write, step, turn)
        next_at = write.now + timedelta(seconds=delay)
        data = {"attempt": turn.attempts + 1, "message": message, "next_at": next_at.isoformat()}
        index = Part.objects.filter(message=note).count()
        part = Part.objects.create(
            session_id=step.session_id, message=note, index=index, type=Part.Type.RETRY, data=data
        )
        write.emit("part.updated", views.part(part))
        turn.attempts += 1
        turn.not_before, turn.moved_at = next_at, write.now
        turn.lease_token, turn.lease_until = "", None
        turn.save()
        write.emit("turn.updated", views.turn(turn))
        write.after_commit(lambda: enqueue_turn(turn.id, delay=delay))


def _note_failure(write: SessionWrite, step: Step, turn: Turn) -> Message:
    interrupt_streaming(write, turn)
    fields = message_fields(step) | {"state": Message.State.INTERRUPTED}
    note, created = Message.objects.get_or_create(pk=step.message_id, defaults=fields)
    if created:
        write.emit("message.updated", views.message(note))
    return note


def fail_turn(step: Step, *, error: dict[str, str]) -> None:
    """End the turn of the step as failed, with an error {code, message, hint}. Raises LeaseLost."""
    with session_write(step.session_id) as write:
        end_turn(write, leased_turn(step), Turn.State.FAILED, error=error)
