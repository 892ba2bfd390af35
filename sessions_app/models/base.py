"""The common parts of all tables: sortable ids, visibility through the project's team, and guarded states.

A state is changed by one UPDATE whose filter has the expected old state. If the state has changed meanwhile, nothing is
updated.
"""

import uuid
from datetime import datetime
from typing import Any, ClassVar, Self, TypeVar

from django.conf import settings
from django.db import models

from agentsite.base.ids import to_public
from agentsite.base.prepared import update_rows
from agentsite.tenancy.base import Identified, VisibleQuerySet
from agentsite.tenancy.models import User

USER = settings.AUTH_USER_MODEL
M = TypeVar("M", bound=models.Model)
AnyRow = TypeVar("AnyRow", bound="Row")


class Row(Identified):
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True


class TenantQuerySet(VisibleQuerySet[AnyRow]):
    """Rows of a team. `team_path` is the lookup from the row to its team."""

    team_path: ClassVar[str]

    def visible_to(self, user: User) -> Self:
        return self.filter(**{f"{self.team_path}__memberships__user": user})


def public_id_of(prefix: str, value: uuid.UUID | None) -> str | None:
    return None if value is None else to_public(prefix, value)


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


def renew_lease(
    model: type[models.Model], row_id: Any, *, token: str, states: tuple[str, ...], until: datetime
) -> bool:
    """Extend the lease. Returns False if the lease was lost or the row left `states` (for example, was aborted): stop
    at once."""
    mine = models.Q(pk=row_id, lease_token=token, state__in=states)
    return bool(update_rows(model, mine, {"lease_until": until}))
