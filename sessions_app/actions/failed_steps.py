"""Handle a step whose model did not answer: retry it later, continue with another model, or fail its turn."""

from datetime import datetime, timedelta

from sessions_app.actions.turns import Step, end_turn, interrupt_streaming, leased_turn, message_fields
from sessions_app.events import views
from sessions_app.events.log import SessionWrite, session_write
from sessions_app.models import Message, Part, Turn
from sessions_app.queueing import enqueue_turn


def retry_step(step: Step, *, message: str, delay: float, tries: int) -> None:
    """Show in the conversation that the model could not be reached, and retry after `delay` seconds. `tries` is the
    maximum number of attempts. Raises LeaseLost."""
    with session_write(step.session_id) as write:
        turn = leased_turn(step)
        next_at = write.now + timedelta(seconds=delay)
        _show_failure(write, step, turn, {"message": message, "next_at": next_at.isoformat(), "of": tries})
        turn.attempts += 1
        _release(write, turn, not_before=next_at)
        write.after_commit(lambda: enqueue_turn(turn.id, delay=delay))


def continue_with(step: Step, model: str, *, message: str) -> None:
    """Show in the conversation that the model has failed, and continue the turn with another model.

    The partial answer of the failed model is not sent to the other model. Raises LeaseLost.
    """
    with session_write(step.session_id) as write:
        turn = leased_turn(step)
        models: dict[str, str | int] = {"model": step.model, "next": model}
        _show_failure(write, step, turn, {"message": message, "next_at": write.now.isoformat(), **models})
        turn.attempts, turn.fallback_model = 0, model
        _release(write, turn, not_before=None)
        write.after_commit(lambda: enqueue_turn(turn.id))


def _show_failure(write: SessionWrite, step: Step, turn: Turn, failure: dict[str, str | int]) -> None:
    note = _note_failure(write, step, turn)
    data = {"attempt": turn.attempts + 1, **failure}
    index = Part.objects.filter(message=note).count()
    part = Part.objects.create(session_id=step.session_id, message=note, index=index, type=Part.Type.RETRY, data=data)
    write.emit("part.updated", views.part(part))


def _release(write: SessionWrite, turn: Turn, *, not_before: datetime | None) -> None:
    turn.not_before, turn.moved_at = not_before, write.now
    turn.lease_token, turn.lease_until = "", None
    turn.save()
    write.emit("turn.updated", views.turn(turn))


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
