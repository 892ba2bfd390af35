"""The database of a test process on PostgreSQL: cloned from a template, which is created from a cached dump.

Each run has its own server, so the template is created once in each run; the dump is cached for later runs.
"""

import os
import subprocess
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

from tests.support.own_database import keep_as, migrated_copy
from tests.support.postgres import postgres_programs

TEMPLATE: Final = "migrated"


def take_clone(name: str) -> bool:
    """Create the migrated database `name` from the template. Return False if there is neither a template nor a dump.

    One process at a time may call this; the first one creates the template.
    """
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as server:
        if not server.execute("SELECT 1 FROM pg_database WHERE datname = %s", [TEMPLATE]).fetchone():
            if not (dump := migrated_copy("sql")).exists():
                return False
            server.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(TEMPLATE)))
            _run(
                "psql",
                "--quiet",
                "--no-psqlrc",
                "--set=ON_ERROR_STOP=1",
                f"--file={dump}",
                f"--dbname={_url(TEMPLATE)}",
            )
        server.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), sql.Identifier(TEMPLATE)))
    return True


def keep_dump(name: str) -> None:
    """Cache a dump of a newly migrated database."""
    keep_as(migrated_copy("sql"), lambda file: _run("pg_dump", f"--file={file}", f"--dbname={_url(name)}"))


def _url(name: str) -> str:
    return urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}").geturl()


def _run(program: str, *arguments: str) -> None:
    subprocess.run([Path(postgres_programs(), program), *arguments], check=True, stdout=subprocess.DEVNULL)
