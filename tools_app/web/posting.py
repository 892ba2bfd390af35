"""Sending one POST through a guarded process."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from tools_app.web.process import GuardedProcess, ProcessFailed

PROGRAM: Final = "tools_app.web.guarded.posting"
AFTERWARDS: Final = 20.0
"""Seconds that the process may live beside its time for the network: it must start, on a busy machine too."""


@dataclass(frozen=True, slots=True)
class PostOrder:
    """`seconds` for everything, `limit` bytes of the answer; `allowed` are exempted hosts (`host:port`)."""

    url: str
    headers: Mapping[str, str]
    body: str
    seconds: float
    limit: int
    allowed: Sequence[str] = ()
    certificates: str = ""


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
            await process.say(_as_line(order))
            message, body = await process.hear()
            said = _Said.model_validate(message)
    except (ProcessFailed, ValidationError) as failure:
        late = isinstance(failure, ProcessFailed) and failure.late
        why = "It took too long." if late else "The process that sends it ended early."
        return PostAnswer(0, 0, "", why)
    beginning = body[: order.limit].decode("utf-8", "replace").replace("\0", "\ufffd")
    return PostAnswer(said.status, max(said.milliseconds, 0), beginning, said.message)


def _as_line(order: PostOrder) -> dict[str, object]:
    return {
        "url": order.url,
        "headers": dict(order.headers),
        "body": order.body,
        "seconds": order.seconds,
        "limit": order.limit,
        "allowed": list(order.allowed),
        "certificates": order.certificates,
    }
