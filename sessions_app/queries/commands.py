"""The commands of a session for one person."""

from collections.abc import Mapping

from agentsite.tenancy.models import User
from sessions_app.configuration.built_in_commands import ACTIONS, PROMPTS
from sessions_app.configuration.commands import Command, commands_of
from sessions_app.configuration.merging import merge
from sessions_app.configured import in_order, row_levels, rows_of, session_levels
from sessions_app.models import Session


def session_commands(session: Session, person: User) -> Mapping[str, Command]:
    """Return the commands that a person can use in a session, by name: the site's commands and the commands of the
    session's configuration documents. Personal documents of other people are not used. Reads `session.project` and
    `session.workspace`."""
    levels = dict(session_levels(session))
    if person.pk != session.created_by_id:
        own = row_levels(rows_of(person_id=person.pk)).get("person", [])
        levels["person"] = own
    found = commands_of(merge(in_order(levels)))
    known = {command.name: command for command in PROMPTS} | found
    taken = {action.name for action in ACTIONS}
    return {name: command for name, command in sorted(known.items()) if name not in taken}
