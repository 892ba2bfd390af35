"""Sending one POST through a guarded process."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from tools_app.web.orders import WebOrder
from tools_app.web.process import GuardedProcess, ProcessFailed

PROGRAM: Final = "tools_app.web.guarded.posting"
AFTERWARDS: Final = 20.0
"""Seconds that the process may live beside its time for the network: it must start, on a busy machine too."""


@dataclass(frozen=True, slots=True)
class PostOrder(WebOrder):
    """An order for one POST request. `seconds` is the time limit for all of it."""

    headers: Mapping[str, str]
    body: str
    limit: int
    """Bytes of the response body that are returned."""

    def as_message(self) -> dict[str, Any]:
        own = {"headers": dict(self.headers), "body": self.body, "limit": self.limit}
        return {**WebOrder.as_message(self), **own}


@dataclass(frozen=True, slots=True)
class PostAnswer:
    """`status` 0 where no answer came; then `problem` says why."""

    status: int
    milliseconds: int
    beginning: str
    problem: str


class _Said(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")

    kind: Literal["answer", "refused", "failed"]
    status: int = 0
    milliseconds: int = 0
    message: str = ""


async def post(order: PostOrder) -> PostAnswer:
    """Never raises for what the receiver does."""
    try:
        async with GuardedProcess(PROGRAM, seconds=order.seconds + AFTERWARDS) as process:
            await process.say(order.as_message())
            message, body = await process.hear()
            said = _Said.model_validate(message)
    except (ProcessFailed, ValidationError) as failure:
        late = isinstance(failure, ProcessFailed) and failure.late
        why = "It took too long." if late else "The process that sends it ended early."
        return PostAnswer(0, 0, "", why)
    beginning = body[: order.limit].decode("utf-8", "replace").replace("\0", "\ufffd")
    return PostAnswer(said.status, max(said.milliseconds, 0), beginning, said.message)
