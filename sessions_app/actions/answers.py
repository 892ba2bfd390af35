"""Replace the chosen answer to a prompt by another one, inside the transaction of a session.

An answer that is not chosen is hidden together with the turns that follow it.
"""

import uuid
from collections.abc import Collection

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import Stale
from sessions_app.actions.compaction import change_context
from sessions_app.actions.workspaces import require_usable
from sessions_app.events import views
from sessions_app.events.log import SessionWrite
from sessions_app.models import Message, Session, Turn


def require_idle(write: SessionWrite) -> None:
    """Raise Stale if the session is not idle (archived, reverted, or working), so that no other answer can be chosen or
    requested."""
    if write.session.archived:
        raise Stale("This session is archived.", hint="Unarchive the session first.")
    require_usable(write.session.workspace)
    if write.session.revert is not None:
        raise Stale("A revert hides messages.", hint="Take the revert back, or send a prompt, which makes it final.")
    if Turn.objects.filter(session=write.session, state__in=Turn.OPEN).exists():
        raise Stale("The agent is still working.", hint="Stop it, or wait until it has finished.")


def chosen_instead(session: Session, wanted: Turn) -> Turn:
    """Return the shown answer in whose place the hidden answer `wanted` would be shown.

    Raises Stale if `wanted` is not hidden, or if it is hidden only because an answer before it is hidden.
    """
    if wanted.hidden_with_id is None:
        raise Stale("This answer is chosen already.", code=ErrorCode.NOTHING_TO_REVERT)
    shown = Turn.objects.filter(session=session, hidden_with=None)
    chosen = next((row for row in shown if row.public_id in wanted.alternatives), None)
    if chosen is None or wanted.hidden_with_id != wanted.pk:
        raise Stale(
            "This answer belongs to another answer that is not chosen.", hint="Choose that other answer first."
        )  # fmt: skip
    return chosen


def switch_answer(write: SessionWrite, wanted: Turn) -> None:
    """Show the hidden answer `wanted` and the turns after it, in place of the answer that is shown now. Raises Stale as
    `chosen_instead` does."""
    changed = hide_from(write, chosen_instead(write.session, wanted))
    group = Turn.objects.filter(session=write.session, hidden_with=wanted)
    changed += list(group)
    group.update(hidden_with=None)
    emit_alternatives(write, [row.pk for row in changed])


def hide_from(write: SessionWrite, chosen: Turn) -> list[Turn]:
    """Hide a turn that is shown, and every shown turn after it. Returns the turns that were hidden.

    Turns are ordered by their messages, whose ids ascend even if the clocks of the web servers differ.
    """
    first = Message.objects.filter(turn=chosen).order_by("id").values("id")[:1]
    later = Message.objects.filter(session=write.session, id__gte=first).values("turn")
    rows = Turn.objects.filter(session=write.session, hidden_with=None, pk__in=later)
    hidden = list(rows)
    Turn.objects.filter(pk__in=[row.pk for row in hidden]).update(hidden_with=chosen)
    return hidden


def emit_alternatives(write: SessionWrite, changed: Collection[uuid.UUID]) -> None:
    """Emit an event with the alternatives of each changed turn, and mark the session's history as changed, so that the
    next model call loads the whole conversation again."""
    for row in Turn.objects.filter(pk__in=changed).order_by("id"):
        write.emit("alternatives.updated", views.alternatives(row))
    change_context(write.session)
    write.session_changed()
