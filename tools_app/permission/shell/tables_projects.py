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

_COMPILER: Final = spec(
    "", "-wrapper! -specs! --specs! -B! -fplugin! -Xclang! -fuse-ld! -o> -I/ -L/ -include<", strict=False, one_dash=True
)

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
    **dict.fromkeys(
        (
            "gcc",
            "g++",
            "cc",
            "c++",
            "clang",
            "clang++",
            "c89",
            "c99",
            "c89-gcc",
            "c99-gcc",
            "cpp",
            "cpp-12",
            "gcc-12",
            "musl-gcc",
            "x86_64-linux-gnu-gcc",
            "x86_64-linux-gnu-gcc-12",
            "x86_64-linux-musl-gcc",
        ),
        _COMPILER,
    ),
    **dict.fromkeys(("ld", "ld.bfd", "ld.gold", "gold"), _LINKER),
    **dict.fromkeys(
        ("apt", "apt-get", "apt-cache", "apt-config"), spec("", "-o! --option! -c! --config-file!", strict=False)
    ),
    "dpkg": spec("", "--pre-invoke! --post-invoke! --root/ --instdir/ --admindir/", strict=False),
}
