"""The one way to change a session: lock its row, change, tell the log, publish after commit.

    with session_write(session_id) as write:
        ... change rows ...
        write.emit("call.updated", views.call(row))

Events get their `seq` when the block ends, under the session's lock, so the log has no gaps and no two orders.
"""

import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from typing import Any, Final

from django.db import transaction
from django.utils import timezone

from agentsite.base.errors import Missing
from agentsite.base.sqlite_lock import writers_turn
from agentsite.tenancy import audit
from sessions_app.audience import private_to
from sessions_app.events import views
from sessions_app.events.publish import publish_events
from sessions_app.events.schema import EVENT_VIEWS, View
from sessions_app.events.webhooks import tell_of_events
from sessions_app.models import Session, SessionEvent
from sessions_app.queueing import enqueue_child_news
from sessions_app.search.indexing import keep_texts

CHILD_NEWS: Final = frozenset({"turn.updated", "call.updated"})
URGENT_CHILD_NEWS: Final = frozenset({"permission.asked", "permission.settled", "question.asked", "question.settled"})
CHANGING: Final = (
    "title", "summary", "agent", "model", "status", "last_seq", "cost", "tokens", "context_tokens",
    "context_limit", "context_version", "archived", "shared_with", "updated_at",
)  # fmt: skip


class SessionWrite:
    """One transaction on one session. `session` is its locked row. `nobody_listens`: it was seen in this transaction
    that the team has no webhook, so none is looked for."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._title = session.title
        self.now: datetime = timezone.now()
        self.nobody_listens = False
        self._events: list[tuple[str, View]] = []
        self._session_changed = False
        self._after: list[Callable[[], Any]] = []
        self._audits: list[Callable[[], Any]] = []

    def emit(self, event_type: str, view: View) -> None:
        if not isinstance(view, EVENT_VIEWS[event_type]):
            raise TypeError(f"{event_type} carries {EVENT_VIEWS[event_type].__name__}, not {type(view).__name__}")
        self._events.append((event_type, view))

    def session_changed(self) -> None:
        """The session row was changed: save it, and tell its new view once, last."""
        self._session_changed = True

    def audit(
        self,
        action: str,
        *,
        team_id: uuid.UUID | None,
        actor: Any = None,
        subject: str = "",
        data: Mapping[str, Any],
        for_all: bool = False,
    ) -> None:
        """Record it in the team's audit log (None: the site's), in this transaction and after everything else in it. Of
        a private session others learn that it happened, not what; unless it is said to be `for_all`."""
        whom = "" if for_all else private_to(self.session)
        about: dict[str, Any] = {"project_id": self.session.project_id, "private_to": whom}
        self._audits.append(
            partial(audit.record, team_id=team_id, actor=actor, action=action, subject=subject, data=data, **about)
        )

    def after_commit(self, action: Callable[[], Any]) -> None:
        self._after.append(action)

    def finish(self) -> None:
        """Number and store the events, save the session, and leave the rest for after the commit."""
        if self._session_changed:
            self.session.updated_at = self.now
            view = views.session(self.session)
            self.emit("session.updated", view.model_copy(update={"last_seq": view.last_seq + len(self._events) + 1}))
        first = self.session.last_seq + 1
        rows = [
            SessionEvent(
                session=self.session, seq=first + place, type=name, data=view.model_dump(mode="json"), at=self.now
            )
            for place, (name, view) in enumerate(self._events)
        ]
        if rows:
            told = {name for name, _ in self._events}
            renamed = "session.created" in told or self.session.title != self._title
            keep_texts(self.session, self._events, renamed=renamed)
        if rows:
            self.session.last_seq = rows[-1].seq
            SessionEvent.objects.bulk_create(rows)
            if not self.nobody_listens:
                tell_of_events(self.session, rows)
            self.session.save(update_fields=CHANGING if self._session_changed else ["last_seq"])
        if rows:
            session_id = self.session.id
            transaction.on_commit(lambda: publish_events(session_id, rows))
        if self.session.parent_id is not None:
            self._tell_parent()
        for record in self._audits:
            record()
        for action in self._after:
            transaction.on_commit(action)

    def _tell_parent(self) -> None:
        told = {name for name, _ in self._events}
        urgent = bool(told & URGENT_CHILD_NEWS)
        if urgent or told & CHILD_NEWS:
            transaction.on_commit(partial(enqueue_child_news, self.session.id, at_once=urgent))


@contextmanager
def session_write(session_id: uuid.UUID, *, related: tuple[str, ...] = ()) -> Iterator[SessionWrite]:
    """Open the transaction. `related` rows come with the session. Raises Missing when it was deleted meanwhile."""
    with _open(related, pk=session_id) as write:
        yield write


@contextmanager
def turn_write(turn_id: uuid.UUID, *, related: tuple[str, ...] = ()) -> Iterator[SessionWrite]:
    """The same for the session of a turn."""
    with _open(related, turns=turn_id) as write:
        yield write


@contextmanager
def _open(related: tuple[str, ...], **which: uuid.UUID) -> Iterator[SessionWrite]:
    with writers_turn(), transaction.atomic():
        rows = Session.objects.select_for_update(of=("self",))
        try:
            write = SessionWrite((rows.select_related(*related) if related else rows).get(**which))
        except Session.DoesNotExist:
            raise Missing("This session is not there any more.") from None
        yield write
        write.finish()
