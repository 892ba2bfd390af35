"""post(): send one POST request through a guarded process."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from tools_app.web.orders import WebOrder
from tools_app.web.process import GuardedProcess, ProcessFailed

PROGRAM: Final = "tools_app.web.guarded.posting"
EXTRA_SECONDS: Final = 20.0
"""Time that the process gets in addition to the time for the network: to start, also on a busy machine."""


@dataclass(frozen=True, slots=True)
class PostOrder(WebOrder):
    """A POST request to send. `seconds` is the time limit for the whole request."""

    headers: Mapping[str, str]
    body: str | bytes
    limit: int
    """Bytes of the response body that are returned."""

    def as_message(self) -> dict[str, Any]:
        body = self.body.encode() if isinstance(self.body, str) else self.body
        own = {"headers": dict(self.headers), "body": base64.b64encode(body).decode(), "limit": self.limit}
        return {**WebOrder.as_message(self), **own}


@dataclass(frozen=True, slots=True)
class PostAnswer:
    """The response to a POST request, or the reason why there is none."""

    status: int
    """0 if there was no response; then `problem` says why."""
    milliseconds: int
    beginning: str
    """The first `PostOrder.limit` bytes of the body, as text."""
    problem: str
    retry_after: str = ""
    """The header `Retry-After` of the response."""


class _Message(BaseModel):
    """A message from the guarded process that sends the request, validated."""

    model_config = ConfigDict(strict=True, extra="ignore")

    kind: Literal["answer", "refused", "failed"]
    status: int = 0
    milliseconds: int = 0
    message: str = ""
    retry_after: str = ""


async def post(order: PostOrder) -> PostAnswer:
    """Send the request and return the response. Failures of the receiver do not raise; they are in `problem`."""
    try:
        async with GuardedProcess(PROGRAM, seconds=order.seconds + EXTRA_SECONDS) as process:
            await process.send(order.as_message())
            data, body = await process.receive()
            message = _Message.model_validate(data)
    except (ProcessFailed, ValidationError) as failure:
        late = isinstance(failure, ProcessFailed) and failure.late
        why = "It took too long." if late else "The process that sends the request ended early."
        return PostAnswer(0, 0, "", why)
    beginning = body[: order.limit].decode("utf-8", "replace").replace("\0", "\ufffd")
    milliseconds = max(message.milliseconds, 0)
    return PostAnswer(message.status, milliseconds, beginning, message.message, message.retry_after)
