"""Change or withdraw a queued prompt: one that was sent while the agent works and that no step has taken yet.

A step takes all prompts whose id is smaller than its answer's, and the answer's id is made under the session's lock. So
either a prompt is changed before a step takes it, or the change is refused. A prompt that was still queued when a
person stopped the turn can be withdrawn until the next turn begins.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import BadInput, Missing, NotAllowed, Stale, TooLarge
from agentsite.tenancy.access import require
from agentsite.tenancy.models import User
from agentsite.tenancy.roles import Act
from sessions_app.actions.attachments import release_attachments
from sessions_app.actions.opening import command_of
from sessions_app.actions.prompts import PROMPT_LIMIT, called_agents
from sessions_app.actions.turns import end_turn
from sessions_app.agent.built_in import COMPACTION
from sessions_app.agent.mentions import call_hint
from sessions_app.events import views
from sessions_app.events.log import SessionWrite, session_write
from sessions_app.events.schema import AttachmentView
from sessions_app.models import Message, Part, ReviewComment, ToolCall, Turn
from sessions_app.search.indexing import delete_texts

HAS_STARTED: Final = "This prompt has started the turn."
AGAIN: Final = "Take the prompt back, then send it again."


@dataclass(frozen=True, slots=True)
class WithdrawnPrompt:
    """The content of a prompt that was taken back, so that it can be sent again."""

    text: str
    attachments: Sequence[AttachmentView]
    paths: Sequence[str]


def change_queued_prompt(*, actor: User, message: Message, text: str) -> Message:
    """Replace the text of the actor's own queued prompt.

    The attachments stay. Of the workspace files to be read for the prompt, only those that the new text still mentions
    are kept.

    Raises Stale with the code `prompt_taken` if the agent has the prompt already.
    """
    _check(text)
    require(actor, Act.PROMPT, team_id=message.session.project.team_id)
    called = called_agents(message.session, text)
    with session_write(message.session_id) as write:
        turn, row = _queued(message)
        if row.author_id != actor.pk:
            raise NotAllowed("Only the author can change a prompt.", hint="You can take it back.")
        parts = list(Part.objects.filter(message=row).order_by("index"))
        if _asks_for_calls(turn, row, parts):
            raise BadInput("The text of a command that waits cannot be changed.", hint=AGAIN)
        words = next(part for part in parts if part.type == Part.Type.TEXT)
        kept = [path for path in words.data.get("paths", ()) if f"@{path}" in text]
        words.text, words.data = text, {"paths": kept} if kept else {}
        words.save(update_fields=["text", "data"])
        write.emit("part.updated", views.part(words))
        _replace_mentions(write, row, parts, called)
        _keep_calls(turn, row, reading=kept)
        return row


def withdraw_prompt(*, actor: User, message: Message) -> WithdrawnPrompt:
    """Remove a prompt that waits, or waited when its turn was stopped, and return its content. Its files can be used in
    another prompt.

    Raises Stale with the code `prompt_taken` if the agent has the prompt already.
    """
    require(actor, Act.PROMPT, team_id=message.session.project.team_id)
    with session_write(message.session_id, related=("workspace",)) as write:
        turn, row = _queued(message, or_left=True)
        parts = list(Part.objects.filter(message=row).order_by("index"))
        words = next(part for part in parts if part.type == Part.Type.TEXT)
        files = [part.data["attachment"] for part in parts if part.type == Part.Type.FILE]
        _keep_calls(turn, row, reading=())
        if turn.command and any(part.type == Part.Type.COMMAND for part in parts):
            turn.command = _command_before(turn, row)
        row.delete()
        turn.payer_id = _last_author(turn) or turn.payer_id
        turn.save(update_fields=["command", "payer"])
        release_attachments(write, [file["id"] for file in files])
        delete_texts(part.public_id for part in parts)
        write.emit("messages.removed", views.removed([message.pk], [part.pk for part in parts]))
        if _is_answered(turn):
            end_turn(write, turn, Turn.State.COMPLETED)
        return WithdrawnPrompt(words.text, [AttachmentView(**file) for file in files], words.data.get("paths", []))


def _check(text: str) -> None:
    if not text.strip():
        raise BadInput("A prompt must have text.", fields={"text": "empty"}, hint="To remove it, take it back.")
    if len(text) > PROMPT_LIMIT:
        raise TooLarge(f"A prompt can have at most {PROMPT_LIMIT:,} characters.", fields={"text": "too long"})


def _queued(message: Message, *, or_left: bool = False) -> tuple[Turn, Message]:
    """Return the turn and the stored row of a waiting prompt, read under the session's lock. Raises Stale if a step has
    taken the prompt. With `or_left`, a prompt that waited when its turn was stopped is also accepted."""
    row = Message.objects.select_related("author").filter(pk=message.pk).first()
    if row is None:
        raise Missing("This prompt was taken back.", hint="Send what you wrote as a new prompt.")
    if row.role != Message.Role.USER:
        raise BadInput("Only a prompt can be changed or taken back.", hint="Choose a message that a person wrote.")
    turn = Turn.objects.get(pk=row.turn_id)
    waits = turn.state in Turn.OPEN or (or_left and _is_left(turn, row))
    if not waits or (turn.answer_id is not None and turn.answer_id > row.pk):
        raise Stale("The agent has this prompt already.", code=ErrorCode.PROMPT_TAKEN)
    if not Message.objects.filter(turn=turn, pk__lt=row.pk).exists():
        raise Stale(HAS_STARTED, code=ErrorCode.PROMPT_TAKEN, hint="Stop the turn, then edit the prompt.")
    if ReviewComment.objects.filter(message=row).exists():
        is_open = turn.state in Turn.OPEN
        raise Stale(
            "This prompt has review comments, which are sent already.",
            code=ErrorCode.PROMPT_TAKEN,
            hint="Stop the turn; the comments can then be sent again." if is_open else "Send the comments again.",
        )
    return turn, row


def _is_left(turn: Turn, row: Message) -> bool:
    """Return whether the prompt `row` is visible although its turn was stopped before any later turn, so that it can
    still be withdrawn or changed."""
    return (
        turn.state == Turn.State.ABORTED
        and row.reverted_by_id is None
        and not Turn.objects.filter(session=turn.session_id, id__gt=turn.pk).exists()
    )


def _asks_for_calls(turn: Turn, row: Message, parts: Sequence[Part]) -> bool:
    """Return whether the prompt starts tool calls other than reading its files: it is a command, or a shell command
    that a person typed."""
    own = [each for each in turn.opening if each.get("message") == row.public_id]
    return any(part.type == Part.Type.COMMAND for part in parts) or any(each["tool"] != "read" for each in own)


def _keep_calls(turn: Turn, row: Message, *, reading: Collection[str]) -> None:
    """Remove the tool calls of the prompt `row` from `Turn.opening`, except calls that read the paths `reading`."""
    kept = [
        each
        for each in turn.opening
        if each.get("message") != row.public_id or each["arguments"].get("filePath") in reading
    ]
    if kept != turn.opening:
        turn.opening = kept
        turn.save(update_fields=["opening"])


def _replace_mentions(write: SessionWrite, row: Message, parts: Sequence[Part], called: Sequence[str]) -> None:
    """Remove message parts for agents that the text no longer mentions, and add parts for newly mentioned agents."""
    known = [part for part in parts if part.type == Part.Type.AGENT]
    gone = [part for part in known if part.data["agent"] not in called]
    if gone:
        Part.objects.filter(pk__in=[part.pk for part in gone]).delete()
        write.emit("messages.removed", views.removed([], [part.pk for part in gone]))
    names = {part.data["agent"] for part in known}
    first = parts[-1].index + 1
    for index, name in enumerate((name for name in called if name not in names), start=first):
        fields: dict[str, Any] = {"index": index, "type": Part.Type.AGENT, "text": call_hint(name)}
        part = Part.objects.create(session=write.session, message=row, data={"agent": name}, **fields)
        write.emit("part.updated", views.part(part))


def _command_before(turn: Turn, row: Message) -> dict[str, Any]:
    """Return the value that `Turn.command` gets when the prompt `row` is removed: the last command of the turn's other
    prompts, or {}."""
    parts = Part.objects.filter(message__turn=turn, type=Part.Type.COMMAND).exclude(message=row)
    last = parts.order_by("-message_id").first()
    return {} if last is None else command_of(last.data)


def _last_author(turn: Turn) -> Any:
    prompts = Message.objects.filter(turn=turn, role=Message.Role.USER).exclude(author=None)
    return prompts.order_by("-id").values_list("author_id", flat=True).first()


def _is_answered(turn: Turn) -> bool:
    """Return whether the turn, after its last prompt was removed, has nothing left to do: no step runs, and the last
    answer requested no calls."""
    if turn.state != Turn.State.RUNNING or turn.lease_token or turn.opening or turn.compact or turn.attempts:
        return False
    if turn.output_schema is not None:
        return False
    last = Message.objects.filter(turn=turn).order_by("-id").first()
    if last is None or last.role != Message.Role.ASSISTANT or last.state != Message.State.COMPLETE:
        return False
    return last.agent != COMPACTION.name and not ToolCall.objects.filter(message=last).exists()
