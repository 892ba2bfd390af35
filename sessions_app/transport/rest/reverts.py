"""REST endpoints: list the changes of turns, revert them, and undo a revert."""

import asyncio
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, cast

from asgiref.sync import sync_to_async
from django.http import HttpRequest
from ninja import Field, Query, Router, Schema
from pydantic import StringConstraints

from agentsite.http.request_body import RequestBody
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.models import User
from sessions_app.actions.reverts import (
    SHARED,
    RevertPlan,
    RevertScope,
    plan_revert,
    plan_unrevert,
    request_revert,
    request_unrevert,
    revert_to_undo,
)
from sessions_app.agent.patches import chains_of, not_covered, shared_paths
from sessions_app.events import schema, views
from sessions_app.models import Message, Revert, Session, Turn
from sessions_app.models.base import public_id_of
from sessions_app.queries.live import query_workspace
from sessions_app.queries.patches import patches_of_turn, patches_since
from sessions_app.queries.questions import RevertQuestion
from sessions_app.queries.sessions import find_session

WAIT_SECONDS: Final = 10.0  # for a revert to be applied; it continues afterwards
POLL_SECONDS: Final = 0.05
PREVIEW_SECONDS: Final = 60.0
NEVER_COVERED: Final = (
    "Files that .gitignore names and that commands changed, and what is outside the workspace.",
    "Contents of more than 2 MiB.",
    "Commits, branches and the index of git.",
    "What background commands and tool servers changed.",
)
"""Sentences about changes that no revert covers, in addition to those that a plan names."""

router = Router(tags=["sessions"])
Path = Annotated[str, StringConstraints(min_length=1, max_length=4096)]


class FileStateView(Schema):
    """The state of a file at one time. `mode` is the mode of stat(2). If the content is not `stored`, it cannot be
    restored."""

    mode: int
    size: int
    sha256: str
    stored: bool


class ChangedFile(Schema):
    """A file that was changed. `shared`: a command of another session ran at the same time, so it is not certain which
    session changed the file."""

    path: str
    status: Literal["added", "modified", "deleted"]
    before: FileStateView | None
    after: FileStateView | None
    shared: bool


class ChangedFiles(Schema):
    """The files that the calls of a session changed. `not_covered` are sentences about changes that were not
    recorded."""

    files: list[ChangedFile]
    not_covered: list[str]


class ChangesFilter(Schema):
    """The changes to list: the changes of a turn, or from a message on. With neither, the changes of all shown messages
    are listed."""

    turn_id: str = ""
    message_id: str = ""


class SeenState(RequestBody):
    """The state of a file, as the preview returned it in a `FileStateView`."""

    mode: int = Field(ge=0)
    size: int = Field(ge=0)
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    stored: bool


class RevertDecision(RequestBody):
    """A person's decision about a file in conflict: keep the file, or take the change back anyway. The decision is used
    only if the file still has the state `seen` that the preview showed."""

    path: Path
    decision: Literal["keep", "take_back"]
    seen: SeenState | None


class NewRevert(RequestBody):
    """The changes to take back: everything from `message_id` on, which is then hidden, or only the files of `turn_id`.
    With `answer_id`, that answer is chosen in place of another answer to the same prompt: the changes since the prompt
    are taken back, and the changes of the chosen answer are made again. `paths` restricts the revert to some files of
    the turn, and `hunks` to some hunks (numbered from 0) of a single path."""

    message_id: str | None = None
    turn_id: str | None = None
    answer_id: str | None = None
    paths: list[Path] = Field(default=[], max_length=5000)
    hunks: list[Annotated[int, Field(ge=0)]] | None = Field(default=None, max_length=1000)
    decisions: list[RevertDecision] = Field(default=[], max_length=5000)


class NewUnrevert(RequestBody):
    """A request to undo the revert in force. `revert_id` is the id of `revert` in the session."""

    revert_id: str
    decisions: list[RevertDecision] = Field(default=[], max_length=5000)


class RevertFileView(Schema):
    """The effect of a revert on a file. `status` is `clean` if the file has not changed since the reverted change,
    `merged` if the revert is merged with changes of others, `conflict`, `kept` or `taken_back` after a decision, or
    `not_covered` for the `reason`. `before` is the file when the revert began. `patch` is the difference that the
    revert makes; it is set in previews and for texts."""

    path: str
    status: Literal["clean", "merged", "conflict", "kept", "taken_back", "done", "not_covered"]
    reason: str
    before: FileStateView | None
    after: FileStateView | None
    patch: str = ""


class RevertPreview(Schema):
    """The effect that a revert would have. `background` are commands that run in the workspace and may change files
    meanwhile; `others` is the number of other sessions that work in it. `not_covered` are sentences about changes that
    cannot be taken back."""

    files: list[RevertFileView]
    hidden: int
    background: int
    others: int
    not_covered: list[str]


class RevertView(Schema):
    """A revert, or the undoing of one (`undoes_id`). While it is `pending`, its files are being written: either all or
    none. A `failed` revert changed nothing; its `files` then contain the conflicts that need a decision."""

    id: str
    state: Literal["pending", "applied", "failed", "undone"]
    message_id: str | None
    turn_id: str | None
    answer_id: str | None
    undoes_id: str | None
    files: list[RevertFileView]
    not_covered: list[str]
    error: str
    by: schema.PersonView | None


@router.get("/sessions/{session_id}/file-changes", response=ChangedFiles, operation_id="list_file_changes")
def get_file_changes(request: HttpRequest, session_id: str, which: Query[ChangesFilter]) -> ChangedFiles:
    """Return the files that a turn changed, or that were changed from a message on, each with its hashes before the
    first and after the last of these changes, even if somebody else changed the file in between."""
    session = find_session(request, session_id)
    wanted = NewRevert(turn_id=which.turn_id or None, message_id=which.message_id or None)
    scope = _scope(current_user(request), session, wanted)
    patches = patches_of_turn(scope.turn) if scope.turn else patches_since(session, scope.message)
    shared = shared_paths(patches)
    files = [_changed(path, chain, shared) for path, chain in sorted(chains_of(patches).items())]
    return ChangedFiles(files=files, not_covered=not_covered(patches))


def _changed(path: str, chain: Any, shared: set[str]) -> ChangedFile:
    before, after = chain[0][0], chain[-1][1]
    status: Any = "added" if before is None else "deleted" if after is None else "modified"
    return ChangedFile(path=path, status=status, before=before, after=after, shared=path in shared)


@router.post("/sessions/{session_id}/revert/preview", response=RevertPreview, operation_id="preview_revert")
async def post_preview(request: HttpRequest, session_id: str, payload: NewRevert) -> RevertPreview:
    """Return the effects of a revert without executing it: the result for each file, conflicts with later changes of
    others, and changes that it does not cover."""
    user = current_user(request)

    def plan() -> _Planned:
        session = find_session(request, session_id)
        scope = _scope(user, session, payload)
        return _Planned(session, plan_revert(user, session, scope), _hidden_by(session, scope))

    return await _preview(user, await sync_to_async(plan)())


@router.post("/sessions/{session_id}/unrevert/preview", response=RevertPreview, operation_id="preview_unrevert")
async def post_unrevert_preview(request: HttpRequest, session_id: str, payload: NewUnrevert) -> RevertPreview:
    """Preview the undoing of the revert in force: its effect on each file. Returns 409 `nothing_to_revert` if no revert
    is in force."""
    user = current_user(request)

    def plan() -> _Planned:
        session = find_session(request, session_id)
        undone = revert_to_undo(user, session, payload.revert_id)
        return _Planned(session, RevertPlan(plan_unrevert(undone, decisions_of(payload.decisions)), [], []), 0)

    return await _preview(user, await sync_to_async(plan)())


@dataclass(frozen=True, slots=True)
class _Planned:
    session: Session
    plan: RevertPlan
    hidden: int


async def _preview(user: User, planned: _Planned) -> RevertPreview:
    session, plan = planned.session, planned.plan
    found: dict[str, Any] = {"files": [], "background": 0}
    if plan.wanted:
        question = RevertQuestion(wanted=plan.wanted)
        found = await query_workspace(session.workspace, question, person=user, timeout_seconds=PREVIEW_SECONDS)
    others = await Turn.objects.filter(session__workspace=session.workspace_id, state__in=Turn.OPEN).acount()
    uncertain = {"status": "conflict", "reason": SHARED, "before": None, "after": None}
    files = [*({"path": path, **uncertain} for path in plan.shared), *found["files"]]
    return RevertPreview(
        files=[RevertFileView(**file) for file in files],
        hidden=planned.hidden,
        background=found["background"],
        others=others,
        not_covered=[*plan.not_covered, *NEVER_COVERED],
    )


@router.post("/sessions/{session_id}/revert", response=RevertView, operation_id="revert_session")
async def post_revert(request: HttpRequest, session_id: str, payload: NewRevert) -> RevertView:
    """Take changes back. Either all files are written or none. Later changes of others are merged, and never
    overwritten: if a file is in conflict, the revert is `failed` and names it. The session must be idle (otherwise 409
    `revert_busy`). The answer is `pending` if the workspace needs more than ten seconds."""
    user = current_user(request)

    def begin() -> Revert:
        session = find_session(request, session_id)
        return request_revert(actor=user, session=session, scope=_scope(user, session, payload))

    return await _ended(await sync_to_async(begin)())


@router.post("/sessions/{session_id}/unrevert", response=RevertView, operation_id="unrevert_session")
async def post_unrevert(request: HttpRequest, session_id: str, payload: NewUnrevert) -> RevertView:
    """Undo the revert in force. Files get the content that they had before it, and its messages are shown again."""
    user = current_user(request)

    def begin() -> Revert:
        session = find_session(request, session_id)
        decisions = decisions_of(payload.decisions)
        return request_unrevert(actor=user, session=session, revert_id=payload.revert_id, decisions=decisions)

    return await _ended(await sync_to_async(begin)())


@router.get("/sessions/{session_id}/reverts/{revert_id}", response=RevertView, operation_id="get_revert")
def get_revert(request: HttpRequest, session_id: str, revert_id: str) -> RevertView:
    """Return a revert: its state, and its effect on each file."""
    session = find_session(request, session_id)
    rows = Revert.objects.visible_to(current_user(request)).filter(session=session)
    return _view(rows.select_related("actor").by_public_id(revert_id))


async def _ended(row: Revert) -> RevertView:
    """Wait until a revert has ended and return it; if it has not ended after `WAIT_SECONDS`, return its present
    state."""
    try:
        async with asyncio.timeout(WAIT_SECONDS):
            while row.state == Revert.State.PENDING:
                await asyncio.sleep(POLL_SECONDS)
                await row.arefresh_from_db(fields=["state", "files", "error"])
    except TimeoutError:
        pass
    return await sync_to_async(_view)(row)


def _view(row: Revert) -> RevertView:
    return RevertView(
        id=row.public_id,
        state=cast(Any, row.state),
        message_id=public_id_of("msg", row.message_id),
        turn_id=public_id_of("trn", row.turn_id),
        answer_id=public_id_of("trn", row.answer_id),
        undoes_id=public_id_of("rev", row.undoes_id),
        files=[RevertFileView(**file) for file in row.files],
        not_covered=row.not_covered,
        error=row.error,
        by=views.person(row.actor),
    )


def _scope(user: User, session: Session, payload: NewRevert) -> RevertScope:
    messages = Message.objects.visible_to(user).filter(session=session)
    turns = Turn.objects.visible_to(user).filter(session=session)
    return RevertScope(
        message=messages.by_public_id(payload.message_id) if payload.message_id else None,
        turn=turns.by_public_id(payload.turn_id) if payload.turn_id else None,
        answer=turns.by_public_id(payload.answer_id) if payload.answer_id else None,
        paths=payload.paths,
        hunks=payload.hunks,
        decisions=decisions_of(payload.decisions),
    )


def decisions_of(items: list[RevertDecision]) -> dict[str, dict[str, Any]]:
    """Return people's decisions about conflicts by the paths of the files, as `RevertScope` stores them."""
    return {item.path: {"decision": item.decision, "seen": item.seen and item.seen.model_dump()} for item in items}


def _hidden_by(session: Session, scope: RevertScope) -> int:
    if scope.message is None:
        return 0
    return Message.objects.filter(session=session, pk__gte=scope.message.pk, reverted_by=None).count()
