"""The variables that commands get: the variables of the team, the project and the person who started the turn."""

import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import structlog
from django.db import IntegrityError
from django.db.models import Q
from django.utils import timezone

from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy.key_pairs import CannotUnseal
from agentsite.tenancy.models import Project
from agentsite.tenancy.variable_encryption import VARIABLES
from sessions_app.models import Session, Turn, Variable, VariableUse
from sessions_app.revisions import per_revision
from sessions_app.variables.uses import REQUESTS
from tools_app.masking import NO_MASKS, Masks
from tools_app.policies.current import current_policies

Stage = Literal["setup", "work"]

USE_NOTED_EVERY: Final = 300.0  # seconds, for each variable and workspace in one process
MAX_NOTED: Final = 20_000  # uses remembered in one process

_noted: dict[tuple[uuid.UUID, uuid.UUID], float] = {}

logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class GivenVariables:
    """The variables for the environment of commands: their names and values, and the ids of the database rows that
    contain them."""

    values: Mapping[str, str] = field(default_factory=dict)
    rows: tuple[uuid.UUID, ...] = ()
    masks: Masks = NO_MASKS
    """Replaces the secrets of the team and the project in texts, whether commands get them or not. Those that the door
    adds to requests are not among them: only the door can read these."""


def variables_of_call(session: Session, turn: Turn, person_revision: int) -> GivenVariables:
    """Return the variables for commands of a turn. Reads `session.project`.

    Variables of the person who started the turn are included unless somebody else has also sent a prompt in it.
    `person_revision` is the revision of that person's variables, loaded with the turn.
    """
    alone = turn.payer_id in (None, turn.started_by_id)
    return _of_session(session, turn.started_by_id if alone else None, person_revision)


@per_revision
def _of_session(session: Session, person_id: uuid.UUID | None, _person_revision: int) -> GivenVariables:
    return given_variables(project_id=session.project_id, team_id=session.project.team_id, person_id=person_id)


def readable_variables(*, team_id: uuid.UUID, project_id: uuid.UUID) -> dict[str, str | None]:
    """Return the values of a team's and a project's variables by name, for texts that people can read: the value of a
    secret is None. The project's variable wins over the team's."""
    rows = Variable.objects.filter(Q(team=team_id) | Q(project=project_id)).order_by("id")
    return {row.name: None if row.secret else row.value for row in sorted(rows, key=_nearness)}


def given_variables(
    *, team_id: uuid.UUID, project_id: uuid.UUID, person_id: uuid.UUID | None = None, stage: Stage = "work"
) -> GivenVariables:
    """Return the variables of a team, a project and a person. If names repeat, the person's variable wins over the
    project's, and the project's over the team's. Secrets are included in the stage `setup`; commands only get secrets
    that are meant for commands, if the policies allow it."""
    owners = Q(team=team_id) | Q(project=project_id)
    if person_id is not None:
        owners |= Q(person=person_id)
    rows = sorted(Variable.objects.filter(owners).exclude(used_for=REQUESTS).order_by("id"), key=_nearness)
    for_commands = stage == "work" and any(row.secret and _for_commands(row) for row in rows)
    allowed = for_commands and current_policies(team_id=team_id, project_id=project_id).secrets_in_commands[0]
    chosen = {row.name: row for row in rows if not row.secret or stage == "setup" or (allowed and _for_commands(row))}
    values = {name: _opened(row.sealed) if row.secret else row.value for name, row in chosen.items()}
    return GivenVariables(
        {name: value for name, value in values.items() if value is not None},
        tuple(row.pk for row in chosen.values()),
        Masks((row.name, value) for row in rows for value in map(_opened, (row.sealed, row.former)) if value),
    )


def plain_variables(*, team_id: uuid.UUID, project_id: uuid.UUID) -> dict[str, str]:
    """Return the variables of a team and a project that are not secret, except variables for requests. The project's
    variable wins over the team's."""
    rows = Variable.objects.filter(Q(team=team_id) | Q(project=project_id), secret=False).exclude(used_for=REQUESTS)
    return {row.name: row.value for row in sorted(rows.order_by("id"), key=_nearness)}


def _for_commands(row: Variable) -> bool:
    return bool(row.used_for == Variable.UsedFor.COMMANDS)


def masks_of(project: Project) -> Masks:
    """Return the masks that hide the secrets of a project and its team."""
    return given_variables(team_id=project.team_id, project_id=project.pk).masks


def _opened(sealed: str) -> str | None:
    """Return the text of a secret; None if there is none or this process cannot decrypt it."""
    if not sealed:
        return None
    try:
        return VARIABLES.unseal(sealed)
    except CannotUnseal:
        logger.error("secret_variable_unreadable")
        return None


def uses_to_note(given: GivenVariables, workspace_id: uuid.UUID) -> list[uuid.UUID]:
    """Return the ids of the variables whose use in a workspace this process has not stored for `USE_NOTED_EVERY`
    seconds."""
    oldest = time.monotonic() - USE_NOTED_EVERY
    return [row for row in given.rows if _noted.get((row, workspace_id), oldest) <= oldest]


def note_use(variables: Sequence[uuid.UUID], workspace_id: uuid.UUID) -> None:
    """Store that commands of a workspace get these variables now, for the record of each variable's use."""
    uses = [VariableUse(variable_id=row, workspace_id=workspace_id, used_at=timezone.now()) for row in variables]
    columns: dict[str, Any] = {"unique_fields": ["variable", "workspace"], "update_fields": ["used_at"]}
    try:
        with sqlite_write_lock():
            VariableUse.objects.bulk_create(uses, update_conflicts=True, **columns)
    except IntegrityError:  # a variable or the workspace was removed meanwhile
        logger.info("use_not_noted", workspace=str(workspace_id))
        return
    if len(_noted) > MAX_NOTED:
        _noted.clear()
    _noted.update({(row, workspace_id): time.monotonic() for row in variables})


def _nearness(row: Variable) -> int:
    if row.person_id is not None:
        return 2
    return 1 if row.project_id is not None else 0
