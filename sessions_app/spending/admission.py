"""Decide whether a model call fits into its budgets, and how long its answer may be. Pure.

First the upper bound of the call's tokens and cost is calculated. For text that the provider has already counted (the
conversation up to the last answer, with the same instructions), its number is used. For other text, bytes are counted,
because no tokenizer produces more tokens than bytes.

All budgets that apply must have room. A call reserves its maximum cost; if that does not fit, its answer is limited,
down to `MIN_ANSWER_TOKENS`. Below that the call is stopped.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import ROUND_CEILING, Decimal
from typing import Any, Final, Literal

from sessions_app.llm.port import ModelRequest, TokenUsage
from sessions_app.llm.prices import ModelFacts, Prices, cost

SMALLEST_AMOUNT: Final = Decimal("0.000001")
MAX_AMOUNT: Final = Decimal("99999999.999999")
MAX_TOKENS: Final = 10**12
TOKENS_PER_MESSAGE: Final = 16  # overhead that a provider may add to each message and tool
MAX_TOKENS_PER_IMAGE: Final = 50_000  # the most that any provider counts
DEFAULT_MAX_OUTPUT: Final = 16_384  # tokens; used when a model's output limit is unknown
MIN_ANSWER_TOKENS: Final = 256  # a shorter answer would be useless
A_MILLION: Final = Decimal(1_000_000)
START_OF_TOTAL: Final = datetime(2000, 1, 1, tzinfo=UTC)
NOTICES: Final = (100, 80)  # per cent

RejectReason = Literal["budget_exhausted", "budget_busy", "price_unknown"]


@dataclass(frozen=True, slots=True)
class Bound:
    """The maximum numbers of input and output tokens of a call."""

    input: int
    output: int


def rounded_up(amount: Decimal) -> Decimal:
    """Round up to a millionth of a dollar, capped at the largest value that can be stored."""
    return min(max(amount, Decimal(0)), MAX_AMOUNT).quantize(SMALLEST_AMOUNT, rounding=ROUND_CEILING)


def cost_of(usage: TokenUsage, facts: ModelFacts) -> Decimal | None:
    """Return the actual cost of a call, rounded up; None if the price is unknown."""
    price = cost(usage, facts)
    return None if price is None else rounded_up(price)


def max_cost(bound: Bound, facts: ModelFacts) -> Decimal | None:
    """Return the maximum cost of a call whose tokens are within the bound; None if the price is unknown."""
    fitting = [tier for tier in facts.tiers if bound.input > tier.above or tier.above == 0]
    if not fitting:
        return None
    return rounded_up(
        max(bound.input * _highest_input_price(tier) + bound.output * _highest_output_price(tier) for tier in fitting)
    )


def max_output_tokens(money: Decimal, tokens_of_input: int, facts: ModelFacts) -> int:
    """Return the maximum number of output tokens of a call that must cost at most `money`; negative if the input alone
    costs more. Only for models with a non-zero price."""
    fitting = [tier for tier in facts.tiers if tokens_of_input > tier.above or tier.above == 0]
    left = [(money - tokens_of_input * _highest_input_price(tier), _highest_output_price(tier)) for tier in fitting]
    return min(-1 if rest < 0 else int(rest // price) if price else MAX_TOKENS for rest, price in left)


def is_free(facts: ModelFacts) -> bool:
    return bool(facts.tiers) and all(
        not _highest_input_price(tier) and not _highest_output_price(tier) for tier in facts.tiers
    )


def bound_of(request: ModelRequest, facts: ModelFacts, *, counted: int = 0) -> Bound:
    """Return the upper bounds of a request's input and output tokens. `counted` is the provider's token count up to the
    last answer; 0 if unknown."""
    fresh = _since_answer(request.messages) if counted else request.messages
    tools = (
        0
        if counted
        else sum(_size(tool.schema) + _bytes(tool.description) + TOKENS_PER_MESSAGE for tool in request.tools)
    )
    tokens = counted + tools + max_input_tokens(fresh)
    allowed = request.max_tokens or request.options.get("max_tokens") or facts.max_output or DEFAULT_MAX_OUTPUT
    return Bound(min(tokens, facts.context or MAX_TOKENS, MAX_TOKENS), min(int(allowed), MAX_TOKENS))


def max_input_tokens(messages: Iterable[Mapping[str, Any]]) -> int:
    return sum(_of_message(message) for message in messages)


def prefix_of(request: ModelRequest) -> str:
    """Return a hash of the model and of the parts of a request that stay the same in a conversation: system message and
    tools."""
    first = request.messages[0].get("content") if request.messages else ""
    tools = [(tool.name, tool.description, tool.schema) for tool in request.tools]
    text = json.dumps([request.endpoint.base_url, request.endpoint.model, first, tools, request.must_call], default=str)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _highest_input_price(tier: Prices) -> Decimal:
    return max(tier.input, tier.cache_read, tier.cache_write)


def _highest_output_price(tier: Prices) -> Decimal:
    return max(tier.output, tier.reasoning)


def _since_answer(messages: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    last = max((place for place, message in enumerate(messages) if message["role"] == "assistant"), default=-1)
    return messages[last + 1 :]


def _of_message(message: Mapping[str, Any]) -> int:
    content = message.get("content") or ""
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    rest = {name: value for name, value in message.items() if name not in ("role", "content")}
    return sum(map(_of_block, blocks)) + (_size(rest) if rest else 0) + TOKENS_PER_MESSAGE


def _of_block(block: Mapping[str, Any]) -> int:
    size = _bytes(block["text"]) if "text" in block else _size(block)
    return min(size, MAX_TOKENS_PER_IMAGE) if block.get("type") == "image_url" else size


def _size(value: Any) -> int:
    return len(
        json.dumps(value, default=str)
    )  # JSON escapes of non-ASCII characters are longer than their UTF-8 bytes, so this is an upper bound


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


@dataclass(frozen=True, slots=True)
class BudgetTerms:
    """A budget's settings and its usage in the current period. `assumed` are the prices for models without a known
    price: UNKNOWN refuses such models, zero prices allow them."""

    id: Any
    limit: Decimal
    spent: Decimal
    reserved: Decimal
    hard: bool
    assumed: ModelFacts
    max_output: int | None = None

    @property
    def left(self) -> Decimal:
        return self.limit - self.spent - self.reserved


@dataclass(frozen=True, slots=True)
class Admitted:
    """The result for a model call that fits into its budgets. `amounts` are the reservations in each budget.
    `is_capped`: the maximum length of the answer must be sent to the provider."""

    bound: Bound
    amounts: dict[Any, Decimal]
    is_capped: bool


@dataclass(frozen=True, slots=True)
class Rejected:
    """The result for a call that does not fit into a budget. `least` is the least amount that must be left in the
    budget for the call. `why` is "budget_busy" if the call would fit once other calls release their reservations."""

    why: RejectReason
    budget: Any
    least: Decimal


def admit(bound: Bound, facts: ModelFacts, budgets: Sequence[BudgetTerms]) -> Admitted | Rejected:
    allowed = bound.output
    for terms in budgets:
        allowed = min(allowed, terms.max_output or MAX_TOKENS)
    shortest = min(MIN_ANSWER_TOKENS, allowed)
    priced = [(terms, facts if facts.tiers else terms.assumed) for terms in budgets]
    for terms, prices in priced:
        if not terms.hard:
            continue
        least = max_cost(replace(bound, output=shortest), prices)
        if least is None:
            return Rejected("price_unknown", terms.id, Decimal(0))
        if least > terms.left:
            busy = least <= terms.limit - terms.spent
            return Rejected("budget_busy" if busy else "budget_exhausted", terms.id, least)
        allowed = min(allowed, max_output_tokens(terms.left, bound.input, prices))
    fitting = replace(bound, output=max(allowed, shortest))
    amounts = {terms.id: max_cost(fitting, prices) or Decimal(0) for terms, prices in priced}
    is_capped = any(terms.hard or terms.max_output for terms in budgets)
    return Admitted(fitting, amounts, is_capped)


def flat_prices(input_price: Decimal, output_price: Decimal) -> ModelFacts:
    """Return model facts with one price for all kinds of input and one for all kinds of output. Both arguments are US
    dollars per million tokens."""
    into, out = input_price / A_MILLION, output_price / A_MILLION
    return ModelFacts(tiers=(Prices(0, into, out, out, into, into),))


def window_start(period: str, now: datetime) -> datetime:
    """Return the time at which the current period of a budget began: midnight UTC of the day, of Monday, or of the
    first of the month."""
    today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    match period:
        case "day":
            return today
        case "week":
            return today - timedelta(days=today.weekday())
        case "month":
            return today.replace(day=1)
    return START_OF_TOTAL


def window_end(period: str, start: datetime) -> datetime | None:
    """Return the time at which the next period of a budget begins; None for a budget without periods."""
    match period:
        case "day":
            return start + timedelta(days=1)
        case "week":
            return start + timedelta(days=7)
        case "month":
            return (start + timedelta(days=32)).replace(day=1)
    return None


def notice_due(limit: Decimal, spent: Decimal, noticed: int) -> int:
    """Return the share of a budget's limit, in per cent, that `spent` has reached and of which people have to be
    notified now; 0 if no notice is due."""
    reached = next((share for share in NOTICES if spent * 100 >= limit * share), 0)
    return reached if reached > noticed else 0
