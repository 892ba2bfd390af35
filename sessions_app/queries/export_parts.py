"""Message parts that only exports have: markers of the start and the end of each step."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, cast

from agentsite.base.ids import from_public, to_public
from sessions_app.events.schema import MessageView, PartView, SnapshotView
from sessions_app.models import Part


def with_step_parts(snapshot: SnapshotView) -> SnapshotView:
    """Return the snapshot with a part `step-start` before and a part `step-finish` after the parts of each answer.

    `data` of `step-finish` is {finish, tokens, cost}. The ids of the two added parts are derived from the id of the
    message.
    """
    parts: dict[str, list[PartView]] = defaultdict(list)
    for part in snapshot.parts:
        parts[part.message_id].append(part)
    framed = [part for message in snapshot.messages for part in _framed(message, parts[message.id])]
    return snapshot.model_copy(update={"parts": framed})


def _framed(message: MessageView, parts: list[PartView]) -> Iterator[PartView]:
    if message.role == "user":
        yield from parts
        return
    last = max((part.index for part in parts), default=0)
    yield _part(message, "step-start", 0, {})
    yield from parts
    if message.state != "streaming":
        tokens = message.tokens.model_dump()
        yield _part(
            message, "step-finish", last + 1, {"finish": message.finish, "tokens": tokens, "cost": message.cost}
        )


def _part(message: MessageView, kind: str, index: int, data: dict[str, object]) -> PartView:
    value = from_public("msg", message.id)
    made = type(value)(int=value.int ^ (1 if kind == Part.Type.STEP_START else 2))
    return PartView(
        id=to_public("prt", made),
        message_id=message.id,
        index=index,
        type=cast(Any, kind),
        text="",
        call_id=None,
        data=data,
    )
