"""Argument tables for test runners, linters and build tools, which run the project's own code.

Options that go beyond that are marked: they contain code, name a program or library to load, or write files. Sources:
the manuals of the tools.
"""

from collections.abc import Mapping
from typing import Final

from tools_app.permission.shell.specs import ArgumentSpec, spec
from tools_app.permission.shell.tables_builds import BUILDS
from tools_app.permission.shell.tables_node import NODE
from tools_app.permission.shell.tables_python import PYTHON

_LINKER: Final = spec(
    "",
    "-plugin! --plugin! -o> --output> -Map> --Map> --dependency-file> --out-implib> --output-def> -T< --script<"
    " -dT< --default-script< --version-script< --dynamic-list<",
    strict=False,
)

PROJECT: Final[Mapping[str, ArgumentSpec]] = {
    **PYTHON,
    **NODE,
    **BUILDS,
    **dict.fromkeys(("ld", "ld.bfd", "ld.gold", "gold"), _LINKER),
    "as": spec("", "-o> --MD> -I/", strict=False),
    **dict.fromkeys(
        ("apt", "apt-get", "apt-cache", "apt-config"), spec("", "-o! --option! -c! --config-file!", strict=False)
    ),
    "dpkg": spec("", "--pre-invoke! --post-invoke! --root/ --instdir/ --admindir/", strict=False),
}
