"""Change rows of a running site on SQLite from a separate process."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.running_site import REPOSITORY, RunningSite


def fill_session_of(site: RunningSite, session_id: str, *, turns: int, steps: int) -> None:
    """Fill a session of the site with a long conversation: see `tests.support.long_session`."""
    code = (
        "from sessions_app.models import Session; from tests.support.long_session import fill_session; "
        f"row = Session.objects.select_related('created_by').by_public_id({session_id!r}); "
        f"fill_session(row, turns={turns}, steps={steps})"
    )
    _run(site, code)


@contextmanager
def operator_of(site: RunningSite, email: str) -> Iterator[None]:
    """Make a person an operator of the site during the block."""
    code = f"from agentsite.tenancy.models import User; User.objects.filter(email={email!r}).update(is_staff="
    _run(site, f"{code}True)")
    try:
        yield
    finally:
        _run(site, f"{code}False)")


def _run(site: RunningSite, code: str) -> None:
    """Run Python code in `manage.py shell` of the site."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AGENTSITE_", "DATABASE_"))}
    own = {
        "AGENTSITE_STATE": str(site.state),
        "AGENTSITE_ROLE": "manage",
        "DJANGO_SETTINGS_MODULE": "agentsite.settings",
    }
    command = [sys.executable, "manage.py", "shell", "--verbosity", "0", "-c", code]
    subprocess.run(command, env={**kept, **own}, cwd=REPOSITORY, check=True)
