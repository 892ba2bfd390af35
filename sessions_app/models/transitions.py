"""State transitions guarded by the old state: one UPDATE with the expected state in its filter. If the state has
changed, nothing is updated."""

from datetime import datetime
from typing import Any, TypeVar

from django.db import models

from agentsite.base.prepared import update_rows

M = TypeVar("M", bound=models.Model)


def move(row: M, *, source: str | tuple[str, ...], target: str, only: models.Q | None = None, **fields: Any) -> bool:
    """Set the row's state to `target` if it is still `source` (and `only` matches). Returns True if this call changed
    it.

    Also updates the row in memory. Call it inside the transaction that writes the event.
    """
    sources = (source,) if isinstance(source, str) else source
    where = models.Q(pk=row.pk, state__in=sources)
    if not update_rows(type(row), where & only if only else where, {"state": target, **fields}):
        return False
    for name, value in {"state": target, **fields}.items():
        setattr(row, name, value)
    return True


def renew_lease(model: type[models.Model], row_id: Any, *, token: str, state: str, until: datetime) -> bool:
    """Extend the lease. Returns False if the lease was lost or the row left `state` (for example, was aborted): stop at
    once."""
    mine = models.Q(pk=row_id, lease_token=token, state=state)
    return bool(update_rows(model, mine, {"lease_until": until}))
