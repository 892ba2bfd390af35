"""The self-check: what a command in this sandbox is and meets, found out by a program that is started as one.

    python3 -I -S .../runner/selfcheck.py [--remapped] [--host-kernel RELEASE]

It prints a line for each thing that it looked at (`encode`). It is part of every cold start, so it imports next to
nothing: typing, dataclasses, enum, json and subprocess would each cost as much as half of the looking.

It is run as the tool user and opens files by name, as any command may. The runner imports nothing of it but
`selfcheck_ground`.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator

from . import selfcheck_commands, selfcheck_mounts, selfcheck_privileges
from .selfcheck_common import KERNEL_LINE, RUNTIME_LINE, Finding, Ground


def main(arguments: list[str]) -> None:
    release = os.uname().release
    host_kernel = arguments[arguments.index("--host-kernel") + 1] if "--host-kernel" in arguments else ""
    own_kernel = bool(host_kernel) and host_kernel != release
    ground = Ground(own_kernel=own_kernel, remapped="--remapped" in arguments)
    kind = selfcheck_mounts.kernel_kind(own_kernel=own_kernel)
    lines = [encode(KERNEL_LINE, True, f"{release} ({kind})" if kind else release), encode(RUNTIME_LINE, True, kind)]
    lines += [encode(*finding) for finding in look(ground)]
    os.write(1, "".join(lines).encode("utf-8", "backslashreplace"))


def look(ground: Ground) -> Iterator[Finding]:
    """Commands run while the rest is looked at. Asking for a new user namespace changes who one is, so it is last."""
    commands = selfcheck_commands.start_all()
    for section in (selfcheck_privileges.who_i_am, selfcheck_privileges.doors, selfcheck_mounts.places):
        yield from careful(section, ground)
    yield from selfcheck_commands.files_and_processes()
    yield from selfcheck_commands.outcomes(commands)
    selfcheck_commands.clear_away()
    yield from careful(selfcheck_privileges.last_doors, ground)


def careful(section: Callable[[Ground], Iterable[Finding]], ground: Ground) -> Iterator[Finding]:
    """What cannot be looked at has not passed."""
    try:
        yield from section(ground)
    except (OSError, ValueError, LookupError) as error:
        yield section.__name__.replace("_", " "), False, f"could not be looked at: {error}"


def encode(name: str, passed: bool, found: str) -> str:
    words = " ".join(found.split())
    return f"{name}\t{'yes' if passed else 'no'}\t{words}\n"


if __name__ == "__main__":
    main(sys.argv[1:])
