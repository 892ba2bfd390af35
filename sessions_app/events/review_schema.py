"""API schemas of reviews and undo: comments on changes, approvals of files, and reverts."""

from datetime import datetime
from typing import Literal

from sessions_app.events.base_schema import PersonView, View


class RevertSummaryView(View):
    """The revert of a session that is in force or being applied. `message_id` is the first hidden message; null if only
    files were taken back. `hidden` is the number of hidden messages, `files` the number of changed files. `error` says
    why a failed revert was not applied; it changed nothing."""

    id: str
    state: Literal["pending", "applied", "failed"]
    message_id: str | None
    turn_id: str | None
    hidden: int
    files: int
    undoing: bool
    error: str
    by: str


class MessagesRevertedView(View):
    """Messages that are hidden from people and models from now on, or that are shown again."""

    message_ids: list[str]
    reverted: bool


class ReviewCommentView(View):
    """A comment on lines of a changed file. `side` is the file before (old) or after (new) the change; lines count from
    1, and 0 stands for the whole file. `quote` is the code that the author saw, `version` the file's version then. A
    draft is visible only to its author. `done`: the turn to which the comment was sent is completed; `answer_id` is the
    last message of that turn. A comment whose turn was stopped or failed is open again."""

    id: str
    session_id: str
    author: PersonView | None
    path: str
    side: Literal["old", "new"]
    first_line: int
    last_line: int
    quote: str
    text: str
    version: str
    state: Literal["draft", "open", "sent", "done", "resolved", "deleted"]
    turn_id: str | None
    message_id: str | None
    answer_id: str | None
    settled_by: PersonView | None
    created_at: datetime
    updated_at: datetime


class FileApprovalView(View):
    """One person's approval of a changed file. It is valid until the file changes."""

    session_id: str
    person: PersonView
    path: str
    version: str
    approved_at: datetime
    withdrawn: bool = False
