"""What may be sent over the two sockets, in both directions, as JSON Schema for those who write clients.

The tests hold every frame that is really sent against it. A client ignores what it does not know: types and fields may
be added, none is taken away.
"""

from functools import reduce
from operator import or_
from typing import Any, Final, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, create_model

from sessions_app.actions.prompts import LONGEST_WAIT
from sessions_app.events.presence import WatcherView
from sessions_app.events.publish import NOTICES
from sessions_app.events.schema import EVENT_VIEWS, ErrorView, SnapshotView


class Frame(BaseModel):
    model_config = ConfigDict(extra="forbid", json_schema_serialization_defaults_required=True)


class FromClient(Frame):
    """`id` is any value of the client's own; the answer to the frame has it."""

    id: JsonValue = None


class Hello(FromClient):
    """The first frame. `after` is the `seq` that the client has, null to get a snapshot."""

    type: Literal["hello"]
    after: int | None = None


class Prompt(FromClient):
    type: Literal["prompt"]
    text: str
    agent: str = ""
    attachments: list[str] = Field(default_factory=list)
    wait_for_answers: int | None = Field(default=None, ge=0, le=LONGEST_WAIT)
    output_schema: dict[str, Any] | None = None


class Abort(FromClient):
    type: Literal["abort"]


class PermissionReplyFrame(FromClient):
    type: Literal["permission.reply"]
    request_id: str
    reply: Literal["once", "always", "reject"]
    scope: Literal["", "session", "project", "team"] = ""
    message: str = ""


class QuestionReply(FromClient):
    type: Literal["question.reply"]
    question_id: str
    answers: list[list[str]]


class QuestionReject(FromClient):
    type: Literal["question.reject"]
    question_id: str


class PartGet(FromClient):
    type: Literal["part.get"]
    part_id: str


class CallGet(FromClient):
    type: Literal["call.get"]
    call_id: str


class Ping(FromClient):
    type: Literal["ping"]


class MeHello(FromClient):
    type: Literal["hello"]


class Ack(Frame):
    """The frame with this `id` was done; `data` is what came of it."""

    type: Literal["ack"]
    id: JsonValue
    data: JsonValue


class Refusal(Frame):
    """The frame with this `id` was not done."""

    type: Literal["error"]
    id: JsonValue
    error: ErrorView


class Pong(Frame):
    type: Literal["pong"]
    id: JsonValue


class Snapshot(Frame):
    type: Literal["snapshot"]
    snapshot: SnapshotView


class Delta(Frame):
    """Text that was added to a part, or to the live output of a call; `offset` in code points."""

    type: Literal["delta"]
    target: Literal["part", "call"]
    id: str
    offset: int
    text: str


class Presence(Frame):
    """Who has the session open, you included, whenever that changes."""

    type: Literal["presence"]
    people: list[WatcherView]


class Event(Frame):
    type: Literal["event"]
    seq: int
    at: str


class Notice(Frame):
    """Something to load again, in a session of any project of the person."""

    type: Literal["notice"]
    session_id: str


class NewAudience(Notice):
    """Others than before may see that session: read the lists again."""

    kind: Literal["session.audience"]
    data: dict[str, JsonValue]


class BudgetNews(Frame):
    """`message` says which `share` of the budget is used, in per cent; it is empty when the budget was changed."""

    id: str
    team_id: str
    share: int
    message: str


class BudgetNotice(Notice):
    """Of no session: `session_id` is empty."""

    kind: Literal["budget.updated"]
    data: BudgetNews


def _of_each(base: type[Frame], name_field: str, names: list[str]) -> list[type[Frame]]:
    """One frame for each kind of event, so that its data is as exact as its view."""
    made = []
    for name in names:
        fields: dict[str, Any] = {name_field: (Literal[name], ...), "data": (EVENT_VIEWS[name], ...)}
        title = "".join(word.title() for word in name.split(".")) + base.__name__
        made.append(cast("type[Frame]", create_model(title, __base__=base, **fields)))
    return made


ANSWERS: Final = [Ack, Refusal, Pong]
SESSION_CLIENT: Final = [
    Hello, Prompt, Abort, PermissionReplyFrame, QuestionReply, QuestionReject, PartGet, CallGet, Ping,
]  # fmt: skip
ME_CLIENT: Final = [MeHello, Ping]
SESSION_SERVER: Final = [*ANSWERS, Snapshot, Delta, Presence, *_of_each(Event, "event_type", list(EVENT_VIEWS))]
ME_SERVER: Final = [*ANSWERS, NewAudience, *_of_each(Notice, "kind", sorted(NOTICES)), BudgetNotice]


def frame_schema() -> dict[str, Any]:
    """JSON Schema of the frames of each socket, by who sends them."""
    return {
        "session": {
            "client": _any_of(SESSION_CLIENT, "validation"),
            "server": _any_of(SESSION_SERVER, "serialization"),
        },
        "me": {"client": _any_of(ME_CLIENT, "validation"), "server": _any_of(ME_SERVER, "serialization")},
    }


def _any_of(frames: list[Any], mode: Literal["validation", "serialization"]) -> dict[str, Any]:
    return TypeAdapter(reduce(or_, frames)).json_schema(mode=mode)
