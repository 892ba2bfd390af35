"""The database of a test process: copied from a cached database if there is one, and emptied between tests.

Migrations take seconds in each test process, and Django's own `flush` takes longer than many tests: it deletes from
every table, and then recreates the permissions of all models, which tests never change.
"""

import fcntl
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Literal

import django
from django.apps import apps
from django.db import connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

REPOSITORY: Final = Path(__file__).resolve().parent.parent.parent
COPIES: Final = REPOSITORY / "var" / "test" / "databases"
KEPT_TABLES: Final = frozenset({"django_content_type", "auth_permission"})
"""Tables that migrations fill and tests do not change."""


def migrated_copy(kind: Literal["sqlite3", "sql"] = "sqlite3") -> Path:
    """Return the path of the cached database for the current migrations: a SQLite file, or a dump from PostgreSQL."""
    digest = hashlib.sha256(django.__version__.encode())
    for name, content in sorted((path.name.encode(), path.read_bytes()) for path in _migrations()):
        digest.update(name + content)
    return COPIES / f"{digest.hexdigest()[:24]}.{kind}"


def _migrations() -> Iterator[Path]:
    for config in apps.get_app_configs():
        yield from (Path(config.path) / "migrations").glob("*.py")


@contextmanager
def one_migrates() -> Iterator[None]:
    """Hold the lock of the cached databases, so that one of several processes migrates and the others copy its
    database."""
    COPIES.mkdir(parents=True, exist_ok=True)
    with (COPIES / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def take_copy(database: Path) -> bool:
    """Copy the cached migrated database to `database`. Return False if there is no cached database."""
    if not (copy := migrated_copy()).exists():
        return False
    shutil.copyfile(copy, database)
    return True


def keep_copy(connection: BaseDatabaseWrapper) -> None:
    """Cache a newly migrated database for the next process."""

    def write(file: Path) -> None:
        with connection.cursor() as cursor:
            cursor.execute("VACUUM INTO %s", [str(file)])

    keep_as(migrated_copy(), write)


def keep_as(copy: Path, write: Callable[[Path], None]) -> None:
    """Create a migrated database's file with `write` unless it exists, and delete the files of other migrations."""
    if copy.exists():
        return
    COPIES.mkdir(parents=True, exist_ok=True)
    half_made = copy.with_suffix(f".{os.getpid()}")
    write(half_made)
    half_made.rename(copy)
    for other in COPIES.glob(f"*{copy.suffix}"):
        if other != copy:
            other.unlink(missing_ok=True)


def empty(connection: BaseDatabaseWrapper) -> None:
    """Delete all rows that tests may have written. The tables are emptied in any order, since at the end no row is left
    that could refer to a deleted row."""
    quote = connection.ops.quote_name
    names = set(connection.introspection.django_table_names(only_existing=False, include_views=False)) - KEPT_TABLES
    asked = " UNION ALL ".join(f"SELECT '{name}' WHERE EXISTS (SELECT 1 FROM {quote(name)})" for name in sorted(names))
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        cursor.execute(asked)
        filled = [name for (name,) in cursor.fetchall()]
        if filled and connection.vendor == "postgresql":
            cursor.execute("SET LOCAL session_replication_role = replica")
        for name in filled:
            cursor.execute(f"DELETE FROM {quote(name)}")


def empty_at_the_end(test: Any) -> None:
    """Empty the databases after a test that commits, in place of `flush`."""
    for alias in test.databases:
        empty(connections[alias])
