"""Wildcard patterns for paths of files that usually contain secrets. Reading or changing such a file needs approval."""

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
)
SECRET_PATTERNS: Final = tuple(dict.fromkeys((*_NAMES, *(name.upper() for name in _NAMES))))
"""Rules are case-sensitive, so each pattern is also listed in upper case, for names such as `PROD.ENV`."""

HARMLESS_PATTERNS: Final = ("*.env.example", "*.env.sample", "*.env.template")


def is_secret(path: str) -> bool:
    """Return whether a file with this path usually contains secrets."""
    return any(match(path, pattern) for pattern in SECRET_PATTERNS) and not any(
        match(path, pattern) for pattern in HARMLESS_PATTERNS
    )
