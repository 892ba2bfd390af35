"""REST: fork a session."""

from datetime import datetime
from typing import Literal

from django.http import HttpRequest
from ninja import Field, Router, Schema, Status

from agentsite.tenancy.authentication import current_user
from sessions_app.actions.forking import fork_session
from sessions_app.events import schema, views
from sessions_app.models import Message
from sessions_app.queries.sessions import find_session

router = Router(tags=["sessions"])


class NewFork(Schema):
    """`message_id` is the last message that is taken over; without one it is all that is whole. `workspace` `copy`
    gives the fork files of its own, `same` lets it work on the very same."""

    message_id: str | None = None
    title: str = Field(default="", max_length=200)
    workspace: Literal["copy", "same"] = "copy"


class ForkView(Schema):
    """`files`: `copied` as they were at `files_at`, when the original's workspace was last archived, whatever the
    message; `fresh`, the project's first ones, when it never was; or `shared` with the original."""

    session: schema.SessionView
    files: Literal["copied", "fresh", "shared"]
    files_at: datetime | None


@router.post("/sessions/{session_id}/fork", response={201: ForkView}, operation_id="fork_session")
def post_fork(request: HttpRequest, session_id: str, payload: NewFork) -> Status[ForkView]:
    """A new session with the conversation up to there. What was allowed "always" for the original is asked again."""
    user, row = current_user(request), find_session(request, session_id)
    messages = Message.objects.visible_to(user).filter(session=row)
    fork = fork_session(
        actor=user,
        session=row,
        message=messages.by_public_id(payload.message_id) if payload.message_id else None,
        title=payload.title,
        same_workspace=payload.workspace == "same",
    )
    return Status(201, ForkView(session=views.session(fork.session), files=fork.files, files_at=fork.files_at))
