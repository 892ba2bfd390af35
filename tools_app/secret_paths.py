"""Files that usually hold secrets. Looking into one, or changing one, is asked; the lists are wildcards over paths."""

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
"""Rules tell upper from lower case; a secret that somebody called `PROD.ENV` is one all the same."""

HARMLESS_PATTERNS: Final = ("*.env.example", "*.env.sample", "*.env.template")


def is_secret(path: str) -> bool:
    return any(match(path, pattern) for pattern in SECRET_PATTERNS) and not any(
        match(path, pattern) for pattern in HARMLESS_PATTERNS
    )
