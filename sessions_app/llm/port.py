"""The interface to language models: request, events and errors. Two adapters implement it and pass the same tests.

LlmError
├── LlmRefused        401, 403, 404, 400: a retry does not help; the hint names the setting to check
│   └── LlmBadRequest other 4xx: the request itself is not valid, such as a picture that cannot be read
├── LlmOverflow       the conversation does not fit the model's context
└── LlmUnavailable    429, 5xx, network errors, incomplete streams: can be retried (after `retry_after` seconds if set)
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final, Literal, Protocol

from agentsite.base.error_codes import ErrorCode

TOOL_FILES_PREFIX: Final = "Files that the tool calls above attached:"
"""Start of a user message that the site adds to pass on the files of tool results."""

EFFORTS: Final = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
"""Every reasoning effort that a model can take, from the least."""

ConfigurationFault = Literal["", "key", "credit", "address", "tls", "model", "form"]


class LlmError(Exception):
    """Base class of model errors.

    `message` and `hint` are plain sentences for the user and never contain a key. `retry_after`: seconds to wait, if
    the provider sent it. `about`: the part of the provider's configuration that caused the error; empty if none did.
    """

    code = ErrorCode.MODEL_ERROR

    def __init__(
        self, message: str, *, hint: str = "", retry_after: float | None = None, about: ConfigurationFault = ""
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.retry_after = retry_after
        self.about = about


class LlmRefused(LlmError):
    code = ErrorCode.MODEL_REFUSED


class LlmBadRequest(LlmRefused):
    """The provider refused the content of the request, such as a picture that it cannot read."""


class LlmOverflow(LlmError):
    code = ErrorCode.MODEL_CONTEXT_OVERFLOW


class LlmUnavailable(LlmError):
    code = ErrorCode.MODEL_UNAVAILABLE


AdapterKind = Literal["openai_compatible", "litellm"]


Exchange = Literal["", "copilot", "gitlab"]


SITE: Final = "site"


@dataclass(frozen=True, slots=True)
class PriceOverrides:
    """Prices that people configured, in US dollars per token."""

    input: Decimal
    output: Decimal
    reasoning: Decimal
    cache_read: Decimal
    cache_write: Decimal


@dataclass(frozen=True, slots=True)
class ModelOverrides:
    """Values that people configured for a model. None: use the value of litellm's table.

    `context`: size of the context in tokens. `max_output`: the longest answer in tokens. `sees`: kinds of files that
    the model accepts ("images", "pdf"). `efforts`: the reasoning efforts that it takes. `calls_tools`: whether it can
    call tools.
    """

    context: int | None = None
    max_output: int | None = None
    prices: PriceOverrides | None = None
    sees: frozenset[str] | None = None
    efforts: tuple[str, ...] | None = None
    calls_tools: bool | None = None


@dataclass(frozen=True, slots=True)
class ModelEndpoint:
    """The address, key and name of a model.

    `kind` selects the adapter. `api_key` and the values of `headers` never leave the agent worker. `options` are
    additional arguments for litellm. `provider` is "site" or the public id of a team's provider, whose address is not
    trusted. `unverified`: the last call to the provider failed, or there was none yet. `silence_seconds` is the longest
    wait for the next bytes of an answer; None is the site's own value. `exchange`: `api_key` is a credential that must
    be exchanged for a token of this provider first.
    """

    kind: AdapterKind
    model: str
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    options: Mapping[str, str] = field(default_factory=dict)
    provider: str = SITE
    provider_name: str = ""
    unverified: bool = False
    overrides: ModelOverrides = ModelOverrides()
    silence_seconds: float | None = None
    exchange: Exchange = ""

    @property
    def is_of_site(self) -> bool:
        return self.provider == SITE


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    name: str
    description: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One model call.

    `messages` are in the chat-completions format (role, content, tool_calls, tool_call_id), system message first. A
    content is a string or a list of parts: text, image_url and file, the latter two with data URLs. If `must_call` is
    true, the answer has to be a tool call. `options` are additional fields of the request body, which never replace the
    fields above.
    """

    endpoint: ModelEndpoint
    messages: Sequence[Mapping[str, Any]]
    tools: Sequence[ToolDefinition] = ()
    must_call: bool = False
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, str] = field(default_factory=dict)


def follows_tool_result(request: ModelRequest) -> bool:
    """Return whether the last message is a tool result, or has the files of one.

    In this case some models send an empty answer if they have nothing to add.
    """
    last = request.messages[-1] if request.messages else {}
    content = last.get("content")
    text = content[0].get("text") if isinstance(content, list) and content else content
    return last.get("role") == "tool" or (last.get("role") == "user" and str(text).startswith(TOOL_FILES_PREFIX))


@dataclass(frozen=True, slots=True)
class TextDelta:
    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    text: str


@dataclass(frozen=True, slots=True)
class ToolCallDelta:
    """A fragment of a tool call. `index` identifies the call; its first fragment has `id` and `name`."""

    index: int
    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Token counts of one call. `input` excludes cached tokens, and `output` excludes reasoning tokens."""

    input: int = 0
    output: int = 0
    reasoning: int = 0
    cache_read: int = 0
    cache_write: int = 0


FinishReason = Literal["stop", "tool_calls", "length", "content_filter", "unknown"]


@dataclass(frozen=True, slots=True)
class Finished:
    """The last event of a model's stream, unless the stream raises an error."""

    reason: FinishReason
    usage: TokenUsage | None = None


ModelEvent = TextDelta | ReasoningDelta | ToolCallDelta | Finished


class LlmGateway(Protocol):
    """The interface through which model calls are made. Both adapters and the gateway implement it."""

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Make one model call, without retries. Closing the iterator closes the connection.

        Raises LlmError; a stream that ends without a finish reason raises LlmUnavailable. Tool arguments are passed on
        unchanged, even if they are not valid JSON.
        """
        ...
