"""Follow the events of all sessions that a person can see, or only of the sessions of one project.

The cursor is the id of a row in the event log. Transactions do not commit in the order of these ids, so every read
starts a little before the cursor and skips the rows that were already sent. After a reconnect the events of the last
seconds may be sent twice, which is harmless, because each event carries the whole view.
"""

import uuid
from collections import deque
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from django.db.models import QuerySet

from agentsite.tenancy.models import User
from sessions_app.models import Session, SessionEvent
from sessions_app.transport.session_stream import TooFarBehind

EVENT_TYPES: Final = (
    "session.created", "session.updated", "turn.updated", "permission.asked", "permission.updated",
    "permission.settled", "question.asked", "question.settled", "workspace.updated",
)  # fmt: skip
MAX_EVENTS: Final = 1000  # per read
REREAD_IDS: Final = 500  # how far each read goes back
REREAD_PERIOD: Final = timedelta(seconds=10)


class NewsCursor:
    """A cursor in the log of the events of all sessions that a person can see. It starts at the newest event, or after
    a given event. Every read applies the person's current access rights."""

    def __init__(self, user: User, *, project_id: uuid.UUID | None, after: int | None) -> None:
        self._user, self._project_id = user, project_id
        self._told: deque[int] = deque(maxlen=2 * REREAD_IDS)
        newest = SessionEvent.objects.order_by("-id").values_list("id", flat=True).first() or 0
        self.last = newest if after is None else after
        if self.last > newest or self.last < 0:
            raise TooFarBehind
        if after is None:
            self._told.extend(self._rows().values_list("id", flat=True)[:MAX_EVENTS])

    def read(self) -> Sequence[SessionEvent]:
        """Return the events after the cursor that were not returned yet, in order. Raises TooFarBehind."""
        rows = list(self._rows().select_related("session").order_by("id")[: MAX_EVENTS + 1])
        if len(rows) > MAX_EVENTS:
            raise TooFarBehind
        fresh = [row for row in rows if row.pk not in self._told]
        self._told.extend(row.pk for row in fresh)
        self.last = max([self.last, *(row.pk for row in fresh)])
        return fresh

    def _rows(self) -> QuerySet[SessionEvent]:
        sessions = Session.objects.visible_to(self._user)
        if self._project_id is not None:
            sessions = sessions.filter(project_id=self._project_id)
        rows = SessionEvent.objects.filter(session__in=sessions, type__in=EVENT_TYPES, pk__gt=self.last - REREAD_IDS)
        at = SessionEvent.objects.filter(pk__lte=self.last).order_by("-pk").values_list("at", flat=True).first()
        return rows if at is None else rows.filter(at__gt=at - REREAD_PERIOD)
