"""Follow what happens in all sessions that a person sees, or in those of one project.

The cursor is the id of a row of the log. Transactions do not end in the order of these ids, so each look goes back a
little and leaves out what was told already; after a reconnect the last moments may come twice, which is harmless, since
each event carries the whole view.
"""

import uuid
from collections import deque
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final

from django.db.models import QuerySet

from sessions_app.models import Session, SessionEvent
from sessions_app.transport.session_stream import TooFarBehind

TOLD: Final = (
    "session.created", "session.updated", "turn.updated", "permission.asked", "permission.updated",
    "permission.settled", "question.asked", "question.settled", "workspace.updated",
)  # fmt: skip
MOST: Final = 1000  # events at once
BACK: Final = 500  # ids
MOMENTS: Final = timedelta(seconds=10)


class NewsCursor:
    """Reads with the rights that the person has at that moment. Made at the newest event, or at the one named."""

    def __init__(self, user: Any, *, project_id: uuid.UUID | None, after: int | None) -> None:
        self._user, self._project_id = user, project_id
        self._told: deque[int] = deque(maxlen=2 * BACK)
        newest = SessionEvent.objects.order_by("-id").values_list("id", flat=True).first() or 0
        self.last = newest if after is None else after
        if self.last > newest or self.last < 0:
            raise TooFarBehind
        if after is None:
            self._told.extend(self._rows().values_list("id", flat=True)[:MOST])

    def read(self) -> Sequence[SessionEvent]:
        """What was not told yet, in order. Raises TooFarBehind."""
        rows = list(self._rows().select_related("session").order_by("id")[: MOST + 1])
        if len(rows) > MOST:
            raise TooFarBehind
        fresh = [row for row in rows if row.pk not in self._told]
        self._told.extend(row.pk for row in fresh)
        self.last = max([self.last, *(row.pk for row in fresh)])
        return fresh

    def _rows(self) -> QuerySet[SessionEvent]:
        sessions = Session.objects.visible_to(self._user)
        if self._project_id is not None:
            sessions = sessions.filter(project_id=self._project_id)
        rows = SessionEvent.objects.filter(session__in=sessions, type__in=TOLD, pk__gt=self.last - BACK)
        at = SessionEvent.objects.filter(pk__lte=self.last).order_by("-pk").values_list("at", flat=True).first()
        return rows if at is None else rows.filter(at__gt=at - MOMENTS)
