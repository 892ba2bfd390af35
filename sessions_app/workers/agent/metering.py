"""Metering of model calls: the cost is reserved before a call, and settled when the call ends for whatever reason."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from math import isfinite
from typing import Final

from agentsite.base.background import background
from agentsite.base.prepared import PreparedQuery
from sessions_app.actions.turns import Step
from sessions_app.agent.answer import ModelAnswer
from sessions_app.llm.port import LlmError, ModelRequest, TokenUsage
from sessions_app.llm.prices import ModelFacts
from sessions_app.models import ModelCall
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
from sessions_app.workers.agent.answer_stream import AnswerKeeper, collect_answer
from sessions_app.workers.agent.provider_keys import facts_of, gateway, provider_of, window_of

MAX_TOKEN_COUNT: Final = 400_000_000  # tokens; five of them are a number that every database holds
TOKEN_FIELDS: Final = ("input", "output", "reasoning", "cache_read", "cache_write")


class MeteredCall:
    """One attempt of a model call whose cost is reserved. `answer` holds what was received so far."""

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
        """Return the usage that the transaction which stores the answer must settle."""
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
        """Settle the reservation if that was not done yet."""
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
    """Call the model for the step's answer and yield the complete answer.

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
    """Reserve and settle a call for a title or a summary. The caller streams into `answer`."""
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
    """Return whether the last answer in this session had the same system prompt and tools, so that its token count can
    be reused."""
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
    """Return a provider's count as an integer that the database can store."""
    return min(max(int(count), 0), MAX_TOKEN_COUNT) if isinstance(count, int | float) and isfinite(count) else 0
