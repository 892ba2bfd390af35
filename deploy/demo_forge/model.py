"""Accounts, repositories and pull requests of the demo forge."""

import itertools
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from deploy.demo_forge import git

_numbers = itertools.count(1)


@dataclass(eq=False)
class Account:
    """An account with at most one valid token. A revoked token is treated like an unknown one."""

    login: str
    token: str = ""
    scopes: str = "repo, workflow"

    def __post_init__(self) -> None:
        self.renew()

    def renew(self) -> str:
        self.token = f"forge_{secrets.token_hex(20)}"
        return self.token

    def revoke(self) -> None:
        self.token = ""


@dataclass(eq=False)
class App(Account):
    """A GitHub App with one installation. Its tokens are valid for `seconds`."""

    app_id: str = "4711"
    installation: int = 42
    private_key: str = ""
    public_key: str = ""
    seconds: int = 3600

    def __post_init__(self) -> None:
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        plain = serialization.NoEncryption()
        pem = serialization.Encoding.PEM
        self.private_key = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain).decode()
        public = serialization.PublicFormat.SubjectPublicKeyInfo
        self.public_key = key.public_key().public_bytes(pem, public).decode()


@dataclass
class PullRequest:
    """A pull request. `state` is open, closed or merged.

    `comments` are review comments: {id, author, path, line, body}. `fork` is the repository of the head branch, or ""
    if it is the repository of the pull request.
    """

    number: int
    title: str
    body: str
    head: str
    base: str
    draft: bool
    author: str
    state: str = "open"
    comments: list[dict[str, Any]] = field(default_factory=list)
    fork: str = ""


@dataclass
class Push:
    """A push that git accepted: the person who pushed, and the branches that it moved, with the commits before and
    after."""

    login: str
    moved: dict[str, tuple[str, str]]


@dataclass
class LfsFiles:
    """Git LFS of a repository: contents of objects by their ids, locked paths with their owners, and the batch requests
    so far. Addresses of the storage are valid for `seconds`."""

    enabled: bool = True
    seconds: int = 3600
    objects: dict[str, bytes] = field(default_factory=dict)
    locks: dict[str, str] = field(default_factory=dict)
    batches: list[dict[str, Any]] = field(default_factory=list)


@dataclass(eq=False)
class ForgeRepository:
    """A repository of the forge. `readers` and `writers` are logins. Anybody may read it unless it is `private`."""

    full_name: str
    path: Path
    site_url: str
    default_branch: str
    private: bool = True
    readers: set[str] = field(default_factory=set)
    writers: set[str] = field(default_factory=set)
    pushes: list[Push] = field(default_factory=list)
    pulls: list[PullRequest] = field(default_factory=list)
    checks: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """The checks of each commit: {name, state, log}; `state` is pending, success or failure."""
    lfs: LfsFiles = field(default_factory=LfsFiles)
    number: int = field(default_factory=lambda: next(_numbers))

    @property
    def clone_url(self) -> str:
        return f"{self.site_url}/{self.full_name}.git"

    def heads(self) -> dict[str, str]:
        return git.heads(self.path)

    def tags(self) -> dict[str, str]:
        return git.tags(self.path)

    def commit(self, files: Mapping[str, str | bytes], message: str = "Change", *, branch: str = "") -> str:
        """Commit files to a branch (the default branch if none is given), without a push. Returns the commit."""
        return git.commit_files(self.path, branch or self.default_branch, files, message)

    def git(self, *arguments: str) -> str:
        """Run git in the bare repository."""
        return git.git(self.path, *arguments)

    def read(self, path: str, *, branch: str = "") -> str:
        return self.git("show", f"{branch or self.default_branch}:{path}")

    def add_check(self, branch: str, name: str, state: str, log: str = "") -> None:
        """Report a check of the newest commit of a branch."""
        found = self.checks.setdefault(self.heads()[branch], [])
        found[:] = [check for check in found if check["name"] != name]
        found.append({"id": next(_numbers), "name": name, "state": state, "log": log})

    def may_read(self, login: str) -> bool:
        return not self.private or login in self.readers | self.writers

    def may_write(self, login: str) -> bool:
        return login in self.writers
