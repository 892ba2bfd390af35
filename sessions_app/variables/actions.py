"""Create, change and remove variables of a team, a project or a person."""

import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

from django.db import IntegrityError, transaction
from django.utils import timezone

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import BadInput, Missing, NotAllowed, Stale
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy import audit
from agentsite.tenancy.access import can, require
from agentsite.tenancy.door_encryption import DOOR
from agentsite.tenancy.models import Project, Team, User
from agentsite.tenancy.roles import Act
from agentsite.tenancy.variable_encryption import VARIABLES
from sessions_app.models import Variable
from sessions_app.variables.rules import MAX_TOTAL_BYTES, MAX_VARIABLES, check_name, check_value
from sessions_app.variables.uses import (
    REQUESTS,
    RequestPlace,
    UsedFor,
    added_as_of,
    require_commands_may_get_secrets,
    require_free_place,
)
from tools_app.network.added_secrets import value_problem

Level = Literal["team", "project", "person"]


@dataclass(frozen=True, slots=True)
class Owner:
    """The team, project or person that a variable belongs to."""

    target: Team | Project | User

    @property
    def level(self) -> Level:
        if isinstance(self.target, Team):
            return "team"
        return "project" if isinstance(self.target, Project) else "person"

    @property
    def team_id(self) -> uuid.UUID | None:
        """The team whose admins manage the variable; None for a variable of a person."""
        if isinstance(self.target, Team):
            return self.target.pk
        return self.target.team_id if isinstance(self.target, Project) else None

    def may_edit(self, user: User) -> bool:
        """Return whether `user` may change the owner's variables. Admins may change the variables of their team and its
        projects, and people their own."""
        if self.team_id is not None:
            return can(user, Act.MANAGE_VARIABLES, team_id=self.team_id)
        return user.pk == self.target.pk and user.token_restriction.is_unrestricted

    def require_edit(self, user: User) -> None:
        """Raise NotAllowed, or Missing for people outside the team, unless `user` may change the owner's variables."""
        if self.team_id is not None:
            require(user, Act.MANAGE_VARIABLES, team_id=self.team_id)
        elif not self.may_edit(user):
            raise NotAllowed("An API token for one team or project cannot change your own variables.")


def owner_of(variable: Variable) -> Owner:
    """Return the owner of the variable."""
    target = variable.team or variable.project or variable.person
    if target is None:
        raise ValueError(f"{variable.public_id} has no owner, against a constraint of its table.")
    return Owner(target)


def create_variable(
    *,
    actor: User,
    owner: Owner,
    name: str,
    value: str,
    secret: bool = False,
    used_for: UsedFor | None = None,
    place: RequestPlace | None = None,
) -> Variable:
    """Create a variable. Secrets are for set-up unless `used_for` says otherwise. If a secret is for requests, `place`
    says to which hosts' requests the door adds it, and in which part of them.

    Raises BadInput for a name, value or place that is not allowed, NotAllowed if a policy forbids the use, and Stale if
    the name is taken.
    """
    owner.require_edit(actor)
    if secret and owner.level == "person":
        raise BadInput(
            "Your own variables cannot be secret, because secrets are given to set-up, whose result others get.",
            fields={"secret": "only for teams and projects"},
        )
    row = Variable(place=owner.target.public_id, name=name, secret=secret, changed_by=actor, changed_at=timezone.now())
    setattr(row, owner.level, owner.target)
    _set_use(row, used_for or ("setup" if secret else "commands"), place, is_new=True)
    check_name(name, in_commands=row.used_for != REQUESTS)
    _set_value(row, value)
    with _unique_name(name), sqlite_write_lock(), transaction.atomic():
        _require_room(row)
        row.save(force_insert=True)
        _audit(actor, row, "variable.created")
    return row


def change_variable(
    *,
    actor: User,
    variable: Variable,
    name: str | None = None,
    value: str | None = None,
    used_for: UsedFor | None = None,
    place: RequestPlace | None = None,
    check_version: Callable[[Variable], None] = lambda _row: None,
) -> Variable:
    """Rename a variable, or replace its value or its use; None keeps the stored value. `check_version` is called with
    the locked row. The use of a secret cannot change from requests to programs, or vice versa.

    Raises the errors of `create_variable`, and Missing if the variable was removed meanwhile.
    """
    owner_of(variable).require_edit(actor)
    with _unique_name(name or variable.name), sqlite_write_lock(), transaction.atomic():
        row = Variable.objects.select_for_update().filter(pk=variable.pk).first()
        if row is None:
            raise Missing("This variable no longer exists.")
        check_version(row)
        news = (("name", name), ("value", value), ("used_for", used_for), ("place", place))
        given = {key: new for key, new in news if new is not None}
        _apply(row, given)
        row.version, row.changed_by, row.changed_at = row.version + 1, actor, timezone.now()
        row.save()
        _audit(actor, row, "variable.changed", changed=sorted(given))
    return row


def remove_variable(*, actor: User, variable: Variable) -> None:
    """Delete a variable. Commands that start later do not get it."""
    owner_of(variable).require_edit(actor)
    with sqlite_write_lock(), transaction.atomic():
        if not Variable.objects.filter(pk=variable.pk).delete()[0]:
            raise Missing("This variable no longer exists.")
        _audit(actor, variable, "variable.removed")


def _apply(row: Variable, given: Mapping[str, Any]) -> None:
    if "used_for" in given or "place" in given:
        _set_use(row, given.get("used_for", row.used_for), given.get("place"))
    if "name" in given:
        check_name(given["name"], in_commands=row.used_for != REQUESTS)
        row.name = given["name"]
    if "value" in given:
        _set_value(row, given["value"])
    if given.keys() & {"value", "place"}:
        _require_room(row)


def _set_use(row: Variable, used_for: UsedFor, place: RequestPlace | None, *, is_new: bool = False) -> None:
    """Set what a variable is used for, and where it is added to requests. Raises BadInput, and NotAllowed if a policy
    forbids this use."""
    if used_for != "commands" and not row.secret:
        raise BadInput("Only a secret variable has a use of its own.", fields={"used_for": "only for secrets"})
    if not is_new and (used_for == REQUESTS) != (row.used_for == REQUESTS):
        raise BadInput(
            "The value of this secret is encrypted for another process.",
            hint="Remove the variable, and create it again with its value.",
            fields={"used_for": "cannot be changed to this"},
        )
    if row.secret and used_for == "commands":
        require_commands_may_get_secrets(row)
    if used_for == REQUESTS:
        checked = (place or RequestPlace(row.hosts, added_as_of(row), row.added_name)).checked()
        row.hosts, row.added_as, row.added_name = list(checked.hosts), checked.added_as, checked.added_name
    elif place is not None:
        raise BadInput(
            "Hosts can be named only for a secret that is added to requests.", fields={"hosts": "not for this use"}
        )
    row.used_for = used_for


def _set_value(row: Variable, value: str) -> None:
    check_value(value, secret=row.secret)
    if row.used_for == REQUESTS:
        if problem := value_problem(value, added_as_of(row)):
            raise BadInput(f"The value is not valid: {problem}.", fields={"value": problem})
        row.sealed_for_door = DOOR.seal(value)
    elif row.secret:
        row.former, row.sealed = row.sealed, VARIABLES.seal(value)
    else:
        row.value = value


def _require_room(row: Variable) -> None:
    """Raise BadInput if, with this variable, the owner would have too many variables, or the total size of the
    variables would exceed its limit."""
    rows = list(Variable.objects.filter(place=row.place).exclude(pk=row.pk))
    if row.used_for == REQUESTS:
        require_free_place(row, (each for each in rows if each.used_for == REQUESTS))
    others = [_texts(each) for each in rows]
    if len(others) >= MAX_VARIABLES:
        raise BadInput(f"At most {MAX_VARIABLES} variables can be set here.", hint="Remove a variable first.")
    if sum(len("".join(texts).encode()) for texts in (*others, _texts(row))) > MAX_TOTAL_BYTES:
        raise BadInput(
            f"All variables set here can have at most {MAX_TOTAL_BYTES // 1024} KiB together.",
            hint="Remove a variable, or put long texts into a file.",
            fields={"value": "too long"},
        )


def _texts(row: Variable) -> tuple[str, ...]:
    return row.name, row.value, row.sealed, row.sealed_for_door


@contextmanager
def _unique_name(name: str) -> Iterator[None]:
    try:
        yield
    except IntegrityError:
        raise Stale(
            f"There is already a variable '{name}' here.",
            code=ErrorCode.VARIABLE_EXISTS,
            hint="Change the existing variable.",
            fields={"name": "already used here"},
        ) from None


def _audit(actor: User, row: Variable, action: str, **data: Any) -> None:
    """Record a change of a variable in the audit log, without the value. Changes of a person's own variables are
    recorded in the site's log."""
    owner = owner_of(row)
    audit.record(
        team_id=owner.team_id,
        actor=actor,
        action=action,
        subject=row.public_id,
        data={"name": row.name, "level": owner.level, "secret": row.secret, **_use_of(row), **data},
        project_id=row.project_id,
    )


def _use_of(row: Variable) -> dict[str, Any]:
    if not row.secret:
        return {}
    return {"used_for": row.used_for, **({"hosts": row.hosts} if row.used_for == REQUESTS else {})}
