"""The environment of commands: the variables that the sandbox sets, and the variables that its image declares."""

from collections.abc import Mapping
from typing import Final

from .door import FEW_RETRIES

SHELL: Final = "/bin/bash"
FIRST: Final = "/home/agent/.local/bin:/opt/agentsite/bin"
"""The first folders in PATH of commands: programs that the tool user has installed, and git with the hooks of the
image."""
BASE_ENVIRONMENT: Final = {
    "PATH": f"{FIRST}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "USER": "agent",
    "LOGNAME": "agent",
    "SHELL": SHELL,
    "LC_CTYPE": "C.UTF-8",
    "TERM": "dumb",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "PYTHONUNBUFFERED": "1",
    **FEW_RETRIES,
}
NOT_ITS: Final = frozenset({"HOME", "HOSTNAME", *BASE_ENVIRONMENT} - {"PATH"})
"""Variables of the main process that do not count as declared by the image."""


def environment_of_image(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that the image declares (ENV), taken from the variables of the container's main process.

    PATH begins as in `BASE_ENVIRONMENT`.
    """
    own = {name: value for name, value in variables.items() if not name.startswith("SANDBOX_") and name not in NOT_ITS}
    path = variables.get("PATH", "")
    return own | ({"PATH": f"{FIRST}:{path}"} if path else {})
