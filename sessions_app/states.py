"""Guarded transitions: one UPDATE that names the state it leaves. Who finds another state has lost and does nothing."""

from datetime import datetime
from typing import Any, TypeVar

from django.db import models

M = TypeVar("M", bound=models.Model)


def _rows(model: type[models.Model]) -> models.Manager[Any]:
    return model._default_manager  # noqa: SLF001 - public in spite of its name, see Django's documentation


def move(row: M, *, source: str | tuple[str, ...], target: str, **fields: Any) -> bool:
    """Move `row` to `target` if it still is in `source`; True when this call did it. The row in memory follows.

    Call it inside the transaction that also writes the event.
    """
    sources = (source,) if isinstance(source, str) else source
    changed = _rows(type(row)).filter(pk=row.pk, state__in=sources).update(state=target, **fields)
    if not changed:
        return False
    for name, value in {"state": target, **fields}.items():
        setattr(row, name, value)
    return True


def take_lease(row: M, *, token: str, until: datetime, now: datetime) -> bool:
    """Make `token` the one that works on the row, if nobody else does."""
    free = models.Q(lease_until__isnull=True) | models.Q(lease_until__lt=now) | models.Q(lease_token=token)
    changed = _rows(type(row)).filter(free, pk=row.pk).update(lease_token=token, lease_until=until)
    if changed:
        row.lease_token, row.lease_until = token, until  # type: ignore[attr-defined]
    return bool(changed)


def renew_lease(model: type[models.Model], row_id: Any, *, token: str, state: str, until: datetime) -> bool:
    """Keep working; False when the lease was lost or the row left `state` (aborted, say): stop at once."""
    mine = _rows(model).filter(pk=row_id, lease_token=token, state=state)
    return bool(mine.update(lease_until=until))
