"""Guarded transitions: one UPDATE that names the state it leaves. Who finds another state has lost and does nothing."""

from datetime import datetime
from typing import Any, TypeVar

from django.db import models

M = TypeVar("M", bound=models.Model)


def _rows(model: type[models.Model]) -> models.Manager[Any]:
    return model._default_manager  # noqa: SLF001 - public in spite of its name, see Django's documentation


def move(row: M, *, source: str | tuple[str, ...], target: str, only: models.Q | None = None, **fields: Any) -> bool:
    """Move `row` to `target` if it still is in `source` (and `only` holds); True when this call did it.

    The row in memory follows. Call it inside the transaction that also writes the event.
    """
    sources = (source,) if isinstance(source, str) else source
    rows = _rows(type(row)).filter(only or models.Q(), pk=row.pk, state__in=sources)
    if not rows.update(state=target, **fields):
        return False
    for name, value in {"state": target, **fields}.items():
        setattr(row, name, value)
    return True


def renew_lease(model: type[models.Model], row_id: Any, *, token: str, state: str, until: datetime) -> bool:
    """Keep working; False when the lease was lost or the row left `state` (aborted, say): stop at once."""
    mine = _rows(model).filter(pk=row_id, lease_token=token, state=state)
    return bool(mine.update(lease_until=until))
