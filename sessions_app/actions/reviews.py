"""Review the changes of a session: write comments, send them to the agent as one prompt, resolve them, approve
files."""

import hashlib
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import BadInput, Missing, NotAllowed, Stale
from agentsite.tenancy.access import can, require
from agentsite.tenancy.models import User
from agentsite.tenancy.roles import Act
from sessions_app.actions.prompts import submit_prompt
from sessions_app.agent.review_prompt import QuotedComment, review_prompt
from sessions_app.events import views
from sessions_app.events.log import SessionWrite, session_write
from sessions_app.models import FileApproval, Message, ReviewComment, Session, Turn
from sessions_app.webhooks.outbox import queue_review_requested

MAX_COMMENTS: Final = 500  # of one session
MAX_SENT: Final = 50  # comments in one prompt
MAX_APPROVALS: Final = 5_000  # of one person in one session
State = ReviewComment.State


def create_comment(*, actor: User, session: Session, **fields: Any) -> ReviewComment:
    """Store a draft of a review comment, which only its author sees until it is sent. Raises Stale if the session has
    too many comments."""
    require(actor, Act.PROMPT, team_id=session.project.team_id)
    if fields["last_line"] < fields["first_line"]:
        raise BadInput("The last line must not be before the first.", fields={"last_line": "before the first"})
    with session_write(session.id) as write:
        if ReviewComment.objects.filter(session=session).count() >= MAX_COMMENTS:
            raise Stale(f"A session can have at most {MAX_COMMENTS} comments.", code=ErrorCode.TOO_MANY_COMMENTS)
        return ReviewComment.objects.create(session=write.session, author=actor, **fields)


def update_comment(
    *, actor: User, comment: ReviewComment, text: str | None = None, state: str | None = None
) -> ReviewComment:
    """Change the text of the actor's own comment that was not sent yet, or resolve or reopen a sent comment. Reads
    `comment.session.project`."""
    require(actor, Act.PROMPT, team_id=comment.session.project.team_id)
    with session_write(comment.session_id) as write:
        row = _locked(comment)
        if text is not None:
            _require_author(actor, row)
            if row.state not in (State.DRAFT, State.OPEN):
                raise Stale("A comment that was sent cannot be changed.", code=ErrorCode.COMMENT_SENT)
            row.text = text
        if state is not None:
            if row.state == State.DRAFT:
                raise Stale(
                    "A draft is neither open nor resolved. Send it, or delete it.", code=ErrorCode.COMMENT_DRAFT
                )
            row.state, row.settled_by = State(state), actor
        row.save()
        _emit(write, row)
        return row


def delete_comment(*, actor: User, comment: ReviewComment) -> None:
    """Delete a review comment. The author may do so, and people who manage sessions. Reads
    `comment.session.project`."""
    team_id = comment.session.project.team_id
    require(actor, Act.PROMPT, team_id=team_id)
    if not can(actor, Act.MANAGE_SESSIONS, team_id=team_id):
        _require_author(actor, comment)
    with session_write(comment.session_id) as write:
        row = _locked(comment)
        if row.state != State.DRAFT:
            write.emit("review_comment.updated", views.review_comment(row, deleted=True))
        row.delete()


def send_review(
    *, actor: User, session: Session, comment_ids: Sequence[str] | None = None, introduction: str = ""
) -> tuple[Turn, Message, list[ReviewComment]]:
    """Send review comments as one prompt: those in `comment_ids`, or else the actor's drafts and all open comments.

    The prompt and its comments are stored in one transaction, so a comment is sent once or not at all. Raises Stale if
    there is nothing to send, or if somebody else sent a comment meanwhile.
    """
    require(actor, Act.PROMPT, team_id=session.project.team_id)
    rows = unsent_comments(actor, session)
    if comment_ids is not None:
        wanted = set(comment_ids)
        rows = [row for row in rows if row.public_id in wanted]
        if len(rows) != len(wanted):
            raise Stale("One of these comments does not exist here, or was sent already.", code=ErrorCode.COMMENT_SENT)
    if not rows:
        raise Stale("There are no comments to send.", code=ErrorCode.NO_COMMENTS)
    if len(rows) > MAX_SENT:
        raise BadInput(f"At most {MAX_SENT} comments can be sent at once. Choose some of them with 'comments'.")
    text = review_prompt([_quoted(row) for row in rows], introduction)
    turn, message = submit_prompt(actor=actor, session=session, text=text, also=partial(_mark_sent, actor, rows))
    return turn, message, rows


def unsent_comments(actor: User, session: Session) -> list[ReviewComment]:
    """Return the actor's drafts and the open comments of everybody, in the order in which they were written. A comment
    is open again if the turn that it was sent to was stopped or failed."""
    rows = ReviewComment.objects.filter(session=session).select_related("author", "settled_by", "turn")
    return [row for row in rows if is_unsent(row) and (row.state != State.DRAFT or row.author_id == actor.pk)]


def is_unsent(row: ReviewComment) -> bool:
    """Return whether the comment still has to be sent: it is new, or the turn that answered it was stopped or failed.
    Reads `row.turn`."""
    unanswered = row.turn is not None and row.turn.state in (Turn.State.ABORTED, Turn.State.FAILED)
    return row.state in (State.DRAFT, State.OPEN) or (row.state == State.SENT and unanswered)


def _mark_sent(actor: User, rows: Sequence[ReviewComment], write: SessionWrite, turn: Turn, message: Message) -> None:
    """Mark the comments as sent, in the transaction of their prompt."""
    for row in rows:
        current = ReviewComment.objects.filter(pk=row.pk, state=row.state, turn=row.turn)
        sent = {"state": State.SENT, "turn": turn, "message": message, "updated_at": write.now}
        if not current.update(**sent):
            raise Stale("Somebody else sent or deleted a comment meanwhile.", code=ErrorCode.COMMENT_SENT)
        for name, value in sent.items():
            setattr(row, name, value)
        _emit(write, row)
    queue_review_requested(write.session, turn, comments=len(rows))
    write.audit(
        "review.sent",
        team_id=write.session.project.team_id,
        actor=actor,
        subject=write.session.public_id,
        data={"comments": len(rows), "turn": turn.public_id},
    )


def approve_file(*, actor: User, session: Session, path: str, version: str) -> FileApproval:
    """Approve a changed file of the session as it is in `version`. Replaces the actor's approval of an earlier
    version."""
    require(actor, Act.PROMPT, team_id=session.project.team_id)
    with session_write(session.id) as write:
        mine = FileApproval.objects.filter(session=session, person=actor)
        row = mine.filter(path_hash=_hash(path)).first()
        if row is None:
            if mine.count() >= MAX_APPROVALS:
                raise Stale(f"One person can approve at most {MAX_APPROVALS:,} files of a session.")
            row = FileApproval(session=write.session, person=actor, path=path, path_hash=_hash(path))
        elif row.version == version:
            return row
        row.version, row.approved_at = version, write.now
        row.save()
        write.emit("file_approval.updated", views.file_approval(row))
        write.audit("review.file_approved", **_about(write, actor, row))
        return row


def withdraw_approval(*, actor: User, session: Session, path: str) -> None:
    """Withdraw the actor's approval of a changed file. Raises Missing if there is none."""
    require(actor, Act.PROMPT, team_id=session.project.team_id)
    with session_write(session.id) as write:
        row = FileApproval.objects.filter(session=session, person=actor, path_hash=_hash(path)).first()
        if row is None:
            raise Missing("You have not approved this file.")
        write.emit("file_approval.updated", views.file_approval(row, withdrawn=True))
        write.audit("review.approval_withdrawn", **_about(write, actor, row))
        row.delete()


def _about(write: SessionWrite, actor: User, row: FileApproval) -> dict[str, Any]:
    data = {"path": row.path, "version": row.version}
    return {
        "team_id": write.session.project.team_id,
        "actor": actor,
        "subject": write.session.public_id,
        "data": data,
    }


def _hash(path: str) -> str:
    return hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()


def _locked(comment: ReviewComment) -> ReviewComment:
    """Return the comment, read again from the database under the session's lock. Raises Missing if it was deleted."""
    rows = ReviewComment.objects.select_related("author", "settled_by", "turn")
    row = rows.filter(pk=comment.pk).first()
    if row is None:
        raise Missing("This comment no longer exists.")
    return row


def _require_author(actor: User, row: ReviewComment) -> None:
    if row.author_id != actor.pk:
        raise NotAllowed("Only the author of a comment may change or delete it.")


def _emit(write: SessionWrite, row: ReviewComment) -> None:
    if row.state != State.DRAFT:
        write.emit("review_comment.updated", views.review_comment(row))


def _quoted(row: ReviewComment) -> QuotedComment:
    is_old = row.side == ReviewComment.Side.OLD
    return QuotedComment(row.path, is_old, row.first_line, row.last_line, row.quote, row.text)
