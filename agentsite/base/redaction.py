"""Hide secrets in log lines, by the name of a field and by the pattern of a value. Pure functions.

`PATTERNS` is a table of regular expressions and their replacements, which keep the rest of the line readable.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

HIDDEN: Final = "[hidden]"
MIN_SECRET_LENGTH: Final = 8  # characters; hiding shorter values would hide ordinary words

SECRET_NAME: Final = re.compile(
    r"(?i)(api_?key|access_?key|private_?key|authorization|cookie|credential|otp|passw|recovery_?code|secret"
    r"|ticket|token$)"
)
_SECRET_KEYS: Final = (
    r"(?:api_?key|access_?key|private_?key|authorization|cookie|passw(?:or)?d\d?|secret(?:_hash)?|token|ticket)"
)
_SECRET_PARAMETERS: Final = (
    r"ticket|token|key|code|state|secret|passw(?:or)?d|sig|signature|access_token|id_token|refresh_token"
)
_PATHS_BEFORE_SECRET: Final = r"invitations?|shared?|share-links|verify-email|reset-password|password-reset|webhooks/in"

KEY_PATTERNS: Final = (
    # tokens of this site and of known services, which have distinctive prefixes
    r"\bag[a-z]_[A-Za-z0-9_-]{8,}",
    r"\b(?:sk|pk|rk|gsk|xai|hf|pplx|nvapi|whsec)[-_][A-Za-z0-9_-]{8,}",
    r"\b(?:gh[pousr]_|github_pat_|glpat-)[A-Za-z0-9_-]{8,}",
    r"\bAIza[0-9A-Za-z_-]{20,}|\bA(?:KIA|SIA)[0-9A-Z]{16}\b",
    r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*",
    r"(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
    r"\b(?:pbkdf2_sha\d+|argon2(?:id?|d)?|bcrypt(?:_sha256)?|scrypt|md5)\$[^\s'\",)]+",
    r"otpauth://[^\s'\"]+",
)

PATTERNS: Final[tuple[tuple[re.Pattern[str], str], ...]] = tuple(
    (re.compile(pattern), kept)
    for pattern, kept in (
        *((pattern, HIDDEN) for pattern in KEY_PATTERNS),
        # headers
        (r"(?i)\b(bearer|basic) +[^\s'\",]{8,}", rf"\1 {HIDDEN}"),
        (r"(?i)((?:__Host-)?(?:agentsite_session|csrftoken|sessionid)=)[^;\s'\"]+", rf"\1{HIDDEN}"),
        # URLs
        (r"(?<=://)[^/\s:@'\"]*:[^@\s'\"/]+(?=@)", HIDDEN),
        (rf"(?i)([?&](?:{_SECRET_PARAMETERS})=)[^&\s'\"#]+", rf"\1{HIDDEN}"),
        (rf"(?i)(/(?:{_PATHS_BEFORE_SECRET})/)[A-Za-z0-9_:.~-]{{12,}}", rf"\1{HIDDEN}"),
        # values of rows in database errors
        (r"(Failing row contains )\(.*\)", rf"\1({HIDDEN})"),
        (r"(Key \([^)]*\)=)\([^)]*\)", rf"\1({HIDDEN})"),
        # secret names with values, in plain text, JSON and Python notation
        (rf"(?i)(\b{_SECRET_KEYS}['\"]?\s*[=:]\s*)(?:\"[^\"]+\"|'[^']+'|[^\s'\",;&)}}\]]+)", rf"\1{HIDDEN}"),
    )
)


_KEYS: Final = re.compile("|".join(f"(?:{pattern.replace('(?s)', '')})" for pattern in KEY_PATTERNS), re.DOTALL)
_MIN_KEY_LENGTH: Final = 16  # characters; shorter texts with such a prefix are usually names


def find_key(text: str) -> str:
    """Return the first 6 characters of the first key, token or private key found in a text; "" if there is none.

    A word without digits that only begins like a key, such as `pk_orders_by_day`, is not considered a key.
    """
    for found in _KEYS.finditer(text):
        word = found[0]
        if word.startswith("-----") or (len(word) >= _MIN_KEY_LENGTH and any(each.isdigit() for each in word)):
            return word[:6]
    return ""


def redactor(secrets: Iterable[str] = ()) -> Callable[[Any], Any]:
    """Return a function that hides secrets in a string or in a nested structure of strings.

    `secrets` are values that this process knows; they are hidden wherever they occur.
    """
    known = sorted({secret for secret in secrets if len(secret) >= MIN_SECRET_LENGTH}, key=len, reverse=True)
    literal = re.compile("|".join(map(re.escape, known))) if known else None

    def redact_text(text: str) -> str:
        if literal is not None:
            text = literal.sub(HIDDEN, text)
        for pattern, kept in PATTERNS:
            text = pattern.sub(kept, text)
        return text

    def redact(value: Any) -> Any:
        if value is None or isinstance(value, bool | int | float):
            return value
        if isinstance(value, str):
            return redact_text(value)
        if isinstance(value, Mapping):
            return redact_names(value, redact)
        if isinstance(value, list | tuple | set | frozenset):
            return [redact(item) for item in value]
        return redact_text(repr(value))

    return redact


def redact_names(values: Mapping[Any, Any], redact: Callable[[Any], Any]) -> dict[Any, Any]:
    """Replace the values of keys that name a secret by a placeholder, and apply `redact` to all other values."""
    return {key: HIDDEN if SECRET_NAME.search(str(key)) else redact(value) for key, value in values.items()}
