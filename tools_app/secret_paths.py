"""Wildcard patterns for paths that presets protect: files that usually contain secrets, and files that control git or
the rules."""

import re
from collections.abc import Iterable
from typing import Final

from tools_app.permission.wildcard import match

_NAMES: Final = (
    "*.env",
    "*.env.*",
    "*.envrc",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.ppk",
    "*.jks",
    "*id_rsa",
    "*id_dsa",
    "*id_ecdsa",
    "*id_ed25519",
    "*.netrc",
    "*.npmrc",
    "*.pypirc",
    "*.git-credentials",
    ".git/config",
    "*/.git/config",
    "*.aws/credentials",
    "*credentials.json",
    "*.pgpass",
    "*.my.cnf",
    "*.kube/config",
    "*.docker/config.json",
    "*.vault-token",
    "*.tfstate",
    "*.tfstate.*",
    "*service-account*.json",
    "*service_account*.json",
    "*secrets.yml",
    "*secrets.yaml",
)
SECRET_PATTERNS: Final = tuple(dict.fromkeys((*_NAMES, *(name.upper() for name in _NAMES))))
"""Rules are case-sensitive, so each pattern is also listed in upper case, for names such as `PROD.ENV`."""

HARMLESS_PATTERNS: Final = ("*.env.example", "*.env.sample", "*.env.template")


_HOOKS: Final = (".husky", ".githooks")
"""Folders in which projects keep the hooks that git runs."""
GIT_INTERNALS: Final = (
    *(".git", ".git/*", "*/.git", "*/.git/*", "HEAD", "*/HEAD"),
    *(f"{each}{below}" for each in _HOOKS for below in ("", "/*")),
)
"""Paths whose content makes git run programs that the author of the content chose, so that even `git status` would not
be harmless. A file named HEAD is what turns a directory into a repository."""

RULE_FILES: Final = ("agentsite.json*", "opencode.json*", ".agentsite", ".agentsite/*", ".opencode", ".opencode/*")
"""Project files with permission rules. They tighten, so an agent must not change or remove them without asking."""


def _pieces_of(patterns: Iterable[str]) -> re.Pattern[str]:
    """Return a regular expression for a fast first check: it matches somewhere in every path that matches a pattern.

    The expression consists of the longest literal piece of each pattern. Most other paths contain no such piece.
    """
    longest = {max(re.split(r"[*?]", each.removesuffix(" *")), key=len) for each in patterns}
    return re.compile("|".join(map(re.escape, sorted(longest))))


_IN_STEERING: Final = _pieces_of((*GIT_INTERNALS, *RULE_FILES))
_IN_SECRETS: Final = _pieces_of(SECRET_PATTERNS)


PROTECTED_NAMES: Final = tuple(each for each in (*SECRET_PATTERNS, *RULE_FILES) if "/" not in each)
"""Globs for the names of files that presets protect wherever they are."""


def is_steering(path: str) -> bool:
    """Return whether a file or folder with this path controls git or the rules."""
    if not _IN_STEERING.search(path):
        return False
    return any(match(path, pattern) for pattern in (*GIT_INTERNALS, *RULE_FILES))


def is_secret(path: str) -> bool:
    """Return whether a file with this path usually contains secrets."""
    if not _IN_SECRETS.search(path):
        return False
    return any(match(path, pattern) for pattern in SECRET_PATTERNS) and not any(
        match(path, pattern) for pattern in HARMLESS_PATTERNS
    )
