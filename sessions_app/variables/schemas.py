"""API schemas of variables."""

from datetime import datetime
from typing import Literal, Self

from ninja import Field
from pydantic import model_validator

from agentsite.http.request_body import RequestBody
from sessions_app.events import schema, views
from sessions_app.models import Variable
from sessions_app.variables.actions import owner_of


class VariableView(schema.View):
    """A variable of a team, a project or a person (`level`).

    `owner_id` is the id of the team, project or person. `last_used_at` is when it was last given to a command, to a few
    minutes. The `value` of a `secret` one is never returned: it is empty. `can_edit`: you may change the variable.
    """

    id: str
    level: Literal["team", "project", "person"]
    owner_id: str
    name: str
    value: str
    secret: bool
    version: int
    changed_by: schema.PersonView | None
    changed_at: datetime
    last_used_at: datetime | None
    can_edit: bool

    @classmethod
    def of(cls, row: Variable, *, can_edit: bool) -> Self:
        return cls(
            id=row.public_id,
            level=owner_of(row).level,
            owner_id=row.place,
            name=row.name,
            value=row.value,
            secret=row.secret,
            version=row.version,
            changed_by=views.person(row.changed_by),
            changed_at=row.changed_at,
            last_used_at=getattr(row, "last_used_at", None),
            can_edit=can_edit,
        )


class NewVariable(RequestBody):
    """A new variable. Names have letters, digits and underscores. A `secret` one is given to set-up only and masked in
    what people and models see; its value cannot be read again."""

    name: str = Field(min_length=1, max_length=200)
    value: str = Field(max_length=100_000)
    secret: bool = False


class VariableChange(RequestBody):
    """Changes of a variable; omitted fields stay unchanged. `base_version` is the version that you have read."""

    name: str | None = Field(default=None, min_length=1, max_length=200)
    value: str | None = Field(default=None, max_length=100_000)
    base_version: int | None = Field(default=None, ge=0, le=2**31 - 1)

    @model_validator(mode="after")
    def _says_what_is_needed(self) -> Self:
        for name in ("name", "value"):
            if name in self.model_fields_set and getattr(self, name) is None:
                raise ValueError(f"'{name}' cannot be null; leave it out to keep it")
        return self
