"""Convert errors of providers to LlmErrors. Pure functions, shared by both adapters.

Every message is a plain sentence, and every hint names the setting to check. Neither contains a key: `redact` removes
secrets from the texts of providers first.
"""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import urlsplit

from agentsite.base.retry_after import number_of, seconds_to_wait
from sessions_app.llm.port import (
    LlmBadRequest,
    LlmError,
    LlmOverflow,
    LlmRefused,
    LlmUnavailable,
    ModelEndpoint,
)

MAX_QUOTED_LENGTH: Final = 300  # characters of the provider's own error message
MASK: Final = "***"
KEY_PATTERN: Final = re.compile(
    r"(?i)\bbearer\s+\S+|\b(?:sk|pk|rk|gsk|xai|key)-[\w*.\-]{4,}|\bAIza[\w\-]{10,}"
    r"|(?s:-----BEGIN.*?(?:-----END[^-]*-----|$))"
)
OVERFLOW_PATTERN: Final = re.compile(
    r"(?i)context[_ ](?:length|window|size|limit)|maximum context|prompt is too long|input is too long"
    r"|too many (?:input )?tokens|input token count .{0,40}exceed|exceeds? .{0,40}(?:max(?:imum)?|limit).{0,20}tokens"
    r"|reduce the length of the messages"
)
NO_CREDIT_PATTERN: Final = re.compile(r"(?i)insufficient_quota|insufficient (?:credit|balance|quota)|billing")
RETRYABLE_STATUSES: Final = frozenset({408, 409, 425, 429})

RETRY_HINT: Final = "Wait a moment, then send the prompt again."
# By topic: the hint for the provider of the site, which its operators configure, and for a provider of a team.
HINTS: Final[Mapping[str, tuple[str, str]]] = {
    "key": (
        "Check MODEL_API_KEY: it must be a valid key of this provider.",
        "An admin of the team can replace the key under Providers. Then send the message again; nothing is lost.",
    ),
    "credit": (
        "Top up the account, or change MODEL_API_KEY.",
        "Top up the account, or ask an admin of the team to replace the key under Providers.",
    ),
    "key_and_model": (
        "Check that MODEL_API_KEY is allowed to use the model in MODEL_NAME.",
        "Choose another model, or ask an admin of the team for a provider key that is allowed to use this one.",
    ),
    "address": (
        "Check MODEL_BASE_URL: it usually ends in /v1.",
        "Check the provider's address under Providers: it usually ends in /v1.",
    ),
    "network": (
        "Check MODEL_BASE_URL and that this machine can reach it.",
        "Check the provider's address under Providers, and that its server is running.",
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


def hint(endpoint: ModelEndpoint, topic: str) -> str:
    """Return the hint for a kind of failure (`topic`), worded for the people who can configure this endpoint."""
    of_site, of_team = HINTS[topic]
    return of_site if endpoint.is_of_site else of_team


def from_status(
    endpoint: ModelEndpoint,
    status: int,
    body: str,
    headers: Mapping[str, str],
    now: datetime | None = None,
) -> LlmError:
    """Convert an HTTP error response. `headers` have names in lower case; `now` is used to parse a Retry-After date."""
    quoted = provider_words(body, endpoint)
    if status in (400, 413, 422) and OVERFLOW_PATTERN.search(body):
        return overflow(endpoint)
    if status == 402 or (status == 429 and NO_CREDIT_PATTERN.search(body)):
        return LlmRefused(
            _say("The provider account has no credit left", quoted),
            hint=hint(endpoint, "credit"),
            about="credit",
        )
    if status in RETRYABLE_STATUSES or status >= 500:
        return _try_later(status, quoted, retry_after(headers, now or datetime.now(UTC)))
    return _refusal(endpoint, status, quoted, html=_is_html(body))


def _try_later(status: int, quoted: str, wait: float | None) -> LlmUnavailable:
    if status == 429:
        return LlmUnavailable(
            _say("The model provider is receiving too many requests", quoted),
            hint=RETRY_HINT,
            retry_after=wait,
        )
    text = _say(f"The model provider has a problem (status {status})", quoted)
    return LlmUnavailable(text, hint=RETRY_HINT, retry_after=wait)


def _refusal(endpoint: ModelEndpoint, status: int, quoted: str, *, html: bool) -> LlmRefused:
    if status == 401:
        return LlmRefused(_say("The model provider refused the key", quoted), hint=hint(endpoint, "key"), about="key")
    if status == 403:
        next_step = hint(endpoint, "key_and_model")
        return LlmRefused(_say(f"The key is not allowed to use the model '{endpoint.model}'", quoted), hint=next_step)
    if status == 404 and html:
        return not_a_model_api(endpoint, "text/html")
    if status == 404:
        return LlmRefused(
            _say(f"The provider does not know the model '{endpoint.model}'", quoted), hint=hint(endpoint, "model")
        )
    return LlmBadRequest(
        _say(f"The model provider refused the request (status {status})", quoted), hint=hint(endpoint, "request")
    )


def from_error_event(endpoint: ModelEndpoint, error: Any) -> LlmError:
    """Convert an error object that arrived in the middle of a model's stream to an LlmError."""
    body = error if isinstance(error, str) else json.dumps(error, default=str)
    code = error.get("code") or error.get("status") if isinstance(error, Mapping) else None
    if OVERFLOW_PATTERN.search(body):
        return overflow(endpoint)
    if isinstance(code, int) and 400 <= code < 600:
        return from_status(endpoint, code, body, {})
    return LlmUnavailable(
        _say("The model stopped with an error", provider_words(body, endpoint)),
        hint=RETRY_HINT,
    )


def overflow(endpoint: ModelEndpoint) -> LlmOverflow:
    return LlmOverflow(
        f"The conversation is too long for the model '{endpoint.model}'.",
        hint=hint(endpoint, "overflow"),
    )


def unreachable(endpoint: ModelEndpoint) -> LlmUnavailable:
    next_step = hint(endpoint, "network")
    return LlmUnavailable(f"The model at {host_of(endpoint)} cannot be reached.", hint=next_step, about="address")


def too_slow(endpoint: ModelEndpoint) -> LlmUnavailable:
    return LlmUnavailable(f"The model at {host_of(endpoint)} did not answer in time.", hint=hint(endpoint, "network"))


def cut_off() -> LlmUnavailable:
    return LlmUnavailable(
        "The connection to the model was lost before the end of its answer.",
        hint=RETRY_HINT,
    )


def unreadable_answer(endpoint: ModelEndpoint) -> LlmUnavailable:
    return LlmUnavailable(
        f"The model at {host_of(endpoint)} sent an answer that is not valid.",
        hint=hint(endpoint, "address"),
    )


def endpoint_refused(endpoint: ModelEndpoint) -> LlmRefused:
    """Return the error for an address that this site does not connect to.

    It is the same for an unknown name, a private address and any other refused address, so that it reveals nothing
    about the private network.
    """
    return LlmRefused(
        f"'{host_of(endpoint)}' does not exist, or this site does not allow connections to it.",
        hint="Use https, a public host and its usual port. Operators can allow others with PROVIDER_ALLOW.",
        about="address",
    )


def sign_in_refused(endpoint: ModelEndpoint, problem: str) -> LlmRefused:
    """Return the error for a provider that refuses to exchange the stored credential for a token. `problem` is the
    provider's message."""
    words = redact(problem, endpoint)[:MAX_QUOTED_LENGTH].rstrip(" .")
    return LlmRefused(_say("The provider refused to sign in", words), hint=hint(endpoint, "key"), about="key")


def client_refused(endpoint: ModelEndpoint, told: str) -> LlmRefused:
    """Return the error for a provider that does not accept the site's OAuth client. `told` is the provider's
    message."""
    words = redact(" ".join(told.split()), endpoint)[:MAX_QUOTED_LENGTH].rstrip(" .")
    return LlmRefused(
        _say(f"{host_of(endpoint)} does not accept this site's OAuth client", words),
        hint="Ask an operator to check its id, its scopes, and that it may use the device flow. Until then, set a token"
        " as the key.",
    )


def sign_in_ended(endpoint: ModelEndpoint) -> LlmRefused:
    """Return the error for a sign-in at a provider that has expired or was revoked."""
    name = endpoint.provider_name or host_of(endpoint)
    return LlmRefused(
        f"The sign-in at '{name}' has expired or was revoked.",
        hint="An admin of the team can sign in again under Providers. Then send the message again; nothing is lost.",
        about="key",
    )


def tls_failed(endpoint: ModelEndpoint, reason: str) -> LlmRefused:
    return LlmRefused(
        f"The encrypted connection to the model at {host_of(endpoint)} failed: {reason}.",
        hint=hint(endpoint, "network"),
        about="tls",
    )


def not_a_model_api(endpoint: ModelEndpoint, content_type: str) -> LlmRefused:
    kind = content_type.partition(";")[0].strip() or "something else"
    return LlmRefused(
        f"{host_of(endpoint)} is not a model API (it sent {kind}).",
        hint=hint(endpoint, "address"),
        about="form",
    )


def no_model_list(endpoint: ModelEndpoint) -> LlmRefused:
    """Return the error for an address that answers, but not with a list of models."""
    return LlmRefused(
        f"{host_of(endpoint)} answers, but gives no list of models at this address.",
        hint=f"{hint(endpoint, 'address')} If the server has no list, type the names of its models.",
        about="form",
    )


def invalid_call(endpoint: ModelEndpoint, problem: str) -> LlmRefused:
    """Return the error for a request that could not be sent, such as a malformed address or unknown provider prefix."""
    return LlmRefused(
        _say("The model call could not be sent", redact(problem, endpoint)),
        hint=hint(endpoint, "model"),
    )


def host_of(endpoint: ModelEndpoint) -> str:
    """Return the host and port of the endpoint's URL; without a URL, the name of the provider or the host of OpenAI.
    The rest of the URL is left out, because it may contain a password."""
    if not endpoint.base_url:
        return endpoint.model.partition("/")[0] if endpoint.kind == "litellm" else "api.openai.com"
    address = urlsplit(endpoint.base_url)
    return (
        (address.netloc.rpartition("@")[2] or "the configured address") if address.netloc else "the configured address"
    )


def provider_words(body: str, endpoint: ModelEndpoint) -> str:
    """Return the provider's own error message, shortened and without secrets; empty if it is an HTML page."""
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
    """Mask the endpoint's key and header values, and everything that looks like a key."""
    for secret in (endpoint.api_key, *endpoint.headers.values()):
        if len(secret) >= 4:
            text = text.replace(secret, MASK)
    return KEY_PATTERN.sub(MASK, text)


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds to wait before a retry, as the provider asks in a header; None if no valid header is present.

    The header is `retry-after-ms` or `retry-after` (seconds or a date).
    """
    if (milliseconds := number_of(headers.get("retry-after-ms", ""))) is not None:
        return milliseconds / 1000
    return seconds_to_wait(headers.get("retry-after", ""), now)


def _is_html(body: str) -> bool:
    return body.lstrip()[:15].lower().startswith(("<!doctype html", "<html"))


def _say(sentence: str, quoted: str) -> str:
    return f"{sentence}: {quoted}." if quoted else f"{sentence}."
