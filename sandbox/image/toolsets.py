"""Install programs that are added to the image: wheels and npm packages that are locked with their hashes.

A toolset is one folder of the image. It is cached as a tar, under a hash of everything that it is built from.
"""

import os
import platform
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from sandbox.errors import SandboxUnavailable
from sandbox.image.recipe import FOLDER, digest_of

PYTHON_VERSION: Final = "3.11"
"""The Python version of Debian bookworm. Wheels are chosen for it."""
INSTALL_TIMEOUT: Final = 600  # seconds


@dataclass(frozen=True, slots=True)
class Toolset:
    """Programs that become the image's folder /opt/<name>. Programs in its `bin` are linked in /usr/local/bin.

    `sandbox/image/<name>_tools` has the lock files, and the Dockerfile that adds the tar of that folder to a base
    image. `assemble` is called with `<name>_tools`, the wheels (installed in a folder of their own) and an empty
    folder, which it fills. `module` is the file that defines `assemble`. `described` completes the sentence "Adding ...
    to the sandbox image".
    """

    name: str
    described: str
    module: Path
    assemble: Callable[[Path, Path, Path], None]

    @property
    def folder(self) -> Path:
        return FOLDER / f"{self.name}_tools"

    def context_files(self) -> Mapping[str, bytes]:
        """Return the files that define the tools, by name."""
        return {path.name: path.read_bytes() for path in sorted(self.folder.iterdir()) if path.is_file()}

    def digest(self) -> str:
        """Return a hash that changes with every locked version and with the code that installs them."""
        code = [platform.machine().encode(), Path(__file__).read_bytes(), self.module.read_bytes()]
        files = [part for name, content in self.context_files().items() for part in (name.encode(), content)]
        return digest_of([*code, *files])

    def tar(self, cache: Path) -> Path:
        """Return the tar of the folder. It is cached, because building it takes about ten seconds and a download."""
        path = cache / f"agentsite-{self.name}-{self.digest()}.tar"
        if not path.exists():
            cache.mkdir(parents=True, exist_ok=True)
            with TemporaryDirectory(dir=cache, prefix=f"{self.name}-") as temporary:
                work = Path(temporary)
                _install_wheels(self.folder / "wheels.lock", work / "wheels")
                (work / "tools" / "bin").mkdir(parents=True)
                self.assemble(self.folder, work / "wheels", work / "tools")
                _pack(work / "tools", self.name, work / "tools.tar")
                (work / "tools.tar").rename(path)
        return path


def install_npm_packages(locks: Path, target: Path, node: Path) -> None:
    """Install the npm packages locked in `locks` below `target`, with the Node in the folder `node`, which comes from a
    wheel."""
    for name in ("package.json", "package-lock.json"):
        shutil.copy2(locks / name, target / name)
    options = ("--no-audit", "--no-fund", "--ignore-scripts", "--omit=optional", "--loglevel=error")
    npm = node / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    command = [str(node / "bin" / "node"), str(npm), "install", "--prefix", str(target), "--no-save", *options]
    _run(command, path=node / "bin")


def _install_wheels(lock: Path, target: Path) -> None:
    uv = Path(sys.executable).parent / "uv"
    options = ("--quiet", "--require-hashes", "--only-binary=:all:", f"--python-version={PYTHON_VERSION}")
    _run([str(uv), "pip", "install", *options, "--target", str(target), "-r", str(lock)])


def _run(command: Sequence[str], *, path: Path | None = None) -> None:
    environment = {**os.environ, **({"PATH": f"{path}:{os.environ['PATH']}"} if path else {})}
    try:
        subprocess.run(command, env=environment, check=True, capture_output=True, text=True, timeout=INSTALL_TIMEOUT)
    except (OSError, subprocess.SubprocessError) as error:
        output = getattr(error, "stderr", None) or str(error)
        raise SandboxUnavailable(f"Programs for the image could not be installed: {output[-1500:]}") from error


def _pack(folder: Path, name: str, target: Path) -> None:
    """Write a tar of the folder as opt/<name>, with links to its commands in usr/local/bin.

    All entries belong to root and are writable only by root.
    """

    def owned_by_root(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
        return entry

    with tarfile.open(target, "w") as archive:
        archive.add(folder, arcname=f"opt/{name}", filter=owned_by_root)
        for command in sorted((folder / "bin").iterdir()):
            link = tarfile.TarInfo(f"usr/local/bin/{command.name}")
            link.type, link.linkname = tarfile.SYMTYPE, f"/opt/{name}/bin/{command.name}"
            archive.addfile(link)
