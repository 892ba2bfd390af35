"""API schemas of variables."""

from datetime import datetime
from typing import Annotated, Literal, Self

from ninja import Field
from pydantic import model_validator

from agentsite.http.request_body import RequestBody
from sessions_app.events import schema, views
from sessions_app.models import Variable
from sessions_app.variables.actions import owner_of
from sessions_app.variables.uses import MAX_HOST_CHARACTERS, MAX_HOSTS, RequestPlace, UsedFor
from tools_app.network.added_secrets import AddedAs


class VariableView(schema.View):
    """A variable of a team, a project or a person (`level`).

    `owner_id` is the id of the team, project or person. `last_used_at` is when it was last given to a command or added
    to a request, accurate to a few minutes. The `value` of a secret is never returned: it is empty. `can_edit`: you may
    change the variable. `used_for` is `commands` (and set-up), `setup` only, or `requests`: the door adds the secret to
    requests for `hosts`, and no program has it.
    """

    id: str
    level: Literal["team", "project", "person"]
    owner_id: str
    name: str
    value: str
    secret: bool
    used_for: UsedFor
    hosts: list[str]
    added_as: AddedAs | None
    added_name: str
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
            used_for=row.used_for,
            hosts=row.hosts,
            added_as=row.added_as or None,
            added_name=row.added_name,
            version=row.version,
            changed_by=views.person(row.changed_by),
            changed_at=row.changed_at,
            last_used_at=getattr(row, "last_used_at", None),
            can_edit=can_edit,
        )


class RequestPlaceFields(RequestBody):
    """Fields that select the requests to which a secret is added, and the header or query parameter that contains it.
    `hosts` are names without wildcards, with a port unless it is 443. `added_as` `bearer` and `basic` use the header
    Authorization; the value for `basic` is `user:password`. `header` and `query` add the secret as the header or query
    parameter `added_name`."""

    hosts: list[Annotated[str, Field(max_length=MAX_HOST_CHARACTERS)]] = Field(
        default_factory=list, max_length=MAX_HOSTS
    )
    added_as: AddedAs = "bearer"
    added_name: str = Field(default="", max_length=100)

    def place(self) -> RequestPlace | None:
        """Return these fields as a `RequestPlace`; None if the request body has none of them."""
        if not self.model_fields_set & RequestPlaceFields.model_fields.keys():
            return None
        return RequestPlace(self.hosts, self.added_as, self.added_name)


class NewVariable(RequestPlaceFields):
    """A new variable. Names have letters, digits and underscores. The value of a `secret` cannot be read again. A
    secret is given to set-up only, unless `used_for` is `commands` (if the policies allow that; it is masked in
    everything that people and models see) or `requests`, with `hosts`: the door adds it to requests, and no program has
    it."""

    name: str = Field(min_length=1, max_length=200)
    value: str = Field(max_length=100_000)
    secret: bool = False
    used_for: UsedFor | None = None


class VariableChange(RequestPlaceFields):
    """Changes of a variable; omitted fields stay unchanged. `base_version` is the version that you have read. If one of
    `hosts`, `added_as` and `added_name` is given, all three are replaced. The use of a secret for `requests` cannot be
    changed, and no other secret can get this use."""

    name: str | None = Field(default=None, min_length=1, max_length=200)
    value: str | None = Field(default=None, max_length=100_000)
    used_for: UsedFor | None = None
    base_version: int | None = Field(default=None, ge=0, le=2**31 - 1)

    @model_validator(mode="after")
    def _says_what_is_needed(self) -> Self:
        for name in ("name", "value", "used_for"):
            if name in self.model_fields_set and getattr(self, name) is None:
                raise ValueError(f"'{name}' cannot be null; leave it out to keep it")
        return self
