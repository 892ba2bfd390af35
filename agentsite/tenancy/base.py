"""What every row of the site has: a sortable id with a public form, and a queryset that knows who may see what."""

import uuid
from typing import Any, ClassVar, TypeVar

from django.db import models

from agentsite.errors import Missing
from agentsite.ids import from_public, new_id, to_public

Row = TypeVar("Row", bound="Identified")


class Identified(models.Model):
    """`PREFIX` is the type in the public id: `usr_0190…`."""

    PREFIX: ClassVar[str]

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)

    class Meta:
        abstract = True

    @property
    def public_id(self) -> str:
        return to_public(self.PREFIX, self.id)


class SealedField(models.TextField):  # type: ignore[type-arg]  # it takes none when it runs
    """Holds what `sealing.seal` made, or "". `reseal_secrets` finds every column of this kind."""


class VisibleQuerySet(models.QuerySet[Row]):
    """Querysets of tenant data add `visible_to(user)`; transport code reaches rows through nothing else."""

    def visible_to(self, user: Any) -> "VisibleQuerySet[Row]":
        raise NotImplementedError(f"{type(self).__name__} must say who sees {self.model.__name__}.")

    def by_public_id(self, public_id: str) -> Row:
        """The row, or Missing: a row that the queryset filtered away is simply not there."""
        row_id: uuid.UUID = from_public(self.model.PREFIX, public_id)
        row = self.filter(pk=row_id).first()
        if row is None:
            raise Missing(f"There is no '{public_id}'.")
        return row
