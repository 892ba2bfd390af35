"""Base classes of all rows: sortable ids, and visibility through the project's team."""

import uuid
from typing import ClassVar, Self, TypeVar

from django.conf import settings
from django.db import models

from agentsite.base.ids import to_public
from agentsite.tenancy.base import Identified, VisibleQuerySet
from agentsite.tenancy.models import User

USER = settings.AUTH_USER_MODEL


class Row(Identified):
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True


AnyRow = TypeVar("AnyRow", bound=Row)


class TenantQuerySet(VisibleQuerySet[AnyRow]):
    """Rows of a team. `team_path` is the lookup from the row to its team."""

    team_path: ClassVar[str]

    def visible_to(self, user: User) -> Self:
        return self.filter(**{f"{self.team_path}__memberships__user": user})


def public_id_of(prefix: str, value: uuid.UUID | None) -> str | None:
    return None if value is None else to_public(prefix, value)
