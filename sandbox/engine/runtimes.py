"""The OCI runtimes beside runc that a private engine offers: those that are installed, with what they need.

Offering one says nothing of its worth: the self-check of each sandbox does.
"""

import shutil
from collections.abc import Mapping
from typing import Any, Final

KNOWN: Final[Mapping[str, tuple[str, ...]]] = {
    "runsc": ("--network=none", "--host-uds=all"),
    "kata-runtime": (),
    "crun": (),
}
"""gVisor: no network stack beyond loopback (its own would want the host's interfaces), and the runner's socket, which
is made inside and connected to from outside."""


def installed_runtimes() -> dict[str, dict[str, Any]]:
    """As a daemon's configuration wants them."""
    found = ((name, shutil.which(name), arguments) for name, arguments in KNOWN.items())
    return {name: {"path": path, "runtimeArgs": list(arguments)} for name, path, arguments in found if path}
