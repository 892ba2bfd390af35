"""REST endpoints: several attempts at one prompt, side by side."""

from datetime import datetime
from typing import Literal

from django.http import HttpRequest
from ninja import Field, Router, Schema, Status

from agentsite.base.pagination import Page, paginate
from agentsite.http.operation_marks import idempotent
from agentsite.http.request_body import RequestBody
from agentsite.tenancy.authentication import current_user
from sessions_app.actions.comparisons import (
    MAX_ATTEMPTS,
    MIN_ATTEMPTS,
    AttemptsPrompt,
    keep_attempt,
    start_comparison,
)
from sessions_app.actions.prompts import PROMPT_LIMIT
from sessions_app.events import schema, views
from sessions_app.models import Comparison
from sessions_app.models.base import public_id_of
from sessions_app.queries.comparisons import Attempt, attempts_of
from sessions_app.queries.sessions import find_session

router = Router(tags=["comparisons"])


class NewComparison(RequestBody):
    """A prompt that several sessions attempt. `models` has an entry for each attempt, 2 to 4: the model's name, or ""
    for the session's model. `attachments` are files uploaded to the session. With `test_command`, agents are asked to
    run this command at the end, and its outcome is shown."""

    text: str = Field(min_length=1, max_length=PROMPT_LIMIT)
    models: list[str] = Field(min_length=MIN_ATTEMPTS, max_length=MAX_ATTEMPTS)
    attachments: list[str] = Field(default_factory=list)
    test_command: str = Field(default="", max_length=500)


class KeptAttempt(RequestBody):
    session_id: str


class ComparedAttempt(Schema):
    """One attempt. `turn` is the newest turn of the attempt's session. `test` is the outcome of the newest run of the
    test command, and `exit_code` the command's exit status. `workspace_state` is `removing` once people kept another
    attempt."""

    session: schema.SessionView
    turn: schema.TurnView | None
    workspace_state: str
    test: Literal["", "not_run", "running", "passed", "failed"]
    exit_code: int | None


class ComparisonView(Schema):
    """Several attempts at one prompt. All workspaces started with the files of the archive that was made at `files_at`,
    or with the project's initial files if that is null. `kept_id` is the session that was kept."""

    id: str
    session_id: str
    prompt: str
    test_command: str
    files_at: datetime | None
    created_by: schema.PersonView | None
    created_at: datetime
    kept_id: str | None
    attempts: list[ComparedAttempt]


class ComparisonSummary(Schema):
    id: str
    prompt: str
    created_at: datetime
    kept_id: str | None


@router.post("/sessions/{session_id}/comparisons", response={201: ComparisonView}, operation_id="start_comparison")
def post_comparison(request: HttpRequest, session_id: str, payload: NewComparison) -> Status[ComparisonView]:
    """Fork the session once for each model and send the prompt to every fork, each in a workspace of its own. Either
    all attempts start or none: if the team has no room for more workspaces, the answer is 409 `workspace_limit`. The
    session itself does not change."""
    prompt = AttemptsPrompt(payload.text, payload.attachments, payload.test_command.strip())
    row = start_comparison(
        actor=current_user(request), session=find_session(request, session_id), prompt=prompt, models=payload.models
    )
    return Status(201, _view(request, row))


@router.get("/sessions/{session_id}/comparisons", response=Page[ComparisonSummary], operation_id="list_comparisons")
def list_comparisons(
    request: HttpRequest, session_id: str, cursor: str | None = None, limit: int = 50
) -> Page[ComparisonSummary]:
    """List the comparisons that were started from a session, newest first."""
    session = find_session(request, session_id)
    rows = Comparison.objects.visible_to(current_user(request)).filter(session=session)
    return Page[ComparisonSummary].of(paginate(rows, cursor=cursor, limit=limit), _summary)


@router.get("/comparisons/{comparison_id}", response=ComparisonView, operation_id="get_comparison")
def get_comparison(request: HttpRequest, comparison_id: str) -> ComparisonView:
    """Return the attempts with their state, their cost and the outcome of the test command. For the changes of an
    attempt use `GET /sessions/{id}/diff`."""
    return _view(request, _find(request, comparison_id))


@router.post("/comparisons/{comparison_id}/keep", response=ComparisonView, operation_id="keep_attempt")
@idempotent
def post_keep(request: HttpRequest, comparison_id: str, payload: KeptAttempt) -> ComparisonView:
    """Keep one attempt. The others are stopped and archived, and their workspaces are deleted after the grace period.
    For the person who started the attempts, and for people who may manage sessions."""
    user, row = current_user(request), _find(request, comparison_id)
    return _view(request, keep_attempt(actor=user, comparison=row, session_id=payload.session_id))


def _find(request: HttpRequest, comparison_id: str) -> Comparison:
    rows = Comparison.objects.visible_to(current_user(request)).select_related("session__project", "created_by")
    return rows.by_public_id(comparison_id)


def _view(request: HttpRequest, row: Comparison) -> ComparisonView:
    return ComparisonView(
        id=row.public_id,
        session_id=row.session.public_id,
        prompt=row.prompt,
        test_command=row.test_command,
        files_at=row.files_at,
        created_by=views.person(row.created_by),
        created_at=row.created_at,
        kept_id=public_id_of("ses", row.kept_id),
        attempts=[_attempt(each) for each in attempts_of(row, current_user(request))],
    )


def _attempt(each: Attempt) -> ComparedAttempt:
    return ComparedAttempt(
        session=views.session(each.session),
        turn=None if each.turn is None else views.turn(each.turn),
        workspace_state=each.session.workspace.state,
        test=each.outcome,
        exit_code=each.exit_code,
    )


def _summary(row: Comparison) -> ComparisonSummary:
    return ComparisonSummary(
        id=row.public_id, prompt=row.prompt, created_at=row.created_at, kept_id=public_id_of("ses", row.kept_id)
    )
