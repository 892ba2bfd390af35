"""The adapter for all providers that need translation. The only module that imports litellm, inside a function.

Measured: the import takes 5 to 11 s and 190 MB, the first call 4 s more. So it happens in the agent worker only,
and `warm()` lets the worker pay before it serves.
"""

import os
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from types import ModuleType
from typing import Any, Final

import httpx

from sessions_app.llm import failures
from sessions_app.llm.chunks import ChunkReader
from sessions_app.llm.openai_compatible import CallTimeouts, request_body
from sessions_app.llm.port import LlmError, ModelEndpoint, ModelEvent, ModelRequest

NETWORK_ERRORS: Final = (httpx.TransportError, ConnectionError, OSError)
_loading = threading.Lock()


def load_litellm() -> ModuleType:
    """Imports litellm with everything off that talks to the network or prints on its own."""
    with _loading:
        os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        os.environ.setdefault("LITELLM_MODE", "PRODUCTION")
        import litellm

        litellm.telemetry = False
        litellm.suppress_debug_info = True
        litellm.drop_params = True
        litellm.num_retries = 0
        return litellm


class LitellmAdapter:
    def __init__(self, timeouts: CallTimeouts | None = None) -> None:
        self._timeouts = timeouts or CallTimeouts()

    def warm(self) -> None:
        """Loads litellm now. Blocking: call it from a thread."""
        load_litellm()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        may_be_empty = (
            request.messages[-1].get("role") == "tool" if request.messages else False
        )
        reader = ChunkReader(may_be_empty=may_be_empty)
        litellm = load_litellm()
        async with _failures_as_llm_errors(request.endpoint):
            answer = await litellm.acompletion(**self._arguments(request))
            async with aclosing(answer):
                async for chunk in answer:
                    for event in reader.feed(
                        _without_invented_finish(chunk.model_dump(), answer)
                    ):
                        yield event
        yield reader.finished()

    def _arguments(self, request: ModelRequest) -> Mapping[str, Any]:
        endpoint = request.endpoint
        return {
            **request_body(request),
            "api_key": endpoint.api_key or None,
            "api_base": endpoint.base_url or None,
            "extra_headers": dict(endpoint.headers) or None,
            "timeout": self._timeouts.to_httpx(),
            "max_retries": 0,
            "num_retries": 0,
        }


def _without_invented_finish(
    chunk: Mapping[str, Any], answer: Any
) -> Mapping[str, Any]:
    """litellm ends a cut stream with a "stop" of its own; it counts only when the provider gave a reason."""
    if (
        answer.received_finish_reason is not None
        or answer.intermittent_finish_reason is not None
    ):
        return chunk
    return {
        **chunk,
        "choices": [
            {**choice, "finish_reason": None} for choice in chunk.get("choices") or []
        ],
    }


@asynccontextmanager
async def _failures_as_llm_errors(endpoint: ModelEndpoint) -> AsyncIterator[None]:
    """litellm's exceptions derive from openai's; `from None` because they carry the request with its key."""
    try:
        yield
    except LlmError:
        raise
    except httpx.TimeoutException:
        raise failures.too_slow(endpoint) from None
    except NETWORK_ERRORS:
        raise failures.cut_off() from None
    except Exception as error:  # noqa: BLE001 - litellm raises whatever its provider code raises
        raise _translate(endpoint, error) from None


def _translate(endpoint: ModelEndpoint, error: Exception) -> LlmError:
    litellm = load_litellm()
    if isinstance(error, litellm.exceptions.ContextWindowExceededError):
        return failures.overflow(endpoint)
    if isinstance(error, litellm.exceptions.Timeout):
        return failures.too_slow(endpoint)
    status = getattr(error, "status_code", None)
    if not isinstance(status, int):
        return failures.garbled(endpoint)
    return failures.from_status(
        endpoint, status, str(getattr(error, "message", error)), {}
    )
