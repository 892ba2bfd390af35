"""The variables that the system prompt describes to a model: their names and uses, not their values."""

from collections.abc import Sequence

from django.db.models import Q

from sessions_app.agent.context import ToldVariable
from sessions_app.models import Session, Variable
from sessions_app.policy import session_policies
from sessions_app.revisions import per_revision
from sessions_app.variables.uses import REQUESTS


@per_revision
def told_variables(session: Session) -> Sequence[ToldVariable]:
    """Return the variables of the session's team and project, one for each name and use, without values. Variables of
    people are left out, because another person's turn does not get them.

    This costs one database statement for each revision of the session's configuration, whether there are variables or
    not.
    """
    owners = Q(team=session.project.team_id) | Q(project=session.project_id)
    rows = list(Variable.objects.filter(owners).only("name", "secret", "used_for", "hosts", "project"))
    rows.sort(key=lambda row: (row.project_id is not None, row.name))
    nearest = {(row.name, row.used_for == REQUESTS): row for row in rows}
    allowed = any(_is_for_commands(row) for row in rows) and session_policies(session).secrets_in_commands[0]
    told = (_told(row, secrets_allowed=allowed) for row in nearest.values())
    return tuple(sorted(told, key=lambda each: (each.use, each.name)))


def _told(row: Variable, *, secrets_allowed: bool) -> ToldVariable:
    if not row.secret:
        return ToldVariable(row.name, "commands")
    if row.used_for == REQUESTS:
        return ToldVariable(row.name, "requests", tuple(row.hosts))
    return ToldVariable(row.name, "masked" if _is_for_commands(row) and secrets_allowed else "setup")


def _is_for_commands(row: Variable) -> bool:
    return row.secret and row.used_for == Variable.UsedFor.COMMANDS
