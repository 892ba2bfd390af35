"""Change a session in one transaction: lock its row, change rows, append events, publish them after the commit.

    with session_write(session_id) as write:
        ... change rows ...
        write.emit("call.updated", views.call(row))

Events get their `seq` when the block ends, while the session's row is locked, so the log has no gaps and one order.
Search and webhooks follow the log as subscribers (`sessions_app.subscribers`). Events of a sub-agent's session
wake its parent.
"""

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cache, partial
from typing import Any, Final

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from agentsite.base.errors import Missing
from agentsite.base.prepared import PreparedQuery, insert_rows, save_fields
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy import audit
from agentsite.tenancy.models import User
from sessions_app.events import views
from sessions_app.events.publish import publish_events
from sessions_app.events.schema import EVENT_VIEWS, View
from sessions_app.models import Session, SessionEvent
from sessions_app.queueing import enqueue_parent_update
from sessions_app.revisions import with_revision

SAVED_FIELDS: Final = (
    "title", "summary", "agent", "model", "effort", "status", "last_seq", "cost", "unpriced_calls", "tokens",
    "context_tokens",
    "context_limit", "context_version", "system_prompt_id", "archived", "labels", "revert", "shared_with", "updated_at",
)  # fmt: skip
PARENT_EVENTS: Final = frozenset({"turn.updated", "call.updated"})
URGENT_PARENT_EVENTS: Final = frozenset(
    {"permission.asked", "permission.settled", "question.asked", "question.settled"}
)


@dataclass(frozen=True, slots=True)
class StoredEvents:
    """The events that one transaction has stored, in order, for its subscribers. Never empty."""

    session: Session
    views: Sequence[tuple[str, View]]
    """Type and view of each event."""
    rows: Sequence[SessionEvent]
    """The stored events, one for each of `views`."""
    is_renamed: bool
    """True when the session is new or its title has changed."""
    no_webhooks: bool
    """True when this transaction has already read that the team has no enabled webhook."""


Subscriber = Callable[[StoredEvents], None]
_subscribers: list[Subscriber] = []


def subscribe(subscriber: Subscriber) -> None:
    """Register a function that is called in each transaction that stores events, after they are stored. Call this at
    start-up."""
    if subscriber not in _subscribers:
        _subscribers.append(subscriber)


class SessionWrite:
    """One open transaction on one session. `session` is the locked row. Set `no_webhooks` if it is already known in the
    transaction that the team has no enabled webhook; subscribers then do not query the webhooks."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._title = session.title
        self.now: datetime = timezone.now()
        self.no_webhooks = False
        self._events: list[tuple[str, View]] = []
        self._session_changed = False
        self._after: list[Callable[[], Any]] = []
        self._audits: list[audit.Action] = []

    def emit(self, event_type: str, view: View) -> None:
        if not isinstance(view, EVENT_VIEWS[event_type]):
            raise TypeError(f"{event_type} carries {EVENT_VIEWS[event_type].__name__}, not {type(view).__name__}")
        self._events.append((event_type, view))

    def session_changed(self) -> None:
        """Mark the session as changed: when the block ends, its row is saved and `session.updated` is emitted last."""
        self._session_changed = True

    def audit(
        self,
        action: str,
        *,
        team_id: uuid.UUID | None,
        actor: User | None = None,
        subject: str = "",
        data: Mapping[str, Any],
        for_all: bool = False,
    ) -> None:
        """Record an action in the team's audit log (or the site's, if `team_id` is None), as the last write of this
        transaction. If the session is private, people outside its audience see only that an action happened, unless
        `for_all` is set."""
        whom = "" if for_all else self.session.private_to
        self._audits.append(audit.Action(action, team_id, actor, subject, data, self.session.project_id, whom))

    def after_commit(self, action: Callable[[], Any]) -> None:
        self._after.append(action)

    def finish(self) -> None:
        """Number and store the events, save the session, run the subscribers, write the audit entries, and register the
        callbacks that run after the commit."""
        if self._session_changed:
            self.session.updated_at = self.now
            view = views.session(self.session)
            self.emit("session.updated", view.model_copy(update={"last_seq": view.last_seq + len(self._events) + 1}))
        if self._events:
            self._store_events()
        if self._audits:
            audit.record_all(self._audits)
        for action in self._after:
            transaction.on_commit(action)

    def _store_events(self) -> None:
        first = self.session.last_seq + 1
        rows = [
            SessionEvent(
                session=self.session, seq=first + index, type=name, data=view.model_dump(mode="json"), at=self.now
            )
            for index, (name, view) in enumerate(self._events)
        ]
        self.session.last_seq = rows[-1].seq
        insert_rows(rows)
        save_fields(self.session, SAVED_FIELDS if self._session_changed else ("last_seq",))
        session_id = self.session.id
        transaction.on_commit(lambda: publish_events(session_id, rows))
        is_new = any(name == "session.created" for name, _ in self._events)
        is_renamed = is_new or self.session.title != self._title
        stored = StoredEvents(self.session, self._events, rows, is_renamed, self.no_webhooks)
        for subscriber in _subscribers:
            subscriber(stored)
        if self.session.parent_id is not None:
            self._wake_parent()

    def _wake_parent(self) -> None:
        """Enqueue an update of the parent's call after the commit: at once if a person must act, otherwise within
        0.5 s."""
        types = {name for name, _ in self._events}
        is_urgent = bool(types & URGENT_PARENT_EVENTS)
        if is_urgent or types & PARENT_EVENTS:
            transaction.on_commit(partial(enqueue_parent_update, self.session.id, at_once=is_urgent))


@contextmanager
def session_write(session_id: uuid.UUID, *, related: tuple[str, ...] = ()) -> Iterator[SessionWrite]:
    """Open a transaction that locks the session's row, and yield a `SessionWrite` for changing the session. `related`
    rows are loaded with the session. Raises Missing if the session was deleted."""
    with _open(_locked_session(related), session=session_id) as write:
        yield write


@contextmanager
def turn_write(turn_id: uuid.UUID, *, related: tuple[str, ...] = ()) -> Iterator[SessionWrite]:
    """Open the transaction for the session of a turn. The session is loaded with its `revision`, so the block must not
    change any configuration."""
    with _open(_locked_session_of_turn(related), turn=turn_id) as write:
        yield write


@contextmanager
def _open(locked: PreparedQuery[Session], **which: uuid.UUID) -> Iterator[SessionWrite]:
    with sqlite_write_lock(), transaction.atomic():
        session = locked.first(**which)
        if session is None:
            raise Missing("This session no longer exists.")
        write = SessionWrite(session)
        yield write
        write.finish()


@cache
def _locked_session(related: tuple[str, ...]) -> PreparedQuery[Session]:
    return PreparedQuery(lambda session: _locking(related).filter(pk=session))


@cache
def _locked_session_of_turn(related: tuple[str, ...]) -> PreparedQuery[Session]:
    return PreparedQuery(lambda turn: with_revision(_locking(related).filter(turns=turn)))


def _locking(related: tuple[str, ...]) -> QuerySet[Session]:
    rows = Session.objects.select_for_update(of=("self",))
    return rows.select_related(*related) if related else rows
