"""The self-check program: it is started like a command, and verifies what commands in this sandbox can do.

python3 -I -S .../runner/selfcheck.py [--remapped] [--host-kernel RELEASE]

It prints one line for each check (see `encode`). It runs at every cold start, so it imports very little: typing,
dataclasses, enum, json and subprocess would each take half as long as all the checks.

It runs as the tool user and opens files by name, as any command may. Of the self-check's modules the runner itself
imports only `selfcheck_common`.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator

from . import selfcheck_commands, selfcheck_mounts, selfcheck_privileges
from .selfcheck_common import KERNEL_LINE, RUNTIME_LINE, Finding, HostFacts


def main(arguments: list[str]) -> None:
    """Run all checks and print one line for each."""
    release = os.uname().release
    host_kernel = arguments[arguments.index("--host-kernel") + 1] if "--host-kernel" in arguments else ""
    own_kernel = bool(host_kernel) and host_kernel != release
    host = HostFacts(own_kernel=own_kernel, remapped="--remapped" in arguments)
    kind = selfcheck_mounts.kernel_kind(own_kernel=own_kernel)
    lines = [encode(KERNEL_LINE, True, f"{release} ({kind})" if kind else release), encode(RUNTIME_LINE, True, kind)]
    lines += [encode(*finding) for finding in run_checks(host)]
    os.write(1, "".join(lines).encode("utf-8", "backslashreplace"))


def run_checks(host: HostFacts) -> Iterator[Finding]:
    """Run all checks. The commands whose output is checked run at the same time.

    Creating a user namespace changes this process's identity, so that check comes last.
    """
    commands = selfcheck_commands.start_all()
    for section in (
        selfcheck_privileges.user_and_capabilities,
        selfcheck_privileges.system_calls,
        selfcheck_mounts.mounts_and_devices,
    ):
        yield from errors_as_findings(section, host)
    yield from selfcheck_commands.files_and_processes()
    yield from selfcheck_commands.outcomes(commands)
    selfcheck_commands.remove_scratch()
    yield from errors_as_findings(selfcheck_privileges.user_namespaces, host)


def errors_as_findings(section: Callable[[HostFacts], Iterable[Finding]], host: HostFacts) -> Iterator[Finding]:
    """Run a section of checks. An error that it raises is reported as a failed finding."""
    try:
        yield from section(host)
    except (OSError, ValueError, LookupError) as error:
        yield section.__name__.replace("_", " "), False, f"could not be checked: {error}"


def encode(name: str, passed: bool, found: str) -> str:
    """Return the line for a finding: name, yes or no, and text, separated by tabs."""
    words = " ".join(found.split())
    return f"{name}\t{'yes' if passed else 'no'}\t{words}\n"


if __name__ == "__main__":
    main(sys.argv[1:])
