"""Opening calls: tool calls that a prompt itself requests, before the model answers.

A prompt requests them for shell commands that a person typed, for files that the prompt names, and for shell commands
and files in a command's template. They pass the permission rules like any call.
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import Any, Final

from agentsite.base.ids import new_id
from sessions_app.actions.turns import Step, end_turn, finish_step, release_lease
from sessions_app.agent.answer import ModelAnswer
from sessions_app.configuration.templates import Filled
from sessions_app.events import views
from sessions_app.events.log import SessionWrite, session_write
from sessions_app.models import Message, Part, Turn
from sessions_app.queueing import enqueue_turn
from sessions_app.spending.reservations import StepUsage

END: Final = {"end": True}
"""The entry that ends a turn without an answer of the model."""


def opening_calls(filled: Filled, *, person: str = "") -> list[dict[str, Any]]:
    """Return the tool calls that run the commands and read the files of a filled command template. `person` is the
    public id of the person who typed the commands."""
    shell = [call("bash", {"command": command}, person) for command in filled.shell]
    return [*shell, *reading_calls(filled.files, person=person)]


def reading_calls(paths: Iterable[str], *, person: str = "") -> list[dict[str, Any]]:
    return [call("read", {"filePath": path}, person) for path in paths]


def call(tool: str, arguments: dict[str, Any], person: str = "") -> dict[str, Any]:
    """Return an entry for the turn's column `opening`: a call of `tool` with `arguments`, made for the person with the
    public id `person`."""
    return {"tool": tool, "arguments": arguments, "person": person}


def add_opening(turn: Turn, calls: Sequence[dict[str, Any]], *, of: Message, ends: bool = False) -> None:
    """Add calls of the prompt `of` to those that the turn makes before its answer, under the session's lock. With
    `ends`, the turn ends after these calls without an answer; otherwise an answer follows, even if the turn was to end
    without one."""
    kept = [each for each in turn.opening if each != END]
    added = [{**each, "message": of.public_id} for each in calls]
    turn.opening = [*kept, *added, *([END] if ends else [])]
    turn.save(update_fields=["opening"])


def keep_command(write: SessionWrite, turn: Turn, message: Message, text: str, data: Mapping[str, Any]) -> None:
    """Store the text of a command with its prompt, and the command's calls and model with the turn. `data` is the data
    of a command part."""
    index = Part.objects.filter(message=message).count()
    part = Part.objects.create(
        session=write.session, message=message, index=index, type=Part.Type.COMMAND, text=text, data=data
    )
    write.emit("part.updated", views.part(part))
    turn.command = command_of(data)
    turn.save(update_fields=["command"])
    add_opening(turn, data["opening"], of=message)


def command_of(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value that `Turn.command` gets for a command part with the data `data`."""
    chosen = {"name": data["command"], "model": data["model"], "variant": data.get("variant", "")}
    return {**chosen, "subtask": True} if data.get("subtask") else chosen


def model_of_command(turn: Turn) -> str:
    """Return the model that the turn's command names; "" if it names none, or if a sub-agent has carried out the
    command, because the answer about the sub-agent's work uses the usual model."""
    is_carried_out = turn.command.get("subtask") and not turn.opening
    return "" if is_carried_out else str(turn.command.get("model") or "")


def take_opening(step: Step) -> None:
    """Create the calls of the turn's column `opening` in this step instead of calling the model, or end the turn there.

    Raises LeaseLost.
    """
    wanted = step.turn.opening
    if wanted[0] == END:
        _end(step)
        return
    calls = [each for each in wanted if each != END]
    made = ModelAnswer.of_calls([(each["tool"], each["arguments"], each["person"]) for each in calls], new_id)
    finish_step(step, made, StepUsage({}, Decimal()), opened=False, taken=len(calls))


def _end(step: Step) -> None:
    """End the step's turn without an answer, or let the turn continue if another prompt has arrived in it."""
    with session_write(step.session_id) as write:
        turn = release_lease(step, write, step_count=step.turn.step_count, opening=[])
        write.emit("turn.updated", views.turn(turn))
        if _has_newer_prompt(turn):
            write.after_commit(partial(enqueue_turn, turn.pk))
        else:
            end_turn(write, turn, Turn.State.COMPLETED)


def _has_newer_prompt(turn: Turn) -> bool:
    last = Message.objects.filter(turn=turn, state=Message.State.COMPLETE).order_by("-id").first()
    return last is not None and last.role == Message.Role.USER
