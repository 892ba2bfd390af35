"""The one door to models. Two adapters stand behind it; both pass the same contract tests.

LlmError
├── LlmRefused        401, 403, 404, 400: asking again will not help; the hint names the setting to look at
│   └── LlmBadRequest other 4xx: something in the request itself, such as a picture that cannot be read
├── LlmOverflow       the conversation does not fit the model's context
└── LlmUnavailable    429, 5xx, network, cut or garbled streams: may be tried again (`retry_after` seconds when told)
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final, Literal, Protocol

from agentsite.base.error_codes import ErrorCode

TOOL_FILES_PREFIX: Final = "Files that the tool calls above attached:"
"""How a user message begins that brings what tool results attached; nobody said it."""


FaultOfAccount = Literal["", "key", "credit", "address", "tls", "model", "form"]


class LlmError(Exception):
    """`message` and `hint` are plain sentences for the user and never contain a key. `about` is what of the provider's
    account is at fault; empty: nothing of it."""

    code = ErrorCode.MODEL_ERROR

    def __init__(
        self, message: str, *, hint: str = "", retry_after: float | None = None, about: FaultOfAccount = ""
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.retry_after = retry_after
        self.about = about


class LlmRefused(LlmError):
    code = ErrorCode.MODEL_REFUSED


class LlmBadRequest(LlmRefused):
    """Something in the request itself was refused, such as a picture that the provider cannot read."""


class LlmOverflow(LlmError):
    code = ErrorCode.MODEL_CONTEXT_OVERFLOW


class LlmUnavailable(LlmError):
    code = ErrorCode.MODEL_UNAVAILABLE


AdapterKind = Literal["openai_compatible", "litellm"]


SITE: Final = "site"


@dataclass(frozen=True, slots=True)
class PriceOverrides:
    """What people say that a token costs, in US dollars."""

    input: Decimal
    output: Decimal
    reasoning: Decimal
    cache_read: Decimal
    cache_write: Decimal


@dataclass(frozen=True, slots=True)
class ModelOverrides:
    """What people say about a model; None: what the table of models says."""

    context: int | None = None
    prices: PriceOverrides | None = None
    sees: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class ModelEndpoint:
    """Where a model is. `kind` picks the adapter. `api_key` and the values of `headers` never leave the agent worker.
    `options` are what litellm wants to know besides. `provider` is "site" or the public id of a team's provider, whose
    address is a stranger's word; `unverified`: its last call did not go well, or nobody has made one yet."""

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
    """`messages` are in the chat-completions shape (role, content, tool_calls, tool_call_id), system first. A content
    is a text, or a list of parts: text, image_url and file, the latter two as data URLs. `must_call` True: the answer
    has to be a tool call. `options` are further fields of the request by their names there; they never replace what is
    named here."""

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
    """After a tool result, an empty answer is how some models say that there is nothing to add."""
    last = request.messages[-1] if request.messages else {}
    content = last.get("content")
    words = content[0].get("text") if isinstance(content, list) and content else content
    return last.get("role") == "tool" or (last.get("role") == "user" and str(words).startswith(TOOL_FILES_PREFIX))


@dataclass(frozen=True, slots=True)
class TextDelta:
    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    text: str


@dataclass(frozen=True, slots=True)
class ToolCallDelta:
    """`index` tells parallel calls apart; id and name come with the first fragment of each."""

    index: int
    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens of one call. `input` excludes cached tokens."""

    input: int = 0
    output: int = 0
    reasoning: int = 0
    cache_read: int = 0
    cache_write: int = 0


FinishReason = Literal["stop", "tool_calls", "length", "content_filter", "unknown"]


@dataclass(frozen=True, slots=True)
class Finished:
    """Always the last event of a stream that did not raise."""

    reason: FinishReason
    usage: TokenUsage | None = None


ModelEvent = TextDelta | ReasoningDelta | ToolCallDelta | Finished


class LlmGateway(Protocol):
    def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """One model call, tried once. Closing the iterator closes the connection. A stream that ends before its
        finish reason raises LlmUnavailable; tool arguments are passed on as the model wrote them, valid JSON or not."""
        ...
