"""Bare repositories on disk, written and read by git itself."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

AUTHOR: Final = "Kim Forge <kim@forge.example> 1700000000 +0000"
_ENVIRONMENT: Final = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
_CONFIG: Final = (
    ("http.receivepack", "true"),
    ("uploadpack.allowFilter", "true"),
    ("uploadpack.allowAnySHA1InWant", "true"),
)


def git(path: Path, *arguments: str, stdin: bytes = b"") -> str:
    """Run git in a repository and return its output. Raises CalledProcessError."""
    done = subprocess.run(
        ["git", "-C", str(path), *arguments], input=stdin, capture_output=True, check=True, env=_ENVIRONMENT
    )
    return done.stdout.decode()


def make_bare(path: Path, default_branch: str) -> None:
    path.mkdir(parents=True)
    git(path, "init", "-q", "--bare", "-b", default_branch)
    for name, value in _CONFIG:
        git(path, "config", name, value)


def heads(path: Path) -> dict[str, str]:
    """Return the commit id of each branch of the repository at `path`."""
    return _refs(path, "refs/heads/")


def tags(path: Path) -> dict[str, str]:
    return _refs(path, "refs/tags/")


def _refs(path: Path, below: str) -> dict[str, str]:
    lines = git(path, "for-each-ref", "--format=%(objectname) %(refname)", below).splitlines()
    return {name.removeprefix(below): commit for commit, _, name in (line.partition(" ") for line in lines)}


def commit_files(path: Path, branch: str, files: Mapping[str, str | bytes], message: str) -> str:
    """Add a commit to a branch, which is created if it is new. Returns the commit."""
    ref = f"refs/heads/{branch}"
    parent = heads(path).get(branch)
    lines = [f"commit {ref}\ncommitter {AUTHOR}\n".encode(), _data(message.encode())]
    if parent:
        lines.append(f"from {parent}\n".encode())
    for name, content in files.items():
        lines += [
            f"M 100644 inline {name}\n".encode(),
            _data(content.encode() if isinstance(content, str) else content),
        ]
    git(path, "fast-import", "--quiet", stdin=b"".join(lines))
    return heads(path)[branch]


def _data(content: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(content), content)
