"""The adapter for providers with their own protocol. The only module that imports litellm, and only inside a function.

The import takes 5 to 11 s and 190 MB, and the first call another 4 s (measured). Therefore only the agent worker
imports it, and calls `warm()` before it accepts work.
"""

import asyncio
import json
import os
import re
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import aclosing, asynccontextmanager
from typing import Any, Final

import httpx

from sessions_app.llm import failures
from sessions_app.llm.chunks import ChunkReader
from sessions_app.llm.openai_compatible import CallTimeouts, request_body
from sessions_app.llm.port import LlmError, ModelEndpoint, ModelEvent, ModelRequest, follows_tool_result

LITELLM_PREFIX: Final = re.compile(r"^(?:litellm\.)?(?:\w+(?:Error|Exception): )+(?:\w+Exception - )?")
VERTEX_PREFIX: Final = "vertex_ai/"
_loading = threading.Lock()


def load_litellm() -> Any:
    """Import litellm, with telemetry, debug output, retries and other network access disabled.

    Its aiohttp transport is disabled too: it keeps the connection of an abandoned stream open. With httpx, timeouts,
    proxies and certificates are configured in one place.
    """
    with _loading:
        os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        os.environ.setdefault("LITELLM_MODE", "PRODUCTION")
        import litellm

        litellm.telemetry = False
        litellm.suppress_debug_info = True
        litellm.drop_params = True
        litellm.num_retries = 0
        litellm.disable_aiohttp_transport = True
        return litellm


class LitellmAdapter:
    """An adapter that sends requests with litellm."""

    def __init__(self, timeouts: CallTimeouts | None = None) -> None:
        self._timeouts = timeouts or CallTimeouts()

    def warm(self) -> None:
        """Import litellm now. Blocks; call it from a thread."""
        load_litellm()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        _require_encryption(request.endpoint)
        reader = ChunkReader(may_be_empty=follows_tool_result(request))
        litellm = await asyncio.to_thread(load_litellm)
        async with _failures_as_llm_errors(request.endpoint):
            answer = await litellm.acompletion(**self._arguments(request))
            async with aclosing(answer):
                _require_event_stream(request.endpoint, answer)
                async for chunk in answer:
                    for event in reader.feed(_without_invented_finish(chunk.model_dump(), answer)):
                        yield event
        yield reader.finished()

    def _arguments(self, request: ModelRequest) -> Mapping[str, Any]:
        endpoint = request.endpoint
        return {
            **request_body(request),
            **endpoint.options,
            **_credentials(endpoint),
            "api_base": endpoint.base_url or None,
            "extra_headers": dict(endpoint.headers) or None,
            "timeout": self._timeouts.to_httpx(endpoint.silence_seconds),
            "max_retries": 0,
            "num_retries": 0,
        }


def _credentials(endpoint: ModelEndpoint) -> Mapping[str, Any]:
    """Return the endpoint's key under the name that litellm expects. The key of Vertex AI is a service account, with
    which litellm signs in at Google and renews the token that it gets."""
    if endpoint.model.startswith(VERTEX_PREFIX) and endpoint.api_key:
        return {"vertex_credentials": endpoint.api_key}
    return {"api_key": endpoint.api_key or None}


def _require_encryption(endpoint: ModelEndpoint) -> None:
    """Raise LlmRefused if a team's key would be sent without https. Older providers may have been saved before this was
    checked."""
    if endpoint.base_url and not endpoint.is_of_site and not endpoint.base_url.lower().startswith("https://"):
        raise failures.endpoint_refused(endpoint)


def _without_invented_finish(chunk: Mapping[str, Any], answer: Any) -> Mapping[str, Any]:
    """Return the chunk without a finish reason that the provider did not send. If a stream breaks off, litellm adds the
    finish reason "stop" itself."""
    if answer.received_finish_reason is not None or answer.intermittent_finish_reason is not None:
        return chunk
    return {**chunk, "choices": [{**choice, "finish_reason": None} for choice in chunk.get("choices") or []]}


def _require_event_stream(endpoint: ModelEndpoint, answer: Any) -> None:
    content_type = (getattr(answer, "_response_headers", None) or {}).get("content-type", "")
    if content_type.startswith("text/html"):
        raise failures.not_a_model_api(endpoint, content_type)


@asynccontextmanager
async def _failures_as_llm_errors(endpoint: ModelEndpoint) -> AsyncIterator[None]:
    """Convert exceptions of the block to LlmErrors. The original exception is not set as their cause, because it would
    contain the request with the key."""
    try:
        yield
    except LlmError:
        raise
    except Exception as error:  # noqa: BLE001 - litellm passes on any exception of its provider code
        raise _translate(endpoint, list(_causes(error))) from None


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield the exception and its causes, outermost first, because litellm wraps an error up to three times."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _translate(endpoint: ModelEndpoint, causes: list[BaseException]) -> LlmError:
    exceptions = load_litellm().exceptions

    def among(*kinds: type[BaseException]) -> BaseException | None:
        return next((cause for cause in causes if isinstance(cause, kinds)), None)

    if among(exceptions.ContextWindowExceededError):
        return failures.overflow(endpoint)
    if among(exceptions.Timeout, httpx.TimeoutException):
        return failures.too_slow(endpoint)
    if invalid := among(httpx.InvalidURL, httpx.UnsupportedProtocol):
        return failures.invalid_call(endpoint, str(invalid))
    if refused := next((cause for cause in causes if _is_sign_in_error(cause)), None):
        return failures.sign_in_refused(endpoint, str(refused))
    if among(httpx.ConnectError, ConnectionRefusedError):
        return failures.unreachable(endpoint)
    if among(httpx.TransportError, ConnectionError):
        return failures.cut_off()
    return _from_status(endpoint, causes)


def _is_sign_in_error(error: BaseException) -> bool:
    """Return whether Google has refused a service account. The error is recognised by the name of its class, because
    only litellm imports google-auth."""
    return type(error).__module__ == "google.auth.exceptions" and type(error).__name__ != "TransportError"


def _from_status(endpoint: ModelEndpoint, causes: list[BaseException]) -> LlmError:
    status = next((code for cause in causes if isinstance(code := getattr(cause, "status_code", None), int)), None)
    if status is None:
        return failures.unreadable_answer(endpoint)
    body = next((body for cause in causes if (body := getattr(cause, "body", None))), None)
    headers: Mapping[str, str] = next(
        (headers_sent for cause in causes if (headers_sent := getattr(cause, "litellm_response_headers", None))), {}
    )
    text = LITELLM_PREFIX.sub("", str(causes[0])) if body is None else _as_text(body)
    return failures.from_status(endpoint, status, text, {name.lower(): value for name, value in headers.items()})


def _as_text(body: object) -> str:
    return body if isinstance(body, str) else json.dumps(body, default=str)
