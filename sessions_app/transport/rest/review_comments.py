"""REST endpoints for review comments, for sending them to the agent, and for approvals of files."""

from typing import Annotated, Literal

from django.http import HttpRequest
from ninja import Field, Query, Router, Schema, Status

from agentsite.base.pagination import Page, paginate
from agentsite.http.request_body import RequestBody
from agentsite.tenancy.authentication import current_user
from sessions_app.actions import reviews as actions
from sessions_app.events import schema, views
from sessions_app.models import FileApproval, ReviewComment
from sessions_app.queries.reviews import comment_view, comments_of
from sessions_app.queries.sessions import find_session

router = Router(tags=["sessions"])
MAX_PATH = 4096  # characters
Path = Annotated[str, Field(min_length=1, max_length=MAX_PATH)]
CommentText = Annotated[str, Field(min_length=1, max_length=10_000, pattern=r"\S")]


class NewReviewComment(RequestBody):
    """A comment on the lines `first_line` to `last_line` of `side`: the file before (old) or after (new) the change.
    Line 0 stands for the whole file. `quote` is the code as it was shown, `version` the file's version in the list of
    changes."""

    path: Path
    text: CommentText
    side: Literal["old", "new"] = "new"
    first_line: int = Field(0, ge=0, le=10_000_000)
    last_line: int = Field(0, ge=0, le=10_000_000)
    quote: str = Field("", max_length=4_000)
    version: str = Field("", max_length=16)


class ReviewCommentChange(RequestBody):
    """A change of a comment. `text` changes a comment that was not sent yet. `state` resolves a comment or reopens it;
    a reopened comment is sent with the next review."""

    text: CommentText | None = None
    state: Literal["open", "resolved"] | None = None


class ReviewSending(RequestBody):
    """The comments to send. Without `comments`, these are your drafts and all open comments. `introduction` is a text
    before them."""

    comments: list[str] | None = Field(None, max_length=actions.MAX_SENT)
    introduction: str = Field("", max_length=10_000)


class ReviewSent(Schema):
    """The prompt that was sent, and its comments."""

    turn: schema.TurnView
    message: schema.MessageView
    comments: list[schema.ReviewCommentView]


class Approval(RequestBody):
    """An approval of a file by a reviewer. `version` is the version of the file that the reviewer has read."""

    path: Path
    version: str = Field(min_length=1, max_length=16)


@router.get(
    "/sessions/{session_id}/review-comments",
    response=Page[schema.ReviewCommentView],
    operation_id="list_review_comments",
)
def list_comments(
    request: HttpRequest, session_id: str, cursor: str | None = None, limit: int = 50
) -> Page[schema.ReviewCommentView]:
    """List the review comments of a session, newest first. Drafts of others are not in the list."""
    rows = comments_of(current_user(request), find_session(request, session_id))
    return Page[schema.ReviewCommentView].of(paginate(rows, cursor=cursor, limit=limit), comment_view)


@router.post(
    "/sessions/{session_id}/review-comments",
    response={201: schema.ReviewCommentView},
    operation_id="create_review_comment",
)
def post_comment(request: HttpRequest, session_id: str, payload: NewReviewComment) -> Status[schema.ReviewCommentView]:
    """Add a review comment to a session. It is a draft that only you see, until you send it."""
    session = find_session(request, session_id)
    row = actions.create_comment(actor=current_user(request), session=session, **payload.model_dump())
    return Status(201, views.review_comment(row))


@router.patch(
    "/review-comments/{review_comment_id}", response=schema.ReviewCommentView, operation_id="update_review_comment"
)
def patch_comment(
    request: HttpRequest, review_comment_id: str, payload: ReviewCommentChange
) -> schema.ReviewCommentView:
    """Change the text of your comment before it is sent, or resolve or reopen a comment."""
    row = _find(request, review_comment_id)
    actions.update_comment(actor=current_user(request), comment=row, text=payload.text, state=payload.state)
    return comment_view(comments_of(current_user(request), row.session).get(pk=row.pk))


@router.delete("/review-comments/{review_comment_id}", response={204: None}, operation_id="delete_review_comment")
def delete_comment(request: HttpRequest, review_comment_id: str) -> Status[None]:
    """Delete your comment. People who manage sessions may delete comments of others."""
    actions.delete_comment(actor=current_user(request), comment=_find(request, review_comment_id))
    return Status(204, None)


@router.post("/sessions/{session_id}/review", response={202: ReviewSent}, operation_id="send_review")
def post_review(request: HttpRequest, session_id: str, payload: ReviewSending) -> Status[ReviewSent]:
    """Send review comments to the agent as one prompt, with paths, lines and the quoted code. While a turn runs, the
    prompt joins that turn."""
    turn, message, rows = actions.send_review(
        actor=current_user(request),
        session=find_session(request, session_id),
        comment_ids=payload.comments,
        introduction=payload.introduction,
    )
    sent = ReviewSent(
        turn=views.turn(turn), message=views.message(message), comments=[views.review_comment(row) for row in rows]
    )
    return Status(202, sent)


@router.get(
    "/sessions/{session_id}/file-approvals",
    response=Page[schema.FileApprovalView],
    operation_id="list_file_approvals",
)
def list_approvals(
    request: HttpRequest, session_id: str, cursor: str | None = None, limit: int = 50
) -> Page[schema.FileApprovalView]:
    """List the approvals of changed files, each with the person and the version of the file. An approval is valid while
    the file has that version."""
    rows = FileApproval.objects.visible_to(current_user(request)).filter(session=find_session(request, session_id))
    page = paginate(rows.select_related("person"), cursor=cursor, limit=limit)
    return Page[schema.FileApprovalView].of(page, views.file_approval)


@router.put("/sessions/{session_id}/file-approvals", response=schema.FileApprovalView, operation_id="approve_file")
def put_approval(request: HttpRequest, session_id: str, payload: Approval) -> schema.FileApprovalView:
    """Approve a changed file in the version that you read."""
    session = find_session(request, session_id)
    row = actions.approve_file(actor=current_user(request), session=session, path=payload.path, version=payload.version)
    return views.file_approval(row)


@router.delete("/sessions/{session_id}/file-approvals", response={204: None}, operation_id="withdraw_file_approval")
def delete_approval(
    request: HttpRequest, session_id: str, path: Annotated[str, Query(min_length=1, max_length=MAX_PATH)]
) -> Status[None]:
    """Withdraw your approval of a file."""
    actions.withdraw_approval(actor=current_user(request), session=find_session(request, session_id), path=path)
    return Status(204, None)


def _find(request: HttpRequest, comment_id: str) -> ReviewComment:
    rows = ReviewComment.objects.visible_to(current_user(request)).select_related("session__project")
    return rows.by_public_id(comment_id)
