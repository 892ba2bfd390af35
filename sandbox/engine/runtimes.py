"""The installed OCI runtimes, which a private engine offers in addition to runc.

Offering a runtime does not mean that it is safe: that is decided by the self-check of each sandbox.
"""

import shutil
from collections.abc import Mapping
from typing import Any, Final

RUNTIME_ARGUMENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "runsc": ("--network=none", "--host-uds=all"),
    "kata-runtime": (),
    "crun": (),
}
"""Command-line arguments of each runtime.

gVisor (runsc) gets only a loopback network, because its own network stack would need the host's interfaces. It
may create unix sockets that are visible outside, because the runner's socket is one.
"""


def installed_runtimes() -> dict[str, dict[str, Any]]:
    """Return the container runtimes of `RUNTIME_ARGUMENTS` that this machine has, in the format of dockerd's
    configuration."""
    found = ((name, shutil.which(name), arguments) for name, arguments in RUNTIME_ARGUMENTS.items())
    return {name: {"path": path, "runtimeArgs": list(arguments)} for name, path, arguments in found if path}
