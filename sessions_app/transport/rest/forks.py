"""REST endpoint: fork a session."""

from datetime import datetime
from typing import Literal

from django.http import HttpRequest
from ninja import Field, Router, Schema, Status

from agentsite.http.request_body import RequestBody
from agentsite.tenancy.authentication import current_user
from sessions_app.actions.forking import fork_session
from sessions_app.events import schema, views
from sessions_app.models import Message
from sessions_app.queries.sessions import find_session

router = Router(tags=["sessions"])


class NewFork(RequestBody):
    """A fork of a session. `message_id` is the last message that is copied; without it, all complete messages are. With
    `workspace` `copy` the fork gets files of its own; with `same` it uses the same workspace. `files` selects the files
    of a copy: `then` (the default) for the files at the time of the message, `now` for the newest files."""

    message_id: str | None = None
    title: str = Field(default="", max_length=200)
    workspace: Literal["copy", "same"] = "copy"
    files: Literal["then", "now"] | None = None


class ForkView(Schema):
    """A new fork. `files` is the source of its files: `copied` from the last archive of the original's workspace (made
    at `files_at`), `fresh` from the project's initial files if there is no archive, or `shared` with the original.
    `revert_id` is the revert in the fork that undoes the changes after the message; it is applied when the workspace
    has started. A note in the fork says which changes could not be undone."""

    session: schema.SessionView
    files: Literal["copied", "fresh", "shared"]
    files_at: datetime | None
    revert_id: str | None = None


@router.post("/sessions/{session_id}/fork", response={201: ForkView}, operation_id="fork_session")
def post_fork(request: HttpRequest, session_id: str, payload: NewFork) -> Status[ForkView]:
    """Create a new session with a copy of the conversation up to a message, and with the files that the workspace had
    then. Grants ("always" answers) of the original are not copied."""
    user, row = current_user(request), find_session(request, session_id)
    messages = Message.objects.visible_to(user).filter(session=row)
    message = messages.by_public_id(payload.message_id) if payload.message_id else None
    files = payload.files or ("then" if message is not None and payload.workspace == "copy" else "now")
    fork = fork_session(
        actor=user,
        session=row,
        message=message,
        title=payload.title,
        same_workspace=payload.workspace == "same",
        files_then=files == "then",
    )
    view = ForkView(
        session=views.session(fork.session), files=fork.files, files_at=fork.files_at, revert_id=fork.revert_id
    )
    return Status(201, view)
