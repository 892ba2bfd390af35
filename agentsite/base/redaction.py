"""What no log line may hold, by name and by look. Pure: text in, text out.

The patterns are a table: what is found, and what of it stays, so that a line still says what happened.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

HIDDEN: Final = "[hidden]"
SHORTEST_SECRET: Final = 8
"""Characters; what is shorter would hide ordinary words."""

SECRET_NAME: Final = re.compile(
    r"(?i)(api_?key|access_?key|private_?key|authorization|cookie|credential|otp|passw|recovery_?code|secret"
    r"|ticket|token$)"
)
_NAMED: Final = (
    r"(?:api_?key|access_?key|private_?key|authorization|cookie|passw(?:or)?d\d?|secret(?:_hash)?|token|ticket)"
)
_QUERY: Final = r"ticket|token|key|code|state|secret|passw(?:or)?d|sig|signature|access_token|id_token|refresh_token"
_PLACES: Final = r"invitations?|shared?|share-links|verify-email|reset-password|password-reset|webhooks/in"

PATTERNS: Final[tuple[tuple[re.Pattern[str], str], ...]] = tuple(
    (re.compile(pattern), kept)
    for pattern, kept in (
        # ours and our providers', which look like nothing else
        (r"\bag[a-z]_[A-Za-z0-9_-]{8,}", HIDDEN),
        (r"\b(?:sk|pk|rk|gsk|xai|hf|pplx|nvapi|whsec)[-_][A-Za-z0-9_-]{8,}", HIDDEN),
        (r"\b(?:gh[pousr]_|github_pat_|glpat-)[A-Za-z0-9_-]{8,}", HIDDEN),
        (r"\bAIza[0-9A-Za-z_-]{20,}|\bA(?:KIA|SIA)[0-9A-Z]{16}\b", HIDDEN),
        (r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*", HIDDEN),
        (r"(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", HIDDEN),
        (r"\b(?:pbkdf2_sha\d+|argon2(?:id?|d)?|bcrypt(?:_sha256)?|scrypt|md5)\$[^\s'\",)]+", HIDDEN),
        (r"otpauth://[^\s'\"]+", HIDDEN),
        # headers
        (r"(?i)\b(bearer|basic) +[^\s'\",]{8,}", rf"\1 {HIDDEN}"),
        (r"(?i)((?:__Host-)?(?:agentsite_session|csrftoken|sessionid)=)[^;\s'\"]+", rf"\1{HIDDEN}"),
        # addresses
        (r"(?<=://)[^/\s:@'\"]*:[^@\s'\"/]+(?=@)", HIDDEN),
        (rf"(?i)([?&](?:{_QUERY})=)[^&\s'\"#]+", rf"\1{HIDDEN}"),
        (rf"(?i)(/(?:{_PLACES})/)[A-Za-z0-9_:.~-]{{12,}}", rf"\1{HIDDEN}"),
        # what databases tell of rows
        (r"(Failing row contains )\(.*\)", rf"\1({HIDDEN})"),
        (r"(Key \([^)]*\)=)\([^)]*\)", rf"\1({HIDDEN})"),
        # names with values, as texts, JSON and Python write them
        (rf"(?i)(\b{_NAMED}['\"]?\s*[=:]\s*)(?:\"[^\"]+\"|'[^']+'|[^\s'\",;&)}}\]]+)", rf"\1{HIDDEN}"),
    )
)


def redactor(secrets: Iterable[str] = ()) -> Callable[[Any], Any]:
    """A function that hides secrets in a text or in anything that holds texts. `secrets` are values that this process
    knows, hidden wherever they stand."""
    known = sorted({secret for secret in secrets if len(secret) >= SHORTEST_SECRET}, key=len, reverse=True)
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
    return {key: HIDDEN if SECRET_NAME.search(str(key)) else redact(value) for key, value in values.items()}
