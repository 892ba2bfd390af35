"""logins_of_variable(): the machines that programs log in to because of the value of an environment variable."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from tools_app.permission.shell.login_addresses import logins_by_value
from tools_app.permission.shell.login_paths import logins_by_path
from tools_app.permission.shell.login_programs import logins_by_program
from tools_app.permission.shell.words import Field

_READ_BY: Final[Mapping[str, tuple[str, ...]]] = {
    "PARALLEL": ("parallel",), "PYTEST_ADDOPTS": ("pytest",), "TAPE": ("tar", "-f"), "BORG_REPO": ("borg",),
    "DISTCC_HOSTS": ("distcc",), "DISTCC_POTENTIAL_HOSTS": ("distcc",),
}  # fmt: skip
"""Variables, and the command behind which a program reads their words."""


def logins_of_variable(name: str, values: Iterable[str]) -> Iterator[list[Field]]:
    """Yield a command of `ssh` for each machine in the values of a variable: an address, which any program may get, or
    what a certain program reads as its words."""
    for each in values:
        yield from logins_by_value(name, each)
        if words := _READ_BY.get(name):
            reading = [Field(word) for word in (*words, *each.split())]
            yield from logins_by_program([reading])
            yield from logins_by_path([reading])
