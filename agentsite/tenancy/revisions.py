"""Revisions: one number that shows whether a session's configuration has changed.

Agents, policies, model choices, providers and grants change once a week and are needed in every step. Database triggers
increment a counter of the site, team, workspace or session in the transaction of each such change, whoever makes it and
however: with the ORM, in bulk, or in SQL. A step reads the sum of the counters that concern its session together with
the session's row, so what was derived before is valid exactly as long as the sum is the same.

Each app declares the tables that matter with `watch`. The triggers are created after each `migrate`, because SQLite
drops them when a migration rebuilds a table.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db import connections, models
from django.db.backends.base.base import BaseDatabaseWrapper

SITE: Final = "site"


@dataclass(frozen=True, slots=True)
class WatchedTable:
    """A table whose changes increment a revision."""

    name: str
    keys: Sequence[str]
    """Columns with the id of the session, workspace, team or project; the first that is not NULL counts. A project
    counts for its team. The site counts if all are NULL."""
    columns: Sequence[str]
    """The columns whose updates count; all if empty."""


_watched: dict[str, WatchedTable] = {}


def watch(model: type[models.Model], *keys: str, only: Sequence[str] = ()) -> None:
    """Increment the revision of the row's session, workspace, team or site when a row of `model` changes."""
    name = model._meta.db_table  # noqa: SLF001 - public in spite of its name, see Django's documentation
    _watched[name] = WatchedTable(name, keys, only)


def create_triggers(using: str, **_: Any) -> None:
    """Create the triggers of all watched tables anew. Receiver of `post_migrate`."""
    connection = connections[using]
    tables = set(connection.introspection.table_names())
    if "tenancy_revision" not in tables:
        return
    with connection.cursor() as cursor:
        for table in _watched.values():
            if table.name in tables:
                for statement in _statements(table, connection):
                    cursor.execute(statement)


def revision_sql(connection: BaseDatabaseWrapper, *keys: str) -> str:
    """Return the SQL of a session's revision; `keys` are SQL expressions of ids. The result only ever grows."""
    ids = ", ".join([f"'{SITE}'", *(_hex(key, connection) for key in keys)])
    return f"(SELECT COALESCE(SUM(number), 0) FROM tenancy_revision WHERE key IN ({ids}))"  # noqa: S608 - names of columns


def _statements(table: WatchedTable, connection: BaseDatabaseWrapper) -> list[str]:
    events = {"insert": ("INSERT", "NEW"), "update": (_update_event(table), "NEW"), "delete": ("DELETE", "OLD")}
    make = _postgres_trigger if connection.vendor == "postgresql" else _sqlite_trigger
    statements: list[str] = []
    for name, (event, row) in events.items():
        key = _key_of(table, row, connection)
        increment = (
            f"INSERT INTO tenancy_revision (key, number) VALUES ({key}, 1) "  # noqa: S608 - names of columns
            "ON CONFLICT (key) DO UPDATE SET number = tenancy_revision.number + 1"
        )
        statements += make(f"revision_{table.name}_{name}", table.name, event, increment)
    return statements


def _update_event(table: WatchedTable) -> str:
    return f"UPDATE OF {', '.join(table.columns)}" if table.columns else "UPDATE"


def _sqlite_trigger(name: str, table: str, event: str, increment: str) -> list[str]:
    return [
        f"DROP TRIGGER IF EXISTS {name}",
        f"CREATE TRIGGER {name} AFTER {event} ON {table} BEGIN {increment}; END",
    ]


def _postgres_trigger(name: str, table: str, event: str, increment: str) -> list[str]:
    body = f"BEGIN {increment}; RETURN NULL; END"
    return [
        f"CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $${body}$$",
        f"DROP TRIGGER IF EXISTS {name} ON {table}",
        f"CREATE TRIGGER {name} AFTER {event} ON {table} FOR EACH ROW EXECUTE FUNCTION {name}()",
    ]


def _key_of(table: WatchedTable, row: str, connection: BaseDatabaseWrapper) -> str:
    found = [_team_of_project(row) if column == "project_id" else f"{row}.{column}" for column in table.keys]
    return f"COALESCE({', '.join([*(_hex(each, connection) for each in found), repr(SITE)])})"


def _team_of_project(row: str) -> str:
    return f"(SELECT team_id FROM tenancy_project WHERE id = {row}.project_id)"  # noqa: S608 - a name


def _hex(expression: str, connection: BaseDatabaseWrapper) -> str:
    """Return the SQL of an id as 32 hexadecimal digits, which is how SQLite stores it."""
    return f"REPLACE(({expression})::text, '-', '')" if connection.vendor == "postgresql" else expression
