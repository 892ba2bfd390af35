"""Build a base image with mmdebstrap from this machine's apt sources, for machines that reach no registry."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from sandbox.errors import SandboxUnavailable
from sandbox.image import recipe

APT: Final = Path("/etc/apt")
MMDEBSTRAP_OPTIONS: Final = (
    "--quiet",
    "--variant=minbase",
    "--dpkgopt=force-unsafe-io",
    "--dpkgopt=path-exclude=/usr/share/man/*",
    "--dpkgopt=path-exclude=/usr/share/doc/*",
    "--dpkgopt=path-exclude=/usr/share/locale/*",
    "--dpkgopt=path-exclude=/usr/bin/*lto-dump*",
    "--dpkgopt=path-exclude=/usr/lib/python3*/config-*/*.a",
    '--aptopt=APT::Install-Recommends "false"',
    "--essential-hook=mkdir -p $1/usr/share/man/man1 $1/usr/share/man/man7",  # links of Java and PostgreSQL
    "--customize-hook=rm -rf $1/var/lib/apt/lists/* $1/var/cache/apt/*",
)


def base_tar(cache: Path, further: Sequence[str] = ()) -> Path:
    """Return a tar of a root file system with all packages. Building it takes half a minute, so it is cached."""
    path = cache / f"{recipe.base_tag(further).replace(':', '-')}.tar"
    if not path.exists():
        _require_tools()
        cache.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(f".{os.getpid()}.tar")
        try:
            _bootstrap(temporary, [*recipe.packages(), *further])
            temporary.rename(path)
        finally:
            temporary.unlink(missing_ok=True)
    return path


def _require_tools() -> None:
    if shutil.which("mmdebstrap") is None:
        raise SandboxUnavailable("No registry answers and mmdebstrap is missing: apt-get install mmdebstrap.")
    if os.getuid() != 0:
        raise SandboxUnavailable(
            "No registry answers, and only root can build the base of the sandbox image from packages."
        )


def _bootstrap(target: Path, packages: Sequence[str]) -> None:
    sources = "\n".join(debian_sources(APT))
    if not sources:
        raise SandboxUnavailable(f"{APT} has no Debian source. Set SANDBOX_BASE_IMAGE to an image to build on.")
    include = f"--include={','.join(packages)}"
    command = ["mmdebstrap", *MMDEBSTRAP_OPTIONS, include, codename(), str(target), "-"]
    result = subprocess.run(command, input=sources, text=True, capture_output=True, check=False)
    if result.returncode != 0:
        raise SandboxUnavailable(f"mmdebstrap could not build the base of the sandbox image: {result.stderr[-1500:]}")


def codename() -> str:
    """Return the Debian codename of this machine, whose packages the base image uses."""
    for line in Path("/etc/os-release").read_text().splitlines():
        if line.startswith("VERSION_CODENAME="):
            return line.partition("=")[2].strip('"')
    raise SandboxUnavailable("/etc/os-release has no VERSION_CODENAME. Set SANDBOX_BASE_IMAGE to an image to build on.")


def debian_sources(folder: Path) -> Iterator[str]:
    """Yield this machine's apt sources for its release, updates and security, as one-line entries of component main."""
    suites = {codename(), f"{codename()}-updates", f"{codename()}-security"}
    for uri, suite in sorted(set(_read_sources(folder))):
        if suite in suites:
            yield f"deb {uri} {suite} main"


def _read_sources(folder: Path) -> Iterator[tuple[str, str]]:
    for path in [folder / "sources.list", *sorted((folder / "sources.list.d").glob("*.list"))]:
        if path.exists():
            yield from _read_one_line_style(path.read_text())
    for path in sorted((folder / "sources.list.d").glob("*.sources")):
        yield from _read_stanza_style(path.read_text())


def _read_one_line_style(text: str) -> Iterator[tuple[str, str]]:
    """Yield address and suite of each Debian source in the `sources.list` format."""
    for line in text.splitlines():
        words = [word for word in line.split("#")[0].split() if not word.startswith("[") and not word.endswith("]")]
        if len(words) >= 4 and words[0] == "deb" and "main" in words[3:]:
            yield words[1], words[2]


def _read_stanza_style(text: str) -> Iterator[tuple[str, str]]:
    """Yield address and suite of each Debian source in the deb822 format (`.sources` files)."""
    for stanza in text.split("\n\n"):
        pairs = (line.split(":", 1) for line in stanza.splitlines() if ":" in line and not line.startswith((" ", "#")))
        fields = {name.strip().lower(): value.split() for name, value in pairs}
        if "deb" in fields.get("types", []) and "main" in fields.get("components", []):
            yield from ((uri, suite) for uri in fields.get("uris", []) for suite in fields.get("suites", []))
