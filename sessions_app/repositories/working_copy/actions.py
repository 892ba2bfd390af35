"""Commit and push a session's work for a person, by the same rules as for agents."""

from collections.abc import Mapping
from typing import Any, Final, Literal

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import Stale
from agentsite.tenancy.access import can, require
from agentsite.tenancy.models import User
from agentsite.tenancy.roles import Act
from sessions_app.events.log import session_write
from sessions_app.models import Connection, ProjectRepository, Session, Turn
from sessions_app.policy import session_policies
from sessions_app.queries.questions import CommitQuestion, GitStateQuestion, PushQuestion, UpdateQuestion
from sessions_app.repositories.authors import commit_identity
from sessions_app.repositories.pulls.actions import Place, place_of

UpdateKind = Literal["fetch", "rebase", "merge", "abort"]
AFTER_TURN: Final = "Wait until it has ended, or stop it."
DECIDED_BY: Final = {
    "admin": "The policy wants an admin of the team to decide: ask one to press Push.",
    "two_people": "The policy wants two people to decide: ask the agent to push, and both are asked.",
}
PROBLEMS: Final[Mapping[str, ErrorCode]] = {
    "nothing": ErrorCode.NOTHING_TO_COMMIT,
    "commit": ErrorCode.COMMIT_FAILED,
    "rejected": ErrorCode.PUSH_REJECTED,
    "asks": ErrorCode.PUSH_ASKS,
    "refused": ErrorCode.PUSH_REFUSED,
    "uncommitted": ErrorCode.NOT_COMMITTED,
    "update": ErrorCode.UPDATE_FAILED,
}


def state_question(session: Session) -> GitStateQuestion | None:
    """Return the node query for the state of the repository in a session's workspace; None if the workspace has no
    repository yet."""
    place = place_of(session)
    if place.row is None or not session.workspace.seeded:
        return None
    return GitStateQuestion(branch=place.branch, base=base_of(session, place.row))


def prepare_commit(*, actor: User, session: Session, message: str) -> CommitQuestion:
    """Check that the person may prompt in the session, and return the node query that commits all changes of the
    workspace. Raises Stale if the workspace cannot commit now."""
    require(actor, Act.PROMPT, team_id=session.project.team_id)
    _usable(session)
    return CommitQuestion(message=message, environment=dict(commit_identity(actor.pk, session.project_id)))


def prepare_push(*, actor: User, session: Session, commit: str) -> PushQuestion:
    """Check that the person may prompt in the session, and return the node query that pushes a commit to the session's
    branch. Raises Stale if the workspace cannot push now."""
    require(actor, Act.PROMPT, team_id=session.project.team_id)
    place = _usable(session)
    return PushQuestion(branch=place.branch, commit=commit)


def prepare_update(*, actor: User, session: Session, how: UpdateKind) -> UpdateQuestion:
    """Return the node query that fetches the base branch, rebases onto it or merges it, or aborts a rebase or merge.

    Raises Stale if the repository cannot be used, and also while a turn is running in the workspace unless `how` is
    "fetch", because the turn's agent would find other files than it has read.
    """
    require(actor, Act.PROMPT, team_id=session.project.team_id)
    place = _usable(session)
    if how != "fetch" and Turn.objects.filter(session__workspace=session.workspace_id, state__in=Turn.OPEN).exists():
        raise Stale("A turn runs in this workspace.", code=ErrorCode.WORKSPACE_BUSY, hint=AFTER_TURN)
    base = base_of(session, place.row) if place.row else ""
    return UpdateQuestion(how=how, base=base, environment=dict(commit_identity(actor.pk, session.project_id)))


def base_of(session: Session, row: ProjectRepository) -> str:
    """Return the base of the session's workspace: a branch, or "" for the repository's default branch. It can also be a
    tag or a commit, to which no new commits are added."""
    return session.workspace.ref or row.default_branch


def note_update(*, actor: User, session: Session, question: UpdateQuestion) -> None:
    """Record in the audit log that a person has updated the session's branch."""
    _audit(actor, session, "session.branch_updated", {"how": question.how, "base": question.base})


def note_commit(*, actor: User, session: Session, commit: str) -> None:
    """Record in the audit log that a person has committed changes in the session's workspace."""
    _audit(actor, session, "session.committed", {"commit": commit})


def note_push(*, actor: User, session: Session, question: PushQuestion) -> None:
    """Record in the audit log that a person has pushed the session's branch."""
    _audit(actor, session, "session.pushed", {"branch": question.branch, "commit": question.commit})


def raise_problem(answer: Mapping[str, Any], *, asks_hint: str = "") -> None:
    """Raise Stale if git in the workspace reported a problem. `asks_hint` is the hint of the error if the problem is
    that another person has to approve the push."""
    if problem := answer.get("problem"):
        raise Stale(answer["message"], code=PROBLEMS[problem], hint=(asks_hint if problem == "asks" else "") or None)


def hint_who_decides(actor: User, session: Session) -> str:
    """Return a hint that says who has to approve a push about which the rules ask; "" if `actor` may approve it."""
    return "" if may_decide(actor, session) else DECIDED_BY[session_policies(session).approvers]


def push_problem(place: Place) -> str:
    """Return the reason why the session's commits cannot be pushed; "" if no obstacle is known."""
    if place.row is None or _is_revoked(place.row):
        return place.problem
    return ""


def _usable(session: Session) -> Place:
    place = place_of(session)
    if place.row is None:
        raise Stale(place.problem, code=ErrorCode.NO_REPOSITORY)
    if not session.workspace.seeded:
        raise Stale("The workspace has no files yet. They come with the first message.", code=ErrorCode.NO_REPOSITORY)
    if _is_revoked(place.row):
        raise Stale(place.problem, code=ErrorCode.CONNECTION_REVOKED)
    return place


def _is_revoked(row: ProjectRepository) -> bool:
    return row.connection is not None and row.connection.state == Connection.State.REVOKED


def may_decide(actor: User, session: Session) -> bool:
    """Return whether a person's own push counts as its approval if the rules ask about it. If the policy demands an
    admin's approval, only an admin's push counts. If it demands two people, no push counts."""
    approvers = session_policies(session).approvers
    return approvers != "two_people" and (
        approvers != "admin" or can(actor, Act.MANAGE_TEAM, team_id=session.project.team_id)
    )


def _audit(actor: User, session: Session, action: str, data: Mapping[str, Any]) -> None:
    with session_write(session.pk, related=("project",)) as write:
        write.audit(action, team_id=write.session.project.team_id, actor=actor, subject=session.public_id, data=data)
