"""REST endpoint that asks an agent to fix a failed check or to deal with a comment of a pull request."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import HttpRequest
from ninja import Router, Status

from agentsite.base.errors import BadInput, Missing
from agentsite.tenancy.authentication import current_user
from sessions_app.actions.prompts import submit_prompt
from sessions_app.events import views
from sessions_app.models import PullRequest
from sessions_app.queries.sessions import find_session
from sessions_app.repositories.pulls.fixing import check_prompt, comment_prompt
from sessions_app.repositories.pulls.schemas import PullRequestFix
from sessions_app.transport.rest.schemas import PromptTaken

router = Router(tags=["sessions"])


@router.post("/sessions/{session_id}/pull-request/fix", response={202: PromptTaken}, operation_id="fix_pull_request")
def fix_pull_request(request: HttpRequest, session_id: str, payload: PullRequestFix) -> Status[PromptTaken]:
    """Submit a prompt about a failed check or a comment of the pull request. The prompt quotes the stored text of the
    check or comment as data. While a turn runs, the prompt joins that turn."""
    session = find_session(request, session_id)
    if bool(payload.check) == bool(payload.comment):
        raise BadInput("Give either check or comment.", fields={"check": "one of the two"})
    row = PullRequest.objects.filter(session=session).first()
    if row is None:
        raise Missing("This session has no pull request.")
    if payload.check:
        text = check_prompt(row.number, _of(row.checks, payload.check))
    else:
        text = comment_prompt(row.number, _of(row.comments, payload.comment))
    turn, message = submit_prompt(actor=current_user(request), session=session, text=text)
    return Status(202, PromptTaken(turn=views.turn(turn), message=views.message(message)))


def _of(items: Sequence[Mapping[str, Any]], wanted: str) -> Mapping[str, Any]:
    for each in items:
        if each["id"] == wanted:
            return each
    raise Missing("The pull request has no such check or comment. Refresh it.")
