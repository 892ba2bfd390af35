"""Make model calls: reserve the cost, read the answer from its stream while it is published and saved, and settle the
cost when the call ends for whatever reason."""

import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import replace
from decimal import Decimal
from math import isfinite
from typing import Any, Final, cast

from asgiref.sync import sync_to_async
from django.utils import timezone

from agentsite.base.background import background
from agentsite.base.ids import new_id, to_public
from agentsite.base.prepared import PreparedQuery
from sessions_app.actions.turns import LEASE, LeaseLost, Step, open_message, save_parts
from sessions_app.agent.answer import DraftPart, ModelAnswer
from sessions_app.events.publish import publish_delta
from sessions_app.llm.port import (
    LlmError,
    LlmRefused,
    LlmUnavailable,
    ModelEvent,
    ModelRequest,
    ReasoningDelta,
    TextDelta,
    TokenUsage,
    ToolCallDelta,
)
from sessions_app.llm.prices import ModelFacts
from sessions_app.models import ModelCall, Turn
from sessions_app.models.base import renew_lease
from sessions_app.spending.admission import Bound, bound_of, cost_of, is_free, prefix_of
from sessions_app.spending.reservations import (
    RELEASED,
    CallBilling,
    PlannedCall,
    Settlement,
    StepUsage,
    billing_of,
    reserve_call,
    settle_alone,
)
from sessions_app.workers.agent.provider_keys import facts_of, gateway, provider_of, window_of
from sessions_app.workers.shared.lease import Keeper, run_with_keeper

OUTPUT_LIMIT: Final = 2_000_000  # characters; a longer answer is cut off
TOO_LONG_HINT: Final = "Ask for less at once, or choose another model."
MAX_TOKEN_COUNT: Final = 400_000_000  # tokens; the sum of the five `TOKEN_FIELDS` still fits into an integer column
TOKEN_FIELDS: Final = ("input", "output", "reasoning", "cache_read", "cache_write")

Stream = Callable[[ModelRequest], AsyncIterator[ModelEvent]]


async def collect_answer(keeper: "AnswerKeeper", request: ModelRequest, stream: Stream) -> None:
    """Read the whole answer of a model, and add its parts to the keeper.

    Raises LlmError if the model fails, and LeaseLost if the turn was stopped or another worker has it.
    """
    await run_with_keeper(_read(keeper.answer, request, stream), keeper)
    keeper.publish()


async def _read(answer: ModelAnswer, request: ModelRequest, stream: Stream) -> None:
    size = 0
    async with aclosing(cast(Any, stream(request))) as events:
        async for event in events:
            answer.add(event)
            size += _size(event)
            if size > OUTPUT_LIMIT:
                raise LlmRefused(
                    f"The model wrote more than {OUTPUT_LIMIT:,} characters without ending.", hint=TOO_LONG_HINT
                )
    if not answer.finish:
        raise LlmUnavailable("The model's answer was cut off.")


def _size(event: ModelEvent) -> int:
    match event:
        case TextDelta(text) | ReasoningDelta(text):
            return len(text)
        case ToolCallDelta():
            return len(event.arguments)
    return 0


class AnswerKeeper(Keeper):
    """Keeper of a model's answer: creates each part of the answer when it begins, publishes the text that is added to
    it, and saves the parts periodically."""

    def __init__(self, step: Step) -> None:
        self.answer = ModelAnswer(new_id)
        self._step = step
        self._published: dict[uuid.UUID, int] = {}
        self._opening = False

    @property
    def opened(self) -> bool:
        """True if a part of the answer was published, or a thread that outlives the stream may still publish one."""
        return self._opening

    async def publish_progress(self) -> None:
        fresh = [part for part in self.answer.streaming_parts if part.id not in self._published]
        if fresh:
            self._opening = True
            empty = [DraftPart(part.id, part.index, part.type) for part in fresh]
            await sync_to_async(open_message, thread_sensitive=False)(self._step, empty)
            self._published.update({part.id: 0 for part in fresh})
        self.publish()

    def publish(self) -> None:
        for part in self._opened():
            published = self._published[part.id]
            if len(part.text) > published:
                added = part.text[published:]
                publish_delta(
                    self._step.session_id,
                    target="part",
                    public_id=to_public("prt", part.id),
                    offset=published,
                    text=added,
                )
                self._published[part.id] = published + len(added)

    def save(self) -> None:
        if self._published:
            save_parts(self._step, self._opened())

    def check_lease(self) -> None:
        mine = Turn.objects.filter(pk=self._step.turn_id, lease_token=self._step.token, state=Turn.State.RUNNING)
        if not mine.exists():
            raise LeaseLost

    def renew(self) -> None:
        until = timezone.now() + LEASE
        if not renew_lease(Turn, self._step.turn_id, token=self._step.token, states=(Turn.State.RUNNING,), until=until):
            raise LeaseLost

    def _opened(self) -> list[DraftPart]:
        return [part for part in self.answer.streaming_parts if part.id in self._published]


class MeteredCall:
    """One attempt of a model call whose cost is reserved. `answer` has the parts of the answer that were received so
    far."""

    def __init__(
        self, billing: CallBilling, request: ModelRequest, purpose: str, answer: ModelAnswer, *, counted: int = 0
    ) -> None:
        self.request = request
        self.answer = answer
        self._billing = billing
        self._facts = facts_of(request.endpoint)
        prefix = prefix_of(request) if purpose == ModelCall.Purpose.STEP and not is_free(self._facts) else ""
        if counted and not _is_counted(billing, prefix):
            counted = 0
        bound = _bound(request, self._facts, counted)
        provider = provider_of(request.endpoint)
        asked = PlannedCall(purpose, provider, request.endpoint.model, bound, self._facts, prefix)
        self._reserved = reserve_call(billing, asked)
        if self._reserved.is_capped:
            self.request = replace(request, max_tokens=self._reserved.bound.output)
        self._is_kept = False

    def spent(self) -> StepUsage:
        """Return the usage of the call, to be settled in the transaction that stores the answer."""
        outcome = self._outcome()
        self._is_kept = True
        tokens = {name: outcome.tokens.get(name, 0) for name in TOKEN_FIELDS}
        if outcome.is_estimated:
            tokens = dict.fromkeys(TOKEN_FIELDS, 0)  # the size is unknown if the provider did not count it
        cost = outcome.cost or Decimal(0)
        return StepUsage(
            tokens, cost, limit=window_of(self.request.endpoint).usable or 0, settles=(self._reserved.call, outcome)
        )

    def close(self, error: BaseException | None) -> None:
        """Settle the reservation of the call if it is not settled yet. `error` is the exception with which the call
        ended."""
        if error is None and self._is_kept:
            return
        nothing_came = isinstance(error, LlmError) and not (self.answer.parts or self.answer.finish)
        settle_alone(self._reserved.call, self._billing.session_id, RELEASED if nothing_came else self._outcome())

    def _outcome(self) -> Settlement:
        usage = self.answer.usage
        final_usage = usage or TokenUsage(
            input=self._reserved.bound.input, output=min(_received(self.answer), self._reserved.bound.output)
        )
        tokens = {name: _storable(getattr(final_usage, name)) for name in TOKEN_FIELDS}
        return Settlement(tokens, cost_of(TokenUsage(**tokens), self._facts), is_estimated=usage is None)


@contextmanager
def metered_step(step: Step, request: ModelRequest, purpose: str) -> Iterator[tuple[MeteredCall, AnswerKeeper]]:
    """Call the model for the step's answer, and yield the call and the keeper with the complete answer.

    The block that stores the answer settles the call with `spent()`. Raises LlmError and LeaseLost.
    """
    keeper = AnswerKeeper(step)
    billing = billing_of(
        step.session,
        user_id=step.turn.payer_id or step.turn.started_by_id,
        turn_id=step.turn_id,
        message_id=step.message_id,
        token=step.token,
    )
    counted = step.session.context_tokens if purpose == ModelCall.Purpose.STEP else 0
    with _settled_at_end(MeteredCall(billing, request, purpose, keeper.answer, counted=counted)) as paid:
        background.run(collect_answer(keeper, paid.request, gateway.stream))
        yield paid, keeper


@contextmanager
def metered_small_call(
    billing: CallBilling, request: ModelRequest, purpose: str, answer: ModelAnswer
) -> Iterator[MeteredCall]:
    """Reserve the cost of a model call for a title or a summary, and settle it at the end of the block. The block makes
    the call and adds the received events to `answer`."""
    with _settled_at_end(MeteredCall(billing, request, purpose, answer)) as paid:
        yield paid


@contextmanager
def _settled_at_end(paid: MeteredCall) -> Iterator[MeteredCall]:
    try:
        yield paid
    except BaseException as error:
        paid.close(error)
        raise
    paid.close(None)


def _is_counted(billing: CallBilling, prefix: str) -> bool:
    """Return whether the next step can reuse the token count of the session's last settled step: the provider counted
    those tokens, and the step had the same system prompt and tools (`prefix`)."""
    last = _last_settled.first(session=billing.session_id)
    return last is not None and (last.prefix, last.is_estimated) == (prefix, False)


_last_settled: Final[PreparedQuery[ModelCall]] = PreparedQuery(
    lambda session: (
        ModelCall.objects.filter(session_id=session, purpose=ModelCall.Purpose.STEP, state=ModelCall.State.SETTLED)
        .only("prefix", "is_estimated")
        .order_by("-id")[:1]
    )
)


def _bound(request: ModelRequest, facts: ModelFacts, counted: int) -> Bound:
    return Bound(0, 0) if is_free(facts) else bound_of(request, facts, counted=counted)


def _received(answer: ModelAnswer) -> int:
    """Return the answer's size in bytes, which is an upper bound of its tokens."""
    calls = (f"{part.call.name}{part.call.arguments}" for part in answer.parts if part.call)
    return sum(len(text.encode("utf-8", "replace")) for text in (*(part.text for part in answer.parts), *calls))


def _storable(count: object) -> int:
    """Convert a token count reported by a provider to an integer that the database can store; 0 if it is not a
    number."""
    return min(max(int(count), 0), MAX_TOKEN_COUNT) if isinstance(count, int | float) and isfinite(count) else 0
