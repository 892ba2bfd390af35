"""From what a provider did wrong to the LlmError that says so. Pure, shared by both adapters.

Every message is a plain sentence, every hint names the setting to look at, and neither ever contains a key:
the provider's own words pass through `redact` first.
"""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final
from urllib.parse import urlsplit

from sessions_app.llm.port import (
    LlmBadRequest,
    LlmError,
    LlmOverflow,
    LlmRefused,
    LlmUnavailable,
    ModelEndpoint,
)

MAX_QUOTED_LENGTH: Final = 300
MASK: Final = "***"
KEY_SHAPES: Final = re.compile(r"(?i)\bbearer\s+\S+|\b(?:sk|pk|rk|gsk|xai|key)-[\w*.\-]{4,}|\bAIza[\w\-]{10,}")
OVERFLOW_WORDS: Final = re.compile(
    r"(?i)context[_ ](?:length|window|size|limit)|maximum context|prompt is too long|input is too long"
    r"|too many (?:input )?tokens|input token count .{0,40}exceed|exceeds? .{0,40}(?:max(?:imum)?|limit).{0,20}tokens"
    r"|reduce the length of the messages"
)
OUT_OF_CREDIT_WORDS: Final = re.compile(r"(?i)insufficient_quota|insufficient (?:credit|balance|quota)|billing")
TRY_LATER: Final = frozenset({408, 409, 425, 429})

LATER_HINT: Final = "Wait a little and send the prompt again."
# What to look at: for the people who run the site, and for the team whose provider it is.
HINTS: Final[Mapping[str, tuple[str, str]]] = {
    "key": (
        "Check MODEL_API_KEY: it must be a valid key of this provider.",
        "An admin of the team replaces the key under Providers. Then send the message again; nothing is lost.",
    ),
    "credit": (
        "Top up the account, or change MODEL_API_KEY.",
        "Top up the account, or have an admin of the team replace the key under Providers.",
    ),
    "key_and_model": (
        "Check that MODEL_API_KEY may use the model in MODEL_NAME.",
        "Choose another model, or have an admin of the team give the provider a key that may use this one.",
    ),
    "address": (
        "Check MODEL_BASE_URL: it is usually the address that ends in /v1.",
        "Check the provider's address under Providers: it is usually the one that ends in /v1.",
    ),
    "network": (
        "Check MODEL_BASE_URL and that this machine can reach it.",
        "Check the provider's address under Providers, and that its server is up.",
    ),
    "model": ("Check MODEL_NAME and MODEL_BASE_URL.", "Choose another model, or correct its name under Providers."),
    "request": (
        "Check that the model in MODEL_NAME supports tools and streaming.",
        "Check that the model supports tools and streaming, or choose another.",
    ),
    "overflow": (
        "Start a new session, or set MODEL_NAME to a model with a larger context.",
        "Start a new session, or choose a model with a larger context.",
    ),
}


def hint(endpoint: ModelEndpoint, what: str) -> str:
    of_site, of_team = HINTS[what]
    return of_site if endpoint.is_of_site else of_team


def from_status(
    endpoint: ModelEndpoint,
    status: int,
    body: str,
    headers: Mapping[str, str],
    now: datetime | None = None,
) -> LlmError:
    """`body` is the answer's text, `headers` its headers in lower case."""
    words = provider_words(body, endpoint)
    if status in (400, 413, 422) and OVERFLOW_WORDS.search(body):
        return overflow(endpoint)
    if status == 402 or (status == 429 and OUT_OF_CREDIT_WORDS.search(body)):
        return LlmRefused(
            _say("The provider account has no credit left", words),
            hint=hint(endpoint, "credit"),
            about="credit",
        )
    if status in TRY_LATER or status >= 500:
        return _try_later(status, words, retry_after(headers, now or datetime.now(UTC)))
    return _refusal(endpoint, status, words, html=_is_html(body))


def _try_later(status: int, words: str, wait: float | None) -> LlmUnavailable:
    if status == 429:
        return LlmUnavailable(
            _say("The model provider is receiving too many requests", words),
            hint=LATER_HINT,
            retry_after=wait,
        )
    text = _say(f"The model provider has a problem (status {status})", words)
    return LlmUnavailable(text, hint=LATER_HINT, retry_after=wait)


def _refusal(endpoint: ModelEndpoint, status: int, words: str, *, html: bool) -> LlmRefused:
    if status == 401:
        return LlmRefused(_say("The model provider refused the key", words), hint=hint(endpoint, "key"), about="key")
    if status == 403:
        next_step = hint(endpoint, "key_and_model")
        return LlmRefused(_say(f"The key may not use the model '{endpoint.model}'", words), hint=next_step)
    if status == 404 and html:
        return not_a_model_api(endpoint, "text/html")
    if status == 404:
        return LlmRefused(
            _say(f"The provider does not know the model '{endpoint.model}'", words), hint=hint(endpoint, "model")
        )
    return LlmBadRequest(
        _say(f"The model provider refused the request (status {status})", words), hint=hint(endpoint, "request")
    )


def from_error_event(endpoint: ModelEndpoint, error: Any) -> LlmError:
    """An error object that came inside a stream that had begun well."""
    body = error if isinstance(error, str) else json.dumps(error, default=str)
    code = error.get("code") or error.get("status") if isinstance(error, Mapping) else None
    if OVERFLOW_WORDS.search(body):
        return overflow(endpoint)
    if isinstance(code, int) and 400 <= code < 600:
        return from_status(endpoint, code, body, {})
    return LlmUnavailable(
        _say("The model stopped with an error", provider_words(body, endpoint)),
        hint=LATER_HINT,
    )


def overflow(endpoint: ModelEndpoint) -> LlmOverflow:
    return LlmOverflow(
        f"The conversation is too long for the model '{endpoint.model}'.",
        hint=hint(endpoint, "overflow"),
    )


def unreachable(endpoint: ModelEndpoint) -> LlmUnavailable:
    next_step = hint(endpoint, "network")
    return LlmUnavailable(f"The model at {place(endpoint)} cannot be reached.", hint=next_step, about="address")


def too_slow(endpoint: ModelEndpoint) -> LlmUnavailable:
    return LlmUnavailable(f"The model at {place(endpoint)} did not answer in time.", hint=hint(endpoint, "network"))


def cut_off() -> LlmUnavailable:
    return LlmUnavailable(
        "The connection to the model was lost in the middle of its answer.",
        hint=LATER_HINT,
    )


def garbled(endpoint: ModelEndpoint) -> LlmUnavailable:
    return LlmUnavailable(
        f"The model at {place(endpoint)} sent an answer that cannot be read.",
        hint=hint(endpoint, "address"),
    )


def endpoint_refused(endpoint: ModelEndpoint) -> LlmRefused:
    """One answer for a name that nobody knows, for a private address and for one that is refused for another reason."""
    return LlmRefused(
        f"There is no place '{place(endpoint)}' that this site may connect to.",
        hint="Use https, a public host and its usual port. Who runs this site can exempt others with PROVIDER_ALLOW.",
        about="address",
    )


def untrusted(endpoint: ModelEndpoint, reason: str) -> LlmRefused:
    return LlmRefused(
        f"The model at {place(endpoint)} could not be trusted: {reason}.", hint=hint(endpoint, "network"), about="tls"
    )


def not_a_model_api(endpoint: ModelEndpoint, content_type: str) -> LlmRefused:
    kind = content_type.partition(";")[0].strip() or "something else"
    return LlmRefused(
        f"{place(endpoint)} does not answer like a model API (it sent {kind}).",
        hint=hint(endpoint, "address"),
        about="form",
    )


def impossible(endpoint: ModelEndpoint, words: str) -> LlmRefused:
    """The request could not even be made: a malformed address, an unknown provider prefix."""
    return LlmRefused(
        _say("The model call cannot be made", redact(words, endpoint)),
        hint=hint(endpoint, "model"),
    )


def place(endpoint: ModelEndpoint) -> str:
    """Host and port only: an address may carry a password."""
    if not endpoint.base_url:
        return endpoint.model.partition("/")[0] if endpoint.kind == "litellm" else "api.openai.com"
    address = urlsplit(endpoint.base_url)
    return (
        (address.netloc.rpartition("@")[2] or "the configured address") if address.netloc else "the configured address"
    )


def provider_words(body: str, endpoint: ModelEndpoint) -> str:
    """Return the provider's own error message, shortened and without secrets; empty for HTML pages."""
    if _is_html(body):
        return ""
    text = _error_text(body)
    return redact(" ".join(text.split()), endpoint)[:MAX_QUOTED_LENGTH].rstrip(" .")


def _error_text(body: str) -> str:
    try:
        value = json.loads(body)
    except ValueError:
        return body
    if isinstance(value, Mapping) and "error" in value:
        value = value["error"]
    if isinstance(value, Mapping):
        value = value.get("message") or value.get("detail") or value.get("code") or ""
    return value if isinstance(value, str) else ""


def redact(text: str, endpoint: ModelEndpoint) -> str:
    for secret in (endpoint.api_key, *endpoint.headers.values()):
        if len(secret) >= 4:
            text = text.replace(secret, MASK)
    return KEY_SHAPES.sub(MASK, text)


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds to wait, as told by `retry-after-ms` or `retry-after` (seconds or a date)."""
    if (milliseconds := _number(headers.get("retry-after-ms"))) is not None:
        return milliseconds / 1000
    value = headers.get("retry-after")
    if value is None or (seconds := _number(value)) is not None:
        return None if value is None else seconds
    try:
        return max(0.0, (parsedate_to_datetime(value) - now).total_seconds())
    except (ValueError, TypeError):
        return None


def _number(value: str | None) -> float | None:
    if value is None or not re.fullmatch(r"\s*\d+(\.\d+)?\s*", value):
        return None
    return float(value)


def _is_html(body: str) -> bool:
    return body.lstrip()[:15].lower().startswith(("<!doctype html", "<html"))


def _say(sentence: str, words: str) -> str:
    return f"{sentence}: {words}." if words else f"{sentence}."
