"""API schemas of questions that an agent or an MCP server asks people."""

from datetime import datetime
from typing import Literal

from sessions_app.events.base_schema import View


class OptionView(View):
    label: str
    description: str


class AskedQuestionView(View):
    """One of the questions that an agent asks at the same time, or one field of an MCP server's form. `kind` says what
    the answer has to be: for `choice` and `boolean` one of the options, for `confirm` the only option. `prefilled` is
    the answer that the server suggests. A field that is not `required` can be left empty."""

    question: str
    header: str
    options: list[OptionView]
    multiple: bool
    kind: Literal["text", "email", "uri", "date", "date-time", "number", "integer", "boolean", "choice", "confirm"] = (
        "text"
    )
    required: bool = True
    prefilled: list[str] = []


class AskingServerView(View):
    """The MCP server that asks, during a call of its tool. `message` is its text about the form. `url` is a page that
    it asks people to open; it may be empty."""

    name: str
    message: str
    url: str


class QuestionView(View):
    """Questions that wait for people. `server` is the MCP server that asks; null if an agent asks."""

    id: str
    session_id: str
    turn_id: str
    call_id: str
    questions: list[AskedQuestionView]
    server: AskingServerView | None = None
    state: Literal["open", "answered", "dismissed", "cancelled"]
    answers: list[list[str]]
    created_at: datetime
    expires_at: datetime | None
    settled_at: datetime | None
