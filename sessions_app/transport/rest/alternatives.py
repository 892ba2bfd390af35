"""REST endpoints: try again, choose one of several answers, and edit a prompt."""

from datetime import datetime
from typing import Literal

from django.http import HttpRequest
from ninja import Field, Router, Schema, Status

from agentsite.base.errors import BadInput
from agentsite.http.operation_marks import idempotent
from agentsite.http.request_body import RequestBody
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.models import User
from sessions_app.actions.alternatives import choose_answer, resend_edited, try_again
from sessions_app.actions.forking import fork_edited
from sessions_app.actions.prompts import PROMPT_LIMIT
from sessions_app.events import schema, views
from sessions_app.models import Message, Turn
from sessions_app.transport.rest.reverts import RevertDecision, decisions_of

router = Router(tags=["conversation"])


class NewTry(RequestBody):
    """A request to answer a prompt again. If `files` is `now`, the files stay as they are. If it is `then`, the changes
    since the prompt are first reverted, as `POST /sessions/{id}/revert` does, with `decisions` about conflicts."""

    files: Literal["now", "then"] = "now"
    decisions: list[RevertDecision] = Field(default=[], max_length=5000)


class EditedPrompt(RequestBody):
    """A prompt with another text and the same attachments. If `where` is `here`, it is answered in the same session,
    and the old answer is hidden together with everything after it. If it is `fork`, it is answered in a new session
    with the conversation before it; `workspace` says which files that session gets, as for a fork. If `files` is `now`,
    the files stay as they are. If it is `then`, the changes since the prompt are taken back; for `here`, with
    `decisions` about conflicts."""

    text: str = Field(min_length=1, max_length=PROMPT_LIMIT)
    where: Literal["here", "fork"] = "here"
    workspace: Literal["copy", "same"] = "copy"
    files: Literal["now", "then"] = "now"
    decisions: list[RevertDecision] = Field(default=[], max_length=5000)


class EditedPromptTaken(Schema):
    """The turn that answers the edited prompt, and the turn's session. `files` and `files_at` say which files a fork
    starts with; `files` is `shared` if the fork uses the same workspace or there is no fork. `revert_id` is the revert
    in a fork for which the turn waits."""

    session_id: str
    turn: schema.TurnView
    files: Literal["copied", "fresh", "shared"]
    files_at: datetime | None
    revert_id: str | None = None


@router.post("/turns/{turn_id}/retry", response={202: schema.TurnView}, operation_id="retry_turn")
def post_retry(request: HttpRequest, turn_id: str, payload: NewTry | None = None) -> Status[schema.TurnView]:
    """Answer the prompt of a turn again, in a new turn. The old answer is kept as an alternative (event
    `alternatives.updated`) and hidden with the turns after it. Files stay as they are, or changes are taken back first:
    the new turn then waits for the revert, and fails with `revert_conflict` if somebody has to decide about a file."""
    wanted = payload or NewTry()
    turn = try_again(
        actor=current_user(request),
        turn=_find_turn(request, turn_id),
        files_then=wanted.files == "then",
        decisions=decisions_of(wanted.decisions),
    )
    return Status(202, views.turn(turn))


@router.post("/turns/{turn_id}/choose", response=schema.AlternativesView, operation_id="choose_turn")
@idempotent
def post_choose(request: HttpRequest, turn_id: str) -> schema.AlternativesView:
    """Choose this turn among the answers to the same prompt. People and models continue from it, and the turns after it
    are shown again. Files stay as they are."""
    return views.alternatives(choose_answer(actor=current_user(request), turn=_find_turn(request, turn_id)))


@router.post("/messages/{message_id}/edit", response={202: EditedPromptTaken}, operation_id="edit_prompt")
def post_edit(request: HttpRequest, message_id: str, payload: EditedPrompt) -> Status[EditedPromptTaken]:
    """Send a prompt again with another text: in the same session as an alternative, or in a fork of the session. If
    changes are to be reverted first, the new turn waits for the revert."""
    user, message = current_user(request), _find_prompt(request, message_id)
    if not payload.text.strip():
        raise BadInput("A prompt must have text or a file.", fields={"text": "empty"})
    return Status(202, (_edit_here if payload.where == "here" else _edit_in_fork)(user, message, payload))


def _edit_here(user: User, message: Message, payload: EditedPrompt) -> EditedPromptTaken:
    decisions = decisions_of(payload.decisions)
    turn = resend_edited(
        actor=user, message=message, text=payload.text, files_then=payload.files == "then", decisions=decisions
    )
    return EditedPromptTaken(
        session_id=message.session.public_id, turn=views.turn(turn), files="shared", files_at=None
    )  # fmt: skip


def _edit_in_fork(user: User, message: Message, payload: EditedPrompt) -> EditedPromptTaken:
    is_same = payload.workspace == "same"
    fork, turn = fork_edited(
        actor=user, message=message, text=payload.text, same_workspace=is_same, files_then=payload.files == "then"
    )
    return EditedPromptTaken(
        session_id=fork.session.public_id, turn=views.turn(turn), files=fork.files, files_at=fork.files_at,
        revert_id=fork.revert_id,
    )  # fmt: skip


def _find_prompt(request: HttpRequest, message_id: str) -> Message:
    rows = Message.objects.visible_to(current_user(request))
    message: Message = rows.select_related("turn__session", "session__project", "session__workspace").by_public_id(
        message_id
    )
    return message


def _find_turn(request: HttpRequest, turn_id: str) -> Turn:
    rows = Turn.objects.visible_to(current_user(request)).select_related("session__project", "session__workspace")
    return rows.by_public_id(turn_id)
