"""Revisions: one number that shows whether a session's configuration has changed.

Agents, policies, model choices, providers and grants change once a week and are needed in every step. Database triggers
increment a counter of the site, team, workspace or session in the transaction of each such change, whether it is made
with the ORM, in bulk, or in SQL. A step reads the sum of the counters that concern its session together with the
session's row. Values that were derived from the configuration are valid as long as the sum is the same.

Each app declares the tables that matter with `watch`. The triggers are created after each `migrate`, because SQLite
drops them when a migration rebuilds a table.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db import connections, models
from django.db.backends.base.base import BaseDatabaseWrapper

SITE: Final = "site"
ROWS: Final = {"insert": "NEW", "update": "NEW", "delete": "OLD"}
"""The name of the row that a trigger reads, for each event."""


@dataclass(frozen=True, slots=True)
class WatchedTable:
    """A table whose changes increment a revision."""

    name: str
    keys: Sequence[str]
    """Columns with the id of the session, workspace, team, project or person. A change increments the revision of the
    first id that is not NULL, for a project that of its team; if all are NULL, that of the site."""
    columns: Sequence[str] = ()
    """Set if each row has a revision of its own: only updates of these columns increment that revision, and it is
    deleted together with the row."""


_watched: dict[str, WatchedTable] = {}


def watch(model: type[models.Model], *keys: str) -> None:
    """Register a table: each inserted, updated or deleted row increments the revision of its session, team, person or
    site."""
    _watched[_table(model)] = WatchedTable(_table(model), keys)


def watch_own(model: type[models.Model], columns: Sequence[str]) -> None:
    """Register a table whose rows have revisions of their own: an update of one of the `columns` increments the row's
    revision."""
    _watched[_table(model)] = WatchedTable(_table(model), ("id",), columns)


def _table(model: type[models.Model]) -> str:
    return model._meta.db_table  # noqa: SLF001 - public in spite of its name, see Django's documentation


def create_triggers(using: str, **_: Any) -> None:
    """Create the triggers of all watched tables again. If the table of revisions does not exist, because a migration
    was reversed, only drop them. Receiver of `post_migrate`."""
    connection = connections[using]
    tables = set(connection.introspection.table_names())
    can_count = "tenancy_revision" in tables
    with connection.cursor() as cursor:
        for table in _watched.values():
            if table.name in tables:
                for statement in _statements(table, connection, create=can_count):
                    cursor.execute(statement)


def revision_sql(connection: BaseDatabaseWrapper, *keys: str) -> str:
    """Return an SQL expression for a session's revision: the sum of the site's counter and the counters of `keys`.

    Each of `keys` is an SQL expression whose value is an id, such as the id of a team. The sum never decreases.
    """
    ids = ", ".join([f"'{SITE}'", *(_hex(key, connection) for key in keys)])
    return f"(SELECT COALESCE(SUM(number), 0) FROM tenancy_revision WHERE key IN ({ids}))"  # noqa: S608 - names of columns


def _statements(table: WatchedTable, connection: BaseDatabaseWrapper, *, create: bool) -> list[str]:
    make = _postgres_trigger if connection.vendor == "postgresql" else _sqlite_trigger
    statements = []
    for event, action in _actions(table, connection).items():
        name = f"revision_{table.name}_{event}"
        drop, *creation = make(name, table, event, action)
        statements += [drop, *(creation if create and action else ())]
    return statements


def _actions(table: WatchedTable, connection: BaseDatabaseWrapper) -> dict[str, str]:
    """Return the SQL that a trigger executes for each event of a row; "" for an event without a trigger."""
    if table.columns:
        forget = f"DELETE FROM tenancy_revision WHERE key = {_hex('OLD.id', connection)}"  # noqa: S608 - a name
        return {"insert": "", "update": _increment(table, "NEW", connection), "delete": forget}
    return {event: _increment(table, row, connection) for event, row in ROWS.items()}


def _increment(table: WatchedTable, row: str, connection: BaseDatabaseWrapper) -> str:
    return (
        f"INSERT INTO tenancy_revision (key, number) VALUES ({_key_of(table, row, connection)}, 1) "  # noqa: S608 - names
        "ON CONFLICT (key) DO UPDATE SET number = tenancy_revision.number + 1"
    )


def _event(table: WatchedTable, event: str) -> str:
    is_limited = event == "update" and table.columns
    return f"UPDATE OF {', '.join(table.columns)}" if is_limited else event.upper()


def _sqlite_trigger(name: str, table: WatchedTable, event: str, action: str) -> list[str]:
    return [
        f"DROP TRIGGER IF EXISTS {name}",
        f"CREATE TRIGGER {name} AFTER {_event(table, event)} ON {table.name} BEGIN {action}; END",
    ]


def _postgres_trigger(name: str, table: WatchedTable, event: str, action: str) -> list[str]:
    return [
        f"DROP TRIGGER IF EXISTS {name} ON {table.name}",
        f"CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN {action}; RETURN NULL; END$$",
        f"CREATE TRIGGER {name} AFTER {_event(table, event)} ON {table.name} FOR EACH ROW EXECUTE FUNCTION {name}()",
    ]


def _key_of(table: WatchedTable, row: str, connection: BaseDatabaseWrapper) -> str:
    found = [_team_of_project(row) if column == "project_id" else f"{row}.{column}" for column in table.keys]
    return f"COALESCE({', '.join([*(_hex(each, connection) for each in found), repr(SITE)])})"


def _team_of_project(row: str) -> str:
    return f"(SELECT team_id FROM tenancy_project WHERE id = {row}.project_id)"  # noqa: S608 - a name


def _hex(expression: str, connection: BaseDatabaseWrapper) -> str:
    """Return the SQL expression for an id as 32 hexadecimal digits, the form in which SQLite stores it."""
    return f"REPLACE(({expression})::text, '-', '')" if connection.vendor == "postgresql" else expression
