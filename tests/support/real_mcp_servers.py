"""Real MCP servers from npm and PyPI, as archives for containers, which have no network in tests."""

import io
import json
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Final

from agentsite.base.environment import REPOSITORY

NODE_MODULES: Final = REPOSITORY / "var/test/npm/node_modules"
PYTHON: Final = REPOSITORY / "var/test/pypi"
SQLITE: Final = ("mcp-server-sqlite==2025.4.25", "mcp>=1.20,<2")
"""Requirements of the SQLite server. It needs the first generation of the SDK, which is installed separately from
ours."""


def from_npm(name: str) -> bytes:
    """Return a tar file of a package with its dependencies, below node_modules."""
    subprocess.run(["deploy/bin/test-programs"], cwd=REPOSITORY, check=True)
    found: set[str] = set()
    _collect(name, found)
    return _packed({f"node_modules/{each}": NODE_MODULES / each for each in sorted(found)})


def _collect(name: str, found: set[str]) -> None:
    found.add(name)
    package = json.loads((NODE_MODULES / name / "package.json").read_text())
    for needed in package.get("dependencies", {}):
        is_inside = (NODE_MODULES / name / "node_modules" / needed).exists()
        if not is_inside and needed not in found and (NODE_MODULES / needed).exists():
            _collect(needed, found)


def from_pypi() -> bytes:
    """Return a tar file with the MCP server for SQLite and its dependencies in the folder `python`."""
    if not (PYTHON / "mcp_server_sqlite").exists():
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(PYTHON), *SQLITE]
        subprocess.run(command, check=True, timeout=600)
    return _packed({"python": PYTHON})


def _packed(folders: dict[str, Path]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=1) as archive:
        for name, folder in folders.items():
            archive.add(folder, name, filter=lambda entry: None if "__pycache__" in entry.name else entry)
    return buffer.getvalue()
