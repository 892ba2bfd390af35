"""JSON Schemas of all frames on the session socket and the personal socket, in both directions, for authors of clients.

The tests validate every frame that is sent. Clients must ignore unknown types and fields, because new ones may be
added; none is ever removed.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError, create_model

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import BadInput
from sessions_app.actions.prompts import MAX_WAIT_SECONDS
from sessions_app.events.conversation import MAX_MESSAGES
from sessions_app.events.presence import WatcherView
from sessions_app.events.publish import NOTICES
from sessions_app.events.schema import EVENT_VIEWS, ErrorView, SnapshotView

MAX_NAME_CHARACTERS: Final = 40  # characters of a client's own names in an error
MAX_PROBLEMS: Final = 5  # fields that one error names
AnyFrame = TypeVar("AnyFrame")


class Frame(BaseModel):
    model_config = ConfigDict(extra="forbid", json_schema_serialization_defaults_required=True)


class FromClient(Frame):
    """A frame from the client. `id` is any value that the client chooses; the answer to the frame has the same `id`."""

    id: JsonValue = None


class Hello(FromClient):
    """The first frame. `after` is the last `seq` that the client has, or null to get a snapshot. `limit` is the maximum
    number of messages in snapshots on this socket, the newest ones; null for the whole conversation."""

    type: Literal["hello"]
    after: int | None = None
    limit: int | None = Field(default=None, ge=1, le=MAX_MESSAGES)


class Prompt(FromClient):
    type: Literal["prompt"]
    text: str
    agent: str = ""
    attachments: list[str] = Field(default_factory=list)
    wait_for_answers: int | None = Field(default=None, ge=0, le=MAX_WAIT_SECONDS)
    output_schema: dict[str, Any] | None = None


class PromptChange(FromClient):
    """A request to replace the text of your own prompt that waits while the agent works."""

    type: Literal["prompt.change"]
    message_id: str
    text: str


class PromptWithdraw(FromClient):
    """A request to withdraw your own prompt that waits while the agent works. The answer has the prompt's content."""

    type: Literal["prompt.withdraw"]
    message_id: str


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
    """The frame with this `id` succeeded; `data` is its result."""

    type: Literal["ack"]
    id: JsonValue
    data: JsonValue


class Refusal(Frame):
    """The frame with this `id` failed."""

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
    """Text that was appended to a part, or to the live output of a call. `offset` is in code points."""

    type: Literal["delta"]
    target: Literal["part", "call"]
    id: str
    offset: int
    text: str


class Presence(Frame):
    """Everybody who has the session open, including you. Sent whenever somebody opens or closes the session, or such a
    person's data or rights change."""

    type: Literal["presence"]
    people: list[WatcherView]


class Event(Frame):
    type: Literal["event"]
    seq: int
    at: str


class Notice(Frame):
    """A notice that an event happened in a session of one of your projects. Load the session again."""

    type: Literal["notice"]
    session_id: str


class NewAudience(Notice):
    """A notice that the group of people who can see a session changed. Load your lists of sessions again."""

    kind: Literal["session.audience"]
    data: dict[str, JsonValue]


class BudgetNews(Frame):
    """A notice that a share of a budget is used, or that the budget was changed. `share` is in per cent, and `message`
    is a sentence with it. If the budget was changed, `share` is 0 and `message` is empty."""

    id: str
    team_id: str
    share: int
    message: str


class BudgetNotice(Notice):
    """A notice about a budget. It belongs to no session, so `session_id` is empty."""

    kind: Literal["budget.updated"]
    data: BudgetNews


def _of_each(base: type[Frame], name_field: str, names: list[str]) -> list[type[Frame]]:
    """Return a subclass of `base` for each event name. `name_field` only accepts the name, and `data` has the exact
    schema of the event."""
    made = []
    for name in names:
        fields: dict[str, Any] = {name_field: (Literal[name], ...), "data": (EVENT_VIEWS[name], ...)}
        title = "".join(word.title() for word in name.split(".")) + base.__name__
        made.append(cast("type[Frame]", create_model(title, __base__=base, **fields)))
    return made


SessionFrame = Annotated[
    Hello
    | Prompt
    | PromptChange
    | PromptWithdraw
    | Abort
    | PermissionReplyFrame
    | QuestionReply
    | QuestionReject
    | PartGet
    | CallGet
    | Ping,
    Field(discriminator="type"),
]
MeFrame = Annotated[MeHello | Ping, Field(discriminator="type")]
SESSION_CLIENT: Final[TypeAdapter[SessionFrame]] = TypeAdapter(SessionFrame)
ME_CLIENT: Final[TypeAdapter[MeFrame]] = TypeAdapter(MeFrame)
ANSWERS: Final = [Ack, Refusal, Pong]
SESSION_SERVER: Final = [*ANSWERS, Snapshot, Delta, Presence, *_of_each(Event, "event_type", list(EVENT_VIEWS))]
ME_SERVER: Final = [*ANSWERS, NewAudience, *_of_each(Notice, "kind", sorted(NOTICES)), BudgetNotice]


def parse_frame(kinds: TypeAdapter[AnyFrame], frame: dict[str, Any]) -> AnyFrame:
    """Parse a client's frame, whose `type` is a text, without converting values.

    Raises BadInput that names every wrong or unknown field.
    """
    try:
        return kinds.validate_python(frame, strict=True)
    except ValidationError as error:
        problems = error.errors(include_url=False, include_input=False, include_context=False)
    name = frame["type"][:MAX_NAME_CHARACTERS]
    kinds_of_problem = {problem["type"] for problem in problems}
    if "union_tag_invalid" in kinds_of_problem:
        raise BadInput(f"There is no frame '{name}' on this socket.", code=ErrorCode.UNKNOWN_FRAME)
    fields = {_path(problem["loc"]): _text(problem["type"], problem["msg"]) for problem in problems[:MAX_PROBLEMS]}
    text = f"The '{name}' frame is not valid: " + ", ".join(f"'{path}': {what}" for path, what in fields.items()) + "."
    raise BadInput(
        text, code=ErrorCode.UNKNOWN_FIELD if kinds_of_problem == {"extra_forbidden"} else None, fields=fields
    )


def _path(location: Sequence[int | str]) -> str:
    """Return the dotted path of a field in the frame, from pydantic's location of an error. The first entry of the
    location, the type of the frame, is left out."""
    return ".".join(str(step)[:MAX_NAME_CHARACTERS] for step in location[1:])


def _text(kind: str, message: str) -> str:
    return "there is no such field" if kind == "extra_forbidden" else message[:1].lower() + message[1:]
