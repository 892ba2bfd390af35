"""State transitions guarded by the old state: one UPDATE with the expected state in its filter. If the state has
changed, nothing is updated."""

from datetime import datetime
from typing import Any, TypeVar

from django.db import models

M = TypeVar("M", bound=models.Model)


def _rows(model: type[models.Model]) -> models.Manager[Any]:
    return model._default_manager  # noqa: SLF001 - public in spite of its name, see Django's documentation


def move(row: M, *, source: str | tuple[str, ...], target: str, only: models.Q | None = None, **fields: Any) -> bool:
    """Set the row's state to `target` if it is still `source` (and `only` matches). Returns True if this call changed
    it.

    Also updates the row in memory. Call it inside the transaction that writes the event.
    """
    sources = (source,) if isinstance(source, str) else source
    rows = _rows(type(row)).filter(only or models.Q(), pk=row.pk, state__in=sources)
    if not rows.update(state=target, **fields):
        return False
    for name, value in {"state": target, **fields}.items():
        setattr(row, name, value)
    return True


def renew_lease(model: type[models.Model], row_id: Any, *, token: str, state: str, until: datetime) -> bool:
    """Extend the lease. Returns False if the lease was lost or the row left `state` (for example, was aborted): stop at
    once."""
    mine = _rows(model).filter(pk=row_id, lease_token=token, state=state)
    return bool(mine.update(lease_until=until))
