"""Poll the forge for the checks of pull requests, even while nobody has the session open, for people who want a notice
when a check fails."""

import uuid
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final

from sessions_app.models import PullRequest
from sessions_app.queueing import enqueue_checks, is_first

FOLLOWED: Final = timedelta(hours=24)  # after which checks that have not ended are no longer read
SHORTEST_PAUSE: Final = timedelta(minutes=1)  # between two readings
PAUSE_SHARE: Final = 10  # the pause grows to a tenth of the commit's age
MAX_ROWS: Final = 500  # that one round looks at


def read_pending_checks(people: Collection[uuid.UUID], now: datetime) -> int:
    """Enqueue a task for each open pull request in these people's sessions whose checks are pending and due to be read
    again. Returns the number of such pull requests."""
    rows = PullRequest.objects.filter(
        state=PullRequest.State.OPEN, session__created_by__in=people, commit_at__gte=now - FOLLOWED,
        checked_at__lte=now - SHORTEST_PAUSE,
    )  # fmt: skip
    due = [row for row in rows.order_by("checked_at")[:MAX_ROWS] if _is_due(row, now)]
    for row in due:
        if is_first(f"checks:{row.pk}", SHORTEST_PAUSE.total_seconds()):
            enqueue_checks(row.pk)
    return len(due)


def _is_due(row: PullRequest, now: datetime) -> bool:
    """Return whether the pull request has no checks yet or a pending one, and its checks were last read long enough
    ago."""
    is_pending = not row.checks or any(check["state"] == "pending" for check in row.checks)
    pause = max(SHORTEST_PAUSE, (now - (row.commit_at or now)) / PAUSE_SHARE)
    return is_pending and row.checked_at <= now - pause
