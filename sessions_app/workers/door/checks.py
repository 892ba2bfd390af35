"""Read the state and the checks of a pull request from its forge, as a background task."""

import uuid

import structlog

from agentsite.base.errors import SiteError
from sessions_app.models import PullRequest
from sessions_app.repositories.forges.port import ForgeError
from sessions_app.repositories.pulls.actions import read_question, store_state
from sessions_app.workers.door.forge_queries import found_for

logger = structlog.get_logger(__name__)


def read_checks(pull_request_id: uuid.UUID) -> None:
    """Read the state and the checks of a pull request and store them. If that is impossible, the stored state and
    checks stay, and a later run tries again."""
    row = (
        PullRequest.objects.select_related("session__project", "session__workspace").filter(pk=pull_request_id).first()
    )
    if row is None:
        return
    try:
        store_state(session=row.session, answer=found_for(read_question(row.session)))
    except (ForgeError, SiteError) as error:
        logger.info("checks_not_read", pull_request=row.public_id, error=error.message)
