"""Open, update and refresh the pull request of a session."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.conf import settings
from django.utils import timezone

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import Missing, Stale
from agentsite.tenancy.access import require
from agentsite.tenancy.models import User
from agentsite.tenancy.roles import Act
from sessions_app.events import views
from sessions_app.events.log import session_write
from sessions_app.models import Connection, ProjectRepository, PullRequest, Session
from sessions_app.repositories.forges.port import PullRequestText
from sessions_app.repositories.origin import session_branch
from sessions_app.repositories.questions import PlanPullRequestQuestion, PullRequestQuestion, ReadPullRequestQuestion

MAX_CHARS: Final = {"title": 300, "url": 1000, "base": 255, "commit": 64}
"""The most characters that are stored of texts from a forge: the lengths of their columns."""
STORED: Final = ("number", "url", "title", "draft", "state", "base", "commit")


@dataclass(frozen=True, slots=True)
class Place:
    """The repository and branch that a session's commits go to. `problem` says why no pull request can be opened, and
    `code` is its error code."""

    row: ProjectRepository | None
    branch: str
    problem: str = ""
    code: ErrorCode = ErrorCode.NO_REPOSITORY


def place_of(session: Session) -> Place:
    """Return the repository and the branch that the session's commits are pushed to."""
    row = ProjectRepository.objects.select_related("connection").filter(project=session.project_id).first()
    if row is None:
        return Place(None, "", "This project has no repository.")
    branch = branch_of(session, row)
    connection = row.connection
    if connection is None:
        return Place(
            row, branch, f"{row.full_name} is reached without a connection to its forge.", ErrorCode.NO_PULL_REQUESTS
        )
    if connection.state == Connection.State.REVOKED:
        return Place(row, branch, f"The connection '{connection.name}' was revoked.", ErrorCode.CONNECTION_REVOKED)
    if connection.kind in (Connection.Kind.GIT, Connection.Kind.SSH):
        return Place(
            row, branch, f"'{connection.name}' is a git server without pull requests.", ErrorCode.NO_PULL_REQUESTS
        )
    return Place(row, branch)


def branch_of(session: Session, row: ProjectRepository) -> str:
    """Return the branch of a session. Sessions of one workspace share the branch that was created when the workspace
    was cloned."""
    if session.branch:
        return session.branch
    together = Session.objects.filter(workspace=session.workspace_id).order_by("id")
    stored = together.exclude(branch="").values_list("branch", flat=True).first()
    first = together.values_list("id", flat=True).first()
    return stored or session_branch(row, first or session.pk)


def push_branch_of(session: Session) -> str:
    """Return the branch that the session's commits are pushed to; "" if the project has no repository."""
    return place_of(session).branch


def owner_of(session: Session) -> Session:
    """Return the session to which the pull request of a session belongs: for a sub-agent's session, the session that
    people opened."""
    return session.root or session


def plan_question(session: Session) -> PlanPullRequestQuestion:
    """Return the door query for a preview of opening the session's pull request. Raises Stale if no pull request can be
    opened."""
    row = _usable(session)
    branch = branch_of(session, row)
    known = PullRequest.objects.filter(session=session, repository=row.full_name, branch=branch).first()
    return PlanPullRequestQuestion(
        connection=row.connection_id,
        clone_url=row.clone_url,
        repository=row.full_name,
        head=branch,
        bases=[session.workspace.ref, row.default_branch],
        number=known.number if known else 0,
    )


def open_question(session: Session, text: PullRequestText, *, base: str = "") -> PullRequestQuestion:
    """Return the door query that opens or updates the pull request, into `base` unless it is "". Raises Stale if no
    pull request can be opened."""
    planned = plan_question(session)
    return PullRequestQuestion(
        connection=planned.connection,
        clone_url=planned.clone_url,
        repository=planned.repository,
        head=planned.head,
        bases=[base] if base else planned.bases,
        title=text.title,
        body=text.body,
        draft=text.draft,
        link=f"[Session in agentsite]({settings.SITE_URL}/sessions/{session.public_id})",
        number=planned.number,
    )


def prepare_open(*, actor: User, session: Session, text: PullRequestText) -> PullRequestQuestion:
    """Check the person's right, and return the door query that opens or updates the pull request. Raises Stale if that
    is impossible."""
    require(actor, Act.PROMPT, team_id=session.project.team_id)
    return open_question(session, text)


def prepare_refresh(*, actor: User, session: Session) -> ReadPullRequestQuestion:
    """Check that the person may prompt in the session, and return the door query for the current state of the pull
    request. Raises Missing if the session has no pull request, and Stale if the repository cannot be used."""
    require(actor, Act.PROMPT, team_id=session.project.team_id)
    return read_question(session)


def read_question(session: Session) -> ReadPullRequestQuestion:
    """Return the door query for the present state of the pull request. Raises Missing if the session has no pull
    request, Stale if its repository cannot be used."""
    row, known = _usable(session), PullRequest.objects.filter(session=session).first()
    if known is None or known.repository != row.full_name:
        raise Missing("This session has no pull request.")
    return ReadPullRequestQuestion(connection=row.connection_id, repository=known.repository, number=known.number)


def store_opened(
    *, actor: User | None, session: Session, question: PullRequestQuestion, answer: Mapping[str, Any], call: str = ""
) -> PullRequest:
    """Store the pull request that the forge returned, with an event and an entry in the audit log. `call` is the tool
    call that opened it. Raises Missing if the session was deleted."""
    facts = {
        **_facts(answer),
        "repository": question.repository,
        "branch": question.head,
        "body": answer["body"],
    }
    with session_write(session.pk, related=("project",)) as write:
        facts |= _times(PullRequest.objects.filter(session=session).first(), facts)
        row, _ = PullRequest.objects.update_or_create(
            session=session, defaults=facts, create_defaults={**facts, "created_by": actor}
        )
        write.emit("pull_request.updated", views.pull_request(row))
        action = "session.pull_request_opened" if answer["is_new"] else "session.pull_request_updated"
        shown = {"repository": row.repository, "number": row.number, "branch": row.branch, "base": row.base}
        write.audit(
            action,
            team_id=write.session.project.team_id,
            actor=actor,
            subject=session.public_id,
            data={**shown, "call": call} if call else shown,
        )
    return row


def store_state(*, session: Session, answer: Mapping[str, Any]) -> PullRequest:
    """Store the state of the pull request that the forge reported, and emit an event if anything has changed. Raises
    Missing if the session no longer has a pull request."""
    with session_write(session.pk) as write:
        row = PullRequest.objects.filter(session=session).first()
        if row is None:
            raise Missing("This session has no pull request.")
        facts = _facts(answer)
        if row.number != facts["number"]:
            return row
        is_news = any(getattr(row, name) != value for name, value in facts.items() if name != "checked_at")
        facts |= _times(row, facts)
        for name, value in facts.items():
            setattr(row, name, value)
        row.save(update_fields=list(facts))
        if is_news:
            write.emit("pull_request.updated", views.pull_request(row))
    return row


def _usable(session: Session) -> ProjectRepository:
    place = place_of(session)
    if place.row is None or place.problem:
        code = place.code
        raise Stale(place.problem, code=code)
    return place.row


def _times(before: PullRequest | None, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return new values for two columns: `commit_at`, the time at which the newest commit became known, and
    `failed_at`, the time at which a check of this commit was first seen as failed."""
    is_known = before is not None and before.commit == facts["commit"]
    commit_at, failed_at = (before.commit_at, before.failed_at) if before is not None and is_known else (None, None)
    has_failed = any(check["state"] == "failure" for check in facts["checks"])
    now = facts["checked_at"]
    return {"commit_at": commit_at or now, "failed_at": (failed_at or now) if has_failed else None}


def _facts(answer: Mapping[str, Any]) -> dict[str, Any]:
    found = answer["found"]
    facts = {name: found[name] for name in STORED}
    texts = {name: facts[name].replace("\0", "")[:most] for name, most in MAX_CHARS.items()}
    return {
        **facts,
        **texts,
        "checks": answer["checks"],
        "comments": answer.get("comments", []),
        "checked_at": timezone.now(),
    }
