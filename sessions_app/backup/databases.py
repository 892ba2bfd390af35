"""Dump the database into one consistent file while the site runs, and load it into an empty database."""

import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Final

from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from agentsite.base.environment import environment_for_child
from agentsite.tenancy.models import User
from sessions_app.backup.problems import BackupProblem

NAMES: Final = {"sqlite": "database.sqlite3", "postgresql": "database.dump"}
PAGES_PER_COPY_STEP: Final = 2000
"""Database pages copied in one step; other connections can write between steps."""


def file_name() -> str:
    return NAMES[connection.vendor]


def dump(folder: Path) -> Path:
    target = folder / file_name()
    if connection.vendor == "sqlite":
        _copy_sqlite(target)
    else:
        _run_postgres("pg_dump", "--format=custom", "--no-owner", "--no-privileges", f"--file={target}")
    target.chmod(0o600)
    return target


def load(folder: Path) -> None:
    """Load the dump into the site's database, which must have no users. Its tables are replaced."""
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        with closing(sqlite3.connect(f"file:{folder / file_name()}?mode=ro", uri=True)) as source:
            source.backup(connection.connection)
        return
    arguments = ("--clean", "--if-exists", "--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction")
    _run_postgres("pg_restore", *arguments, f"--dbname={connection.settings_dict['NAME']}", str(folder / file_name()))


def applied_migrations() -> list[str]:
    return sorted(f"{app}.{name}" for app, name in MigrationRecorder(connection).applied_migrations())


def has_people() -> bool:
    is_migrated = "tenancy_user" in connection.introspection.table_names()
    return is_migrated and User.objects.exists()


def _copy_sqlite(target: Path) -> None:
    connection.ensure_connection()
    target.unlink(missing_ok=True)
    with closing(sqlite3.connect(target)) as copy:
        connection.connection.backup(copy, pages=PAGES_PER_COPY_STEP, sleep=0.01)
        copy.execute("PRAGMA journal_mode=DELETE")


def _run_postgres(program: str, *arguments: str) -> None:
    """Run a PostgreSQL client program, which must have the server's version or a newer one."""
    if shutil.which(program) is None:
        raise BackupProblem(f"{program} is not installed here. Install PostgreSQL's client programs.")
    to = connection.settings_dict
    places = {"PGHOST": to["HOST"], "PGPORT": str(to["PORT"] or ""), "PGUSER": to["USER"], "PGPASSWORD": to["PASSWORD"]}
    environment = environment_for_child({name: value for name, value in places.items() if value})
    named = (f"--dbname={to['NAME']}",) if program == "pg_dump" else ()
    done = subprocess.run([program, *named, *arguments], env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BackupProblem(f"{program} failed: {done.stderr.strip()[-1000:]}")
