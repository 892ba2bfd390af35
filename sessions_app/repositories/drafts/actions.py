"""Prepare the node query for a draft of a commit message or pull request, and check the person's right to it."""

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import Stale
from agentsite.tenancy.access import require
from agentsite.tenancy.models import User
from agentsite.tenancy.roles import Act
from sessions_app.models import Session
from sessions_app.queries.questions import DraftQuestion
from sessions_app.repositories.drafts.text import What
from sessions_app.repositories.pulls.actions import place_of


def draft_question(session: Session, what: What) -> DraftQuestion:
    """Return the query that collects the material of a draft on the workspace's node. Raises Stale if the workspace has
    no repository."""
    place = place_of(session)
    if place.row is None:
        raise Stale(place.problem, code=ErrorCode.NO_REPOSITORY)
    if not session.workspace.seeded:
        raise Stale("The workspace has no files yet. They come with the first message.", code=ErrorCode.NO_REPOSITORY)
    base = session.workspace.ref or place.row.default_branch
    return DraftQuestion(session=session.pk, what=what, branch=place.branch, base=base)


def prepare_draft(*, actor: User, session: Session, what: What) -> DraftQuestion:
    """Check that the person may prompt in the session, and return the node query that collects the material for a
    draft. Raises Stale if the workspace has no repository."""
    require(actor, Act.PROMPT, team_id=session.project.team_id)
    return draft_question(session, what)
