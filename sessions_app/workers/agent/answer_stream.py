"""Read a model's answer from its stream, while it is published and saved."""

import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from typing import Any, Final, cast

from asgiref.sync import sync_to_async
from django.utils import timezone

from agentsite.base.ids import new_id, to_public
from sessions_app.actions.turns import LEASE, LeaseLost, Step, open_message, save_parts
from sessions_app.agent.answer import DraftPart, ModelAnswer
from sessions_app.events.publish import publish_delta
from sessions_app.llm.port import (
    LlmRefused,
    LlmUnavailable,
    ModelEvent,
    ModelRequest,
    ReasoningDelta,
    TextDelta,
    ToolCallDelta,
)
from sessions_app.models import Turn
from sessions_app.models.base import renew_lease
from sessions_app.workers.shared.lease import Keeper, run_with_keeper

OUTPUT_LIMIT: Final = 2_000_000  # characters; a longer answer is cut off
TOO_LONG_HINT: Final = "Ask for less at once, or choose another model."

Stream = Callable[[ModelRequest], AsyncIterator[ModelEvent]]


async def collect_answer(keeper: "AnswerKeeper", request: ModelRequest, stream: Stream) -> None:
    """Read the whole answer into the keeper.

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
    """Creates parts as they begin, publishes the text that was added to them, and saves them periodically."""

    def __init__(self, step: Step) -> None:
        self.answer = ModelAnswer(new_id)
        self._step = step
        self._published: dict[uuid.UUID, int] = {}
        self._opening = False

    @property
    def opened(self) -> bool:
        """Return whether a part of the answer was published, or may still be published by a thread that outlives the
        stream."""
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
