"""The squashed migration creates the same tables as the migrations that it replaces."""

import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.integration.backup.conftest import Place

HALF_WAY = "0050_configuration"
ONE_BY_ONE = f"""
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
executor = MigrationExecutor(connection)
executor.loader.replace_migrations = False
executor.loader.build_graph()
executor.migrate([("sessions_app", "{HALF_WAY}")])
"""


def tables_of(database: Path) -> dict[tuple[str, str], Any]:
    """Return the definition of each table, index and trigger, independent of the order of columns."""
    with sqlite3.connect(database) as connection:
        rows = connection.execute("SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'").fetchall()
        return {(kind, name): _described(connection, kind, name, sql or "") for kind, name, sql in rows}


def _described(connection: sqlite3.Connection, kind: str, name: str, sql: str) -> Any:
    if kind != "table" or "VIRTUAL" in sql:
        return re.sub(r"\s+", " ", sql)
    columns = {row[1:] for row in connection.execute(f"PRAGMA table_info('{name}')")}
    keys = {row[2:7] for row in connection.execute(f"PRAGMA foreign_key_list('{name}')")}
    return columns, keys, sorted(re.findall(r'CONSTRAINT "[^"]+"|CHECK \([^)]*\)|UNIQUE', sql))


@pytest.mark.full
def test_a_new_database_is_as_one_that_was_updated_step_by_step(tmp_path: Path) -> None:
    new, old = Place(tmp_path / "new"), Place(tmp_path / "old")
    new.manage("migrate", "-v", "0")
    old.manage("shell", "-c", ONE_BY_ONE)
    assert "sessions_app_fetchedskill" not in {name for _, name in tables_of(old.state / "db.sqlite3")}
    old.manage("migrate", "-v", "0")
    made, updated = tables_of(new.state / "db.sqlite3"), tables_of(old.state / "db.sqlite3")
    assert len(made) > 300
    assert made == updated
    assert "No changes detected" in old.manage("makemigrations", "--check", "--dry-run")
