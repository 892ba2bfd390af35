"""Store the outcome of a revert: hide or show messages, and start the turn that waits for the revert."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from functools import partial
from typing import Any, Final

from django.conf import settings

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import Missing
from agentsite.base.ids import to_public
from sandbox.files import RevertResult
from sessions_app.actions.answers import switch_answer
from sessions_app.actions.fork_files import note_failed_fork_files, note_fork_files
from sessions_app.actions.reverts import show_revert
from sessions_app.actions.turns import end_turn
from sessions_app.events import views
from sessions_app.events.log import SessionWrite, session_write
from sessions_app.models import Message, Revert, Turn
from sessions_app.models.base import move
from sessions_app.queries.answer_files import turns_of_answer, turns_replaced
from sessions_app.queueing import enqueue_archive, enqueue_turn
from sessions_app.webhooks.outbox import queue_reverted

RETRY_HINT: Final = "Nothing was changed. Try again, and decide about the files that are shown, or leave the files."


def finish_revert(revert_id: uuid.UUID, result: RevertResult) -> None:
    """Store the outcome of a revert, and hide or show messages. Does nothing if the outcome is already stored."""
    with _pending(revert_id) as (write, row):
        files = [{key: value for key, value in asdict(file).items() if key != "patch"} for file in result.files]
        if not result.applied:
            _fail(write, row, "Others have changed these files since. Decide about each of them.", files)
            return
        waiting = _waiting_turn(write)
        changed = any(file["before"] != file["after"] for file in files)
        if row.turn_id is not None and not changed and waiting is None:
            _fail(write, row, "There is nothing to take back: the files are as they were before.", files)
            return
        if not move(row, source=Revert.State.PENDING, target=Revert.State.APPLIED, files=files, ended_at=write.now):
            return
        if row.undoes is not None:
            _undo(write, row.undoes)
        else:
            _hide(write, row)
            _choose(write, row)
            if row.is_of_fork:
                note_fork_files(write, row)
            is_redoable = waiting is None and row.answer_id is None and (changed or row.message_id is not None)
            show_revert(write, row if is_redoable else None)
        if waiting is not None:
            write.after_commit(partial(enqueue_turn, waiting.pk))
        elif settings.ARCHIVE_AFTER_TURNS:
            workspace = write.session.workspace
            write.after_commit(partial(enqueue_archive, workspace.id, node=workspace.node))
        _audit(write, row)
        queue_reverted(write.session, row, files=sum(file["before"] != file["after"] for file in files))


def fail_revert(revert_id: uuid.UUID, error: str) -> None:
    """Store that a revert failed and changed nothing."""
    with _pending(revert_id) as (write, row):
        _fail(write, row, error, [])


@contextmanager
def _pending(revert_id: uuid.UUID) -> Iterator[tuple[SessionWrite, Revert]]:
    """Open the transaction of a revert's session, and yield the `SessionWrite` and the revert's row. Raises Missing if
    the revert was deleted."""
    row = (
        Revert.objects.select_related("undoes__previous", "previous", "actor", "turn", "answer")
        .filter(pk=revert_id)
        .first()
    )
    if row is None:
        raise Missing("This revert no longer exists.")
    with session_write(row.session_id, related=("project", "workspace")) as write:
        yield write, row


def _fail(write: SessionWrite, row: Revert, error: str, files: list[dict[str, Any]]) -> None:
    ended: dict[str, Any] = {"error": error[:500], "files": files, "ended_at": write.now}
    if not move(row, source=Revert.State.PENDING, target=Revert.State.FAILED, **ended):
        return
    before = row.previous if row.undoes is None else row.undoes
    show_revert(write, before if before is not None and before.state == Revert.State.APPLIED else None)
    if row.is_of_fork:
        note_failed_fork_files(write, error)
    waiting = _waiting_turn(write)
    if waiting is not None:
        problem = {"code": ErrorCode.REVERT_CONFLICT, "message": error, "hint": RETRY_HINT}
        end_turn(write, waiting, Turn.State.FAILED, error=problem)


def _waiting_turn(write: SessionWrite) -> Turn | None:
    """Return the turn that waits for the session's revert to end, or None. While a revert is pending, no other turn of
    the session can be open."""
    row: Turn | None = Turn.objects.filter(session=write.session, state__in=Turn.OPEN).first()
    return row


def _hide(write: SessionWrite, row: Revert) -> None:
    if row.message_id is None:
        return
    rows = Message.objects.filter(session=write.session, pk__gte=row.message_id, reverted_by__isnull=True)
    hidden = list(rows.order_by("id").values_list("pk", flat=True))
    Message.objects.filter(pk__in=hidden).update(reverted_by=row)
    write.session.context_version += 1
    write.emit("messages.reverted", views.messages_reverted(hidden, reverted=True))


def _choose(write: SessionWrite, row: Revert) -> None:
    """Choose the answer whose files the revert has put in the workspace, and store for each turn whether its file
    changes are reverted."""
    if row.answer is not None:
        turns = turns_of_answer(write.session, row.answer)
        Turn.objects.filter(pk__in=turns.taken_back).update(files_taken_back=True)
        Turn.objects.filter(pk__in=turns.brought).update(files_taken_back=False)
        switch_answer(write, row.answer)
    elif row.turn is not None and row.turn.hidden_with_id is not None:
        replaced = turns_replaced(write.session, row.turn)
        Turn.objects.filter(pk__in=replaced).update(files_taken_back=True)


def _undo(write: SessionWrite, undone: Revert) -> None:
    move(undone, source=Revert.State.APPLIED, target=Revert.State.UNDONE)
    if undone.turn_id is not None:
        Turn.objects.filter(hidden_with=undone.turn_id).update(files_taken_back=False)
    shown = list(Message.objects.filter(reverted_by=undone).order_by("id").values_list("pk", flat=True))
    if shown:
        Message.objects.filter(pk__in=shown).update(reverted_by=None)
        write.session.context_version += 1
        write.emit("messages.reverted", views.messages_reverted(shown, reverted=False))
    before = undone.previous
    show_revert(write, before if before is not None and before.state == Revert.State.APPLIED else None)


def _audit(write: SessionWrite, row: Revert) -> None:
    subject = row.undoes or row
    changed = [file["path"] for file in row.files if file["before"] != file["after"]]
    write.audit(
        "session.reverted" if row.undoes is None else "session.unreverted",
        team_id=write.session.project.team_id,
        actor=row.actor,
        subject=write.session.public_id,
        data={
            "message": None if subject.message_id is None else to_public("msg", subject.message_id),
            "turn": None if subject.turn_id is None else to_public("trn", subject.turn_id),
            "answer": None if subject.answer_id is None else to_public("trn", subject.answer_id),
            "files": changed[:100],
            "count": len(changed),
        },
    )


def fail_waiting_reverts(workspace_id: uuid.UUID, *, error: str) -> None:
    """Fail the reverts that wait for a workspace which cannot be made ready."""
    waiting = Revert.objects.filter(session__workspace=workspace_id, state=Revert.State.PENDING)
    for revert_id in waiting.values_list("pk", flat=True):
        with suppress(Missing):
            fail_revert(revert_id, error)
