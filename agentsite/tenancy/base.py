"""Base classes of tenant data: models with public ids, and querysets that filter by the rights of a user, limited by
the restriction of the user's API token."""

import functools
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self, TypeVar

from django.db import models

from agentsite.base.errors import Missing
from agentsite.base.ids import from_public, new_id, to_public

if TYPE_CHECKING:
    from agentsite.tenancy.models import User

SITE_PLACE: Final = "site"
Row = TypeVar("Row", bound="Identified")
Rows = TypeVar("Rows", bound="VisibleQuerySet[Any]")


@dataclass(frozen=True, slots=True)
class TokenRestriction:
    """Restriction of an API token to a team, or to a project and its team. If both ids are None, the token is not
    restricted."""

    team_id: uuid.UUID | None = None
    project_id: uuid.UUID | None = None

    @property
    def is_unrestricted(self) -> bool:
        return self.team_id is None

    def contains(self, other: "TokenRestriction") -> bool:
        """Return whether this restriction permits everything that the restriction `other` permits."""
        if self.is_unrestricted:
            return True
        return self.team_id == other.team_id and self.project_id in (None, other.project_id)


UNRESTRICTED: Final = TokenRestriction()


class Identified(models.Model):
    """A model with a sortable UUID. `PREFIX` is the type in its public id: `usr_0190…`."""

    PREFIX: ClassVar[str]

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)

    class Meta:
        abstract = True

    @property
    def public_id(self) -> str:
        return to_public(self.PREFIX, self.id)


class SealedField(models.TextField):  # type: ignore[type-arg]  # not subscriptable at runtime
    """A column with a text encrypted by `encryption.seal`, or "". `reseal_secrets` finds all columns of this type."""


class SealedVariableField(SealedField):
    """A column with a text encrypted by `variable_encryption.VARIABLES`, or ""."""


class SealedDoorField(SealedField):
    """A column with a text encrypted by `door_encryption.DOOR`, or ""."""


class VisibleQuerySet(models.QuerySet[Row]):
    """Base class of the querysets of tenant data. Subclasses define `visible_to(user)`, and transport code uses nothing
    else to find rows.

    An API token can be restricted to one team or project. Therefore the result of every `visible_to` is automatically
    filtered by `within`. A subclass sets `team_path` and, if rows belong to a project, `project_path`: the lookups from
    the row to its team and project ("pk" if the row is the team or project itself). A restricted token sees no rows of
    a model without the needed path.
    """

    team_path: ClassVar[str] = ""
    project_path: ClassVar[str] = ""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "visible_to" in cls.__dict__:
            cls.visible_to = _within_restriction(cls.visible_to)  # type: ignore[method-assign,assignment]

    def visible_to(self, user: "User") -> Self:
        raise NotImplementedError(f"{type(self).__name__} must define visible_to for {self.model.__name__}.")

    def within(self, restriction: TokenRestriction) -> Self:
        if restriction.is_unrestricted:
            return self
        project_path = self.project_path or _project_before(self.team_path)

        path, row_id = self.team_path, restriction.team_id
        if restriction.project_id:
            path, row_id = project_path, restriction.project_id
        return self.filter(**{path: row_id}) if path else self.none()

    def by_public_id(self, public_id: str) -> Row:
        """Return the row with this public id. Raises Missing if it is not in this queryset."""
        row_id: uuid.UUID = from_public(self.model.PREFIX, public_id)
        row = self.filter(pk=row_id).first()
        if row is None:
            raise Missing(f"There is no '{public_id}'.")
        return row


def _within_restriction(visible_to: Callable[[Rows, "User"], Rows]) -> Callable[[Rows, "User"], Rows]:
    @functools.wraps(visible_to)
    def narrowed(self: Rows, user: "User") -> Rows:
        return visible_to(self, user).within(user.token_restriction)

    return narrowed


def _project_before(team_path: str) -> str:
    """Derive the lookup of a row's project from its team's lookup: `session__project` from `session__project__team`.

    Returns "" if the rows have no project.
    """
    path, _, last = team_path.rpartition("__")
    return path if last == "team" and path.rpartition("__")[2] == "project" else ""


class PlacedQuerySet(VisibleQuerySet[Row]):
    """Rows of the site, a team or a project. Their columns are `place`, `team` and `project`; `place` is SITE_PLACE or
    the public id of the team or project."""

    def visible_to(self, user: "User") -> Self:
        """Return the rows of the site, which everybody sees, and the rows of the user's teams and their projects."""
        mine = models.Q(team__memberships__user=user) | models.Q(project__team__memberships__user=user)
        return self.filter(models.Q(place=SITE_PLACE) | mine).distinct()

    def within(self, restriction: TokenRestriction) -> Self:
        """Return the rows inside a token restriction, and always the rows of the site."""
        if restriction.is_unrestricted:
            return self
        own = models.Q(team=restriction.team_id) | models.Q(project__team=restriction.team_id)
        if restriction.project_id:
            own = models.Q(project=restriction.project_id)
        return self.filter(models.Q(place=SITE_PLACE) | own)
