"""The adapter for OpenAI's chat completions: OpenAI, vLLM, Ollama, OpenRouter, the demo model and others.

The openai SDK (1.5 s and 50 MB to import) is imported with the first call. Its generic `post` is used instead of
`chat.completions.create`: it sends the same request without converting every message and chunk with pydantic.
"""

import asyncio
import json
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

import httpx

from sessions_app.llm import failures
from sessions_app.llm.cache_marks import wants_marks, with_marks
from sessions_app.llm.chunks import ChunkReader
from sessions_app.llm.guarded_http import EndpointRefused, GuardedTransport, tls_context
from sessions_app.llm.port import LlmError, ModelEndpoint, ModelEvent, ModelRequest, follows_tool_result
from tools_app.web.rules import WebRules

if TYPE_CHECKING:
    from openai import AsyncOpenAI, AsyncStream

OPENAI_URL: Final = "https://api.openai.com/v1"
LIST_TIMEOUT: Final = 20.0  # seconds
MAX_LIST_BYTES: Final = 4 * 1024 * 1024
MAX_CACHED_CLIENTS: Final = 200
OPENAI_HOST: Final = "api.openai.com"
NO_KEY: Final = "none"  # the SDK requires a key; local servers accept any
LOOPBACK_WITHOUT_PROXY: Final = {
    "all://127.0.0.1": None,
    "all://localhost": None,
    "all://[::1]": None,
}


@dataclass(frozen=True, slots=True)
class CallTimeouts:
    """Timeouts in seconds. `read` is the longest wait for the next bytes; it is long because reasoning models may think
    for minutes."""

    connect: float = 10.0
    write: float = 60.0
    read: float = 300.0

    def to_httpx(self, read: float | None = None) -> httpx.Timeout:
        """Return the timeouts for httpx. If `read` is given, it replaces the read timeout."""
        return httpx.Timeout(connect=self.connect, write=self.write, read=read or self.read, pool=self.connect)


@dataclass(slots=True)
class _LoopClients:
    """The HTTP clients of one event loop. Loops cannot share clients, because a connection belongs to the loop that
    opened it."""

    http: httpx.AsyncClient
    guarded: httpx.AsyncClient
    by_account: dict[tuple[str, str, bool], "AsyncOpenAI"] = field(default_factory=dict)


class OpenAiCompatibleAdapter:
    """An adapter that sends requests with the openai SDK.

    Each event loop has two HTTP clients, with one SDK client for each base URL and key on top of them. Addresses that a
    team has configured use the guarded HTTP client, which follows no redirects.
    """

    def __init__(self, timeouts: CallTimeouts | None = None, rules: Callable[[], WebRules] = WebRules) -> None:
        self._timeouts = timeouts or CallTimeouts()
        self._rules = rules
        self._loops: WeakKeyDictionary[asyncio.AbstractEventLoop, _LoopClients] = WeakKeyDictionary()

    def warm(self) -> None:
        """Import the openai SDK now. Blocks; call it from a thread."""
        import openai  # noqa: F401 - imported for its side effect

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        reader = ChunkReader(may_be_empty=follows_tool_result(request))
        await asyncio.to_thread(self.warm)
        async with _failures_as_llm_errors(request.endpoint):
            stream = await self._open(request)
            async with aclosing(stream.response):
                _require_event_stream(request.endpoint, stream.response)
                async for chunk in stream:
                    for event in reader.feed(_require_mapping(chunk)):
                        yield event
        yield reader.finished()

    async def aclose(self) -> None:
        """Close the connections of the running event loop."""
        clients = self._loops.pop(asyncio.get_running_loop(), None)
        if clients is not None:
            await clients.http.aclose()
            await clients.guarded.aclose()

    async def list_models(self, endpoint: ModelEndpoint) -> list[str]:
        """Return the names of the models that the endpoint lists under `/models`. Raises LlmError."""
        address = f"{(endpoint.base_url or OPENAI_URL).rstrip('/')}/models"
        async with self._answer(endpoint, "GET", address, None) as (answer, body):
            if not answer.is_success:
                raise failures.from_status(endpoint, answer.status_code, body, _headers(answer))
            return _names_in(endpoint, body, answer.headers.get("content-type", ""))

    async def ask_server(self, endpoint: ModelEndpoint, address: str, body: Mapping[str, Any] | None) -> Any:
        """Return the JSON at an address of the endpoint's server. The request has the endpoint's key, and is a POST if
        there is a body. Raises LlmError."""
        method = "GET" if body is None else "POST"
        async with self._answer(endpoint, method, address, body) as (answer, text):
            if answer.status_code in (401, 403):
                raise failures.from_status(endpoint, 401, text, _headers(answer))
            if answer.status_code < 500 and answer.status_code != 429 and not answer.is_success:
                raise failures.no_model_list(endpoint)
            if not answer.is_success:
                raise failures.from_status(endpoint, answer.status_code, text, _headers(answer))
            try:
                return json.loads(text)
            except (ValueError, RecursionError):
                raise failures.no_model_list(endpoint) from None

    @asynccontextmanager
    async def _answer(
        self, endpoint: ModelEndpoint, method: str, address: str, body: Mapping[str, Any] | None
    ) -> AsyncIterator[tuple[httpx.Response, str]]:
        await asyncio.to_thread(self.warm)
        clients = self._loop_clients()
        http = clients.http if endpoint.is_of_site else clients.guarded
        key = {"Authorization": f"Bearer {endpoint.api_key}"} if endpoint.api_key else {}
        headers = {**key, **endpoint.headers}
        async with (
            _failures_as_llm_errors(endpoint),
            http.stream(method, address, headers=headers, json=body, timeout=httpx.Timeout(LIST_TIMEOUT)) as answer,
        ):
            yield answer, await _read_bounded(answer)

    async def _open(self, request: ModelRequest) -> "AsyncStream[object]":
        from openai import AsyncStream

        return await self._client(request.endpoint).post(
            "/chat/completions",
            cast_to=object,
            body=_for_openai(request_body(request), request.endpoint),
            options={
                "headers": {"Accept": "text/event-stream", **request.endpoint.headers},
                "timeout": self._timeouts.to_httpx(request.endpoint.silence_seconds),
            },
            stream=True,
            stream_cls=AsyncStream[object],
        )

    def _client(self, endpoint: ModelEndpoint) -> "AsyncOpenAI":
        from openai import AsyncOpenAI

        clients = self._loop_clients()
        account = (endpoint.base_url or OPENAI_URL, endpoint.api_key, endpoint.is_of_site)
        if account not in clients.by_account:
            if len(clients.by_account) >= MAX_CACHED_CLIENTS:  # drop clients of replaced keys
                clients.by_account.clear()
            clients.by_account[account] = AsyncOpenAI(
                base_url=account[0],
                api_key=account[1] or NO_KEY,
                http_client=clients.http if endpoint.is_of_site else clients.guarded,
                timeout=self._timeouts.to_httpx(),
                max_retries=0,
            )
        return clients.by_account[account]

    def _loop_clients(self) -> _LoopClients:
        loop = asyncio.get_running_loop()
        if loop not in self._loops:
            limits = httpx.Limits(max_connections=None, max_keepalive_connections=64, keepalive_expiry=30)
            http = httpx.AsyncClient(
                verify=tls_context(), limits=limits, mounts=LOOPBACK_WITHOUT_PROXY, follow_redirects=True
            )
            guarded = httpx.AsyncClient(transport=GuardedTransport(self._rules), follow_redirects=False)
            self._loops[loop] = _LoopClients(http, guarded)
        return self._loops[loop]


def request_body(request: ModelRequest) -> dict[str, Any]:
    """Return the request in the chat-completions format, without the options that are not set."""
    optional = {
        "temperature": request.temperature,
        "top_p": request.top_p,
        "max_tokens": request.max_tokens,
    }
    return {
        **request.options,
        "model": request.endpoint.model,
        "messages": _messages(request),
        "stream": True,
        "stream_options": {"include_usage": True},
        **({"tools": tool_list(request)} if request.tools else {}),
        **({"tool_choice": "required"} if request.tools and request.must_call else {}),
        **{name: value for name, value in optional.items() if value is not None},
    }


def _messages(request: ModelRequest) -> list[Any]:
    is_marked = "claude" in request.endpoint.model.lower() and wants_marks(request.endpoint)
    return with_marks(request.messages) if is_marked else list(request.messages)


def _for_openai(body: dict[str, Any], endpoint: ModelEndpoint) -> dict[str, Any]:
    """Rename `max_tokens` in requests to OpenAI to the new name, which all of OpenAI's models accept. Its newer models
    refuse the old name."""
    if "max_tokens" not in body or (urlsplit(endpoint.base_url or OPENAI_URL).hostname != OPENAI_HOST):
        return body
    return {("max_completion_tokens" if name == "max_tokens" else name): value for name, value in body.items()}


def tool_list(request: ModelRequest) -> list[dict[str, Any]]:
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.schema,
            },
        }
        for tool in request.tools
    ]


@asynccontextmanager
async def _failures_as_llm_errors(endpoint: ModelEndpoint) -> AsyncIterator[None]:
    """Convert exceptions of the block to LlmErrors. Their cause is removed, because it would contain the request with
    the key."""
    import openai

    try:
        yield
    except LlmError:
        raise
    except (openai.APITimeoutError, httpx.TimeoutException):
        raise failures.too_slow(endpoint) from None
    except (EndpointRefused, httpx.ConnectError) as error:
        raise _connection_failure(endpoint, error) from None
    except openai.APIStatusError as error:
        raise failures.from_status(
            endpoint, error.status_code, _body(error.response), _headers(error.response)
        ) from None
    except openai.APIConnectionError as error:
        raise _connection_failure(endpoint, error.__cause__) from None
    except openai.APIError as error:
        raise failures.from_error_event(endpoint, error.body or error.message) from None
    except httpx.HTTPError:
        raise failures.cut_off() from None
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise failures.unreadable_answer(endpoint) from None
    except (openai.OpenAIError, httpx.InvalidURL, ValueError) as error:
        raise failures.invalid_call(endpoint, str(error)) from None


def _connection_failure(endpoint: ModelEndpoint, cause: BaseException | None) -> LlmError:
    if isinstance(cause, EndpointRefused):
        return failures.endpoint_refused(endpoint)
    if reason := _tls_problem(cause):
        return failures.tls_failed(endpoint, reason)
    if isinstance(
        cause,
        httpx.UnsupportedProtocol | httpx.InvalidURL | ValueError | httpx.TooManyRedirects,
    ):
        return failures.invalid_call(endpoint, str(cause))
    if isinstance(cause, httpx.ReadError | httpx.RemoteProtocolError):
        return failures.cut_off()
    return failures.unreachable(endpoint)


def _tls_problem(error: BaseException | None) -> str:
    """Return the TLS library's description of a certificate or encryption error; empty for any other error."""
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return f"its certificate is not valid ({error.verify_message})"
        if isinstance(error, ssl.SSLError) and not isinstance(error, ssl.SSLEOFError):
            return f"TLS failed ({(error.reason or 'the connection was lost').lower().replace('_', ' ')})"
        error = error.__cause__ or error.__context__
    return ""


async def _read_bounded(answer: httpx.Response) -> str:
    body = b""
    async for piece in answer.aiter_bytes():
        body += piece
        if len(body) > MAX_LIST_BYTES:
            break
    return body[:MAX_LIST_BYTES].decode("utf-8", "replace")


def _names_in(endpoint: ModelEndpoint, body: str, content_type: str) -> list[str]:
    try:
        found = json.loads(body)
        listed = found["data"] if isinstance(found, Mapping) else found
        return sorted({one["id"].removeprefix("models/") for one in listed if isinstance(one["id"], str)})
    except (ValueError, KeyError, TypeError, RecursionError):
        raise failures.not_a_model_api(endpoint, content_type) from None


def _require_event_stream(endpoint: ModelEndpoint, response: httpx.Response) -> None:
    content_type = response.headers.get("content-type", "")
    if content_type.startswith(("text/html", "application/json", "application/xml", "text/xml")):
        raise failures.not_a_model_api(endpoint, content_type)


def _require_mapping(chunk: object) -> Mapping[str, Any]:
    if not isinstance(chunk, Mapping):
        raise json.JSONDecodeError("a chunk is not an object", "", 0)
    return chunk


def _body(response: httpx.Response) -> str:
    return response.text if response.is_closed else ""


def _headers(response: httpx.Response) -> Mapping[str, str]:
    return {name.lower(): value for name, value in response.headers.items()}
