"""REST endpoints for the review of a session's changes."""

import base64
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal

from asgiref.sync import sync_to_async
from django.http import HttpRequest, HttpResponse
from ninja import Field, Query, Router, Schema
from pydantic import BaseModel

from agentsite.base.errors import BadInput, Missing
from agentsite.tenancy.authentication import current_user
from sessions_app.models import Session
from sessions_app.queries.live import query_workspace
from sessions_app.queries.questions import CommitsQuestion, ReviewImageQuestion, ReviewLinesQuestion, ReviewQuestion
from sessions_app.queries.reviews import changes_of_turn
from sessions_app.queries.sessions import find_session
from sessions_app.transport.rest.attachments import SANDBOXED

router = Router(tags=["sessions"])

MAX_LINES: Final = 2_000  # of one request


class FileDiffView(BaseModel):
    """A changed file. `patch` is a unified diff. If it is left out, `cut` says why: it is too long for the list
    (`file`), all patches of the list together are too long (`all`), comparing took too long (`time`), the file is
    `generated`, or its content was not recorded (`not_recorded`). In all cases but the last, `?path=` returns it.
    `counted` is false if the numbers of lines are not known. `version` changes with the file's content and mode; a mode
    is empty where the file does not exist."""

    path: str
    old_path: str
    status: Literal["added", "modified", "deleted", "renamed"]
    additions: int
    deletions: int
    patch: str
    binary: bool
    cut: Literal["", "file", "all", "time", "generated", "not_recorded"]
    counted: bool
    generated: bool
    old_mode: str
    new_mode: str
    old_size: int
    new_size: int
    version: str


class FoldedFolderView(BaseModel):
    """A folder of dependencies, caches or build products, shown as one entry. `?under=` lists its files."""

    path: str
    kind: Literal["dependencies", "cache", "build"]
    files: int


class SessionDiff(BaseModel):
    """The changed files: sources first, then generated ones. `more_files` is the number of changed files that are not
    listed."""

    files: list[FileDiffView]
    folded: list[FoldedFolderView] = []
    more_files: int = 0


class CommittedView(Schema):
    """A commit. `at` is the committer's date."""

    commit: str
    subject: str
    author: str
    at: datetime


class SessionCommits(Schema):
    """The commits of the current branch, the newest first, at most 100. A merge is one commit."""

    commits: list[CommittedView]


Commit = Annotated[str, Field(pattern="^([0-9a-f]{40}([0-9a-f]{24})?)?$")]


class DiffOptions(Schema):
    """The changes to return: of the whole session, of one `turn`, or of one `commit` compared with its first parent;
    for all files, for one file (`path`), or for the files in a folder that is shown as one entry (`under`).
    `ignore_whitespace` ignores differences in white space."""

    turn: str = Field("", max_length=64)
    commit: Commit = ""
    path: str = Field("", max_length=4096)
    under: str = Field("", max_length=4096)
    ignore_whitespace: bool = False


class ImageOptions(Schema):
    """The image to return, as it is before (old) or after (new) the changes of the whole session, of one `turn` or of
    one `commit`."""

    path: str = Field(min_length=1, max_length=4096)
    side: Literal["old", "new"]
    turn: str = Field("", max_length=64)
    commit: Commit = ""


class ChangedLinesOptions(Schema):
    """The lines to return: `first` to `last`, counted from 1, of a file that the whole session, one `turn` or one
    `commit` changed."""

    path: str = Field(min_length=1, max_length=4096)
    first: int = Field(ge=1)
    last: int = Field(ge=1)
    turn: str = Field("", max_length=64)
    commit: Commit = ""


class ChangedLinesView(Schema):
    """Lines of a changed file as it is after the change. `total` is the number of lines in the file; `lines` ends where
    the file ends."""

    first: int
    lines: list[str]
    total: int


@router.get("/sessions/{session_id}/diff", response=SessionDiff, operation_id="get_session_diff")
async def get_diff(request: HttpRequest, session_id: str, options: Query[DiffOptions]) -> SessionDiff:
    """Return changes in the workspace since the session's first tool call, or the recorded changes of one `turn`, or
    the changes of a `commit`. Dependencies, caches and build products are one entry for each folder. Patches that are
    too long are left out; use `path` to get the patch of one file."""
    row = await sync_to_async(find_session)(request, session_id)
    changes = await sync_to_async(wanted_changes)(row, turn=options.turn, commit=options.commit)
    if not row.baseline or changes == []:
        return SessionDiff(files=[])
    question = ReviewQuestion(
        base=row.baseline,
        changes=changes,
        commit=options.commit,
        path=options.path,
        under=options.under,
        ignore_space=options.ignore_whitespace,
    )
    found = await query_workspace(row.workspace, question, person=current_user(request))
    return SessionDiff(**found)


def wanted_changes(row: Session, *, turn: str, commit: str) -> list[tuple[str, Any, Any]] | None:
    """Return the changes of the requested turn; None if no turn is requested. Raises BadInput if both a turn and a
    commit are requested."""
    if turn and commit:
        raise BadInput("Name a turn or a commit.", fields={"turn": "one of both", "commit": "one of both"})
    return changes_of_turn(row, turn) if turn else None


@router.get("/sessions/{session_id}/commits", response=SessionCommits, operation_id="list_session_commits")
async def get_commits(request: HttpRequest, session_id: str) -> SessionCommits:
    """List the commits that were made in the workspace since the session began, by the committer's date. For the
    changes of a commit use `GET /sessions/{id}/diff?commit=`."""
    row = await sync_to_async(find_session)(request, session_id)
    if not row.baseline:
        return SessionCommits(commits=[])
    question = CommitsQuestion(since=int(row.created_at.timestamp()))
    found = await query_workspace(row.workspace, question, person=current_user(request))
    commits = [CommittedView(**{**each, "at": datetime.fromtimestamp(each["at"], UTC)}) for each in found]
    return SessionCommits(commits=commits)


@router.get(
    "/sessions/{session_id}/diff/image",
    operation_id="get_changed_image",
    response={200: None},
    openapi_extra={"responses": {200: {"content": {"image/*": {"schema": {"type": "string", "format": "binary"}}}}}},
)
async def get_image(request: HttpRequest, session_id: str, options: Query[ImageOptions]) -> HttpResponse:
    """Return a changed picture (PNG, JPEG, GIF or WebP, at most 2 MiB) as it was before or is after the change."""
    row = await sync_to_async(find_session)(request, session_id)
    question = ReviewImageQuestion(
        base=row.baseline,
        changes=await sync_to_async(wanted_changes)(row, turn=options.turn, commit=options.commit),
        commit=options.commit,
        path=options.path,
        old=options.side == "old",
    )
    found = await query_workspace(row.workspace, question, person=current_user(request)) if row.baseline else None
    if found is None:
        raise Missing("There is no such picture in the changes.")
    response = HttpResponse(base64.b64decode(found["content"]), content_type=found["media_type"])
    for name, value in SANDBOXED.items():
        response[name] = value
    return response


@router.get("/sessions/{session_id}/diff/lines", response=ChangedLinesView, operation_id="get_changed_lines")
async def get_lines(request: HttpRequest, session_id: str, options: Query[ChangedLinesOptions]) -> ChangedLinesView:
    """Return lines of a changed file as it is after the change, at most 2,000, to show the context that its patch
    leaves out. Files that usually hold secrets, such as `.env`, are not shown."""
    if not options.first <= options.last < options.first + MAX_LINES:
        raise BadInput(f"Request at least one line and at most {MAX_LINES:,}, from `first` to `last`.")
    row = await sync_to_async(find_session)(request, session_id)
    changes = await sync_to_async(wanted_changes)(row, turn=options.turn, commit=options.commit)
    wanted = options.dict(include={"path", "first", "last", "commit"})
    question = ReviewLinesQuestion(base=row.baseline, changes=changes, **wanted)
    found = await query_workspace(row.workspace, question, person=current_user(request)) if row.baseline else None
    if found is None:
        raise Missing("The changes have no such text file.")
    return ChangedLinesView(**found)
