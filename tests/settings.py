"""Settings of the test run: the site's own settings, with a state directory that is removed when the process ends.

`AGENTSITE_TEST_DB=postgres` runs the same tests on PostgreSQL instead of SQLite.
"""

import atexit
import os
import shutil
from pathlib import Path

from nacl.encoding import URLSafeBase64Encoder
from nacl.public import PrivateKey

STARTED = "AGENTSITE_TEST_POSTGRES"
_ROOT = Path(__file__).resolve().parent.parent / "var" / "test"


def _remove_leftovers() -> None:
    """Remove the state of killed test runs: directories named after processes that no longer exist."""
    for directory in _ROOT.glob("*"):
        if directory.name.isdigit() and not Path("/proc", directory.name).exists():
            shutil.rmtree(directory, ignore_errors=True)


def _prepare_environment() -> Path:
    """Replace the developer's own settings in the environment; return the state directory."""
    from agentsite.base.environment import VARIABLES

    for variable in VARIABLES:
        if variable.name != "DOCKER_HOST":
            os.environ.pop(variable.name, None)
    state = _ROOT / str(os.getpid())
    os.environ.update(AGENTSITE_ROLE="test", AGENTSITE_STATE=str(state), AGENTSITE_LOG_LEVEL="WARNING")
    for pair in ("SEALING", "VARIABLES", "DOOR"):
        private = PrivateKey.generate()
        os.environ[f"{pair}_PUBLIC_KEY"] = private.public_key.encode(URLSafeBase64Encoder).decode()
        os.environ[f"{pair}_PRIVATE_KEYS"] = private.encode(URLSafeBase64Encoder).decode()
    atexit.register(shutil.rmtree, state, ignore_errors=True)
    return state


def _postgres_of_this_run() -> str:
    """Return the address of the run's database server. The first process starts it; its child processes inherit the
    address."""
    if STARTED not in os.environ:
        from tests.support.postgres import start_postgres

        os.environ[STARTED] = start_postgres(forgets=True)
    return os.environ[STARTED]


_remove_leftovers()
_STATE = _prepare_environment()
if os.environ.get("AGENTSITE_TEST_DB") == "postgres":
    os.environ["DATABASE_URL"] = _postgres_of_this_run()

from agentsite.settings import *  # noqa: E402, F403
from agentsite.settings import DATABASES, EMBEDDED_DATABASE  # noqa: E402

if EMBEDDED_DATABASE:
    DATABASES["default"]["TEST"] = {"NAME": str(_STATE / "test.sqlite3")}
    DATABASES["default"]["OPTIONS"]["init_command"] += "; PRAGMA synchronous=OFF"  # nothing here outlives the machine
else:
    DATABASES["default"]["TEST"] = {"NAME": "test"}
    # A thread that ends after its test may not use the database any more, and keeps its connection: about thirty in a
    # run of all tests. The server allows 100 to all processes.
    DATABASES["default"]["OPTIONS"]["pool"]["max_size"] = 44
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
ALLOWED_HOSTS = ["testserver", "localhost", "127.0.0.1"]
ARCHIVE_AFTER_TURNS = False  # tests that are about copies switch it on
