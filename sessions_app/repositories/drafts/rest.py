"""REST endpoint for drafts of commit messages and pull requests."""

from typing import Any

from asgiref.sync import sync_to_async
from django.http import HttpRequest
from ninja import Router

from agentsite.http.request_body import RequestBody
from agentsite.tenancy.authentication import current_user
from sessions_app.events.schema import View
from sessions_app.models import Session
from sessions_app.queries.live import query_workspace
from sessions_app.queries.questions import DraftQuestion
from sessions_app.queries.sessions import find_session
from sessions_app.repositories.drafts.actions import prepare_draft
from sessions_app.repositories.drafts.asking import draft_from
from sessions_app.repositories.drafts.text import Material, What

router = Router(tags=["sessions"])


class NewDraft(RequestBody):
    """A request for a draft of a commit message or of a pull request."""

    what: What


class DraftView(View):
    """A title and a text for a pull request. `by_model` is true if the small model wrote them. Otherwise they are built
    from the repository's template, the commits and the session's title, and `problem` says why no model was used.
    `withheld` are changed files that were not shown to the model, because the rules do not let agents read them."""

    title: str
    body: str
    by_model: bool
    problem: str
    withheld: list[str]


@router.post("/sessions/{session_id}/git/draft", response=DraftView, operation_id="draft_text")
async def draft_text(request: HttpRequest, session_id: str, payload: NewDraft) -> DraftView:
    """Draft a commit message, or the title and text of a pull request, from the diff. The model call is billed to you.
    If the model does not answer within seconds, the draft is made without it."""
    user = current_user(request)

    def prepare() -> tuple[Session, DraftQuestion]:
        session = find_session(request, session_id)
        return session, prepare_draft(actor=user, session=session, what=payload.what)

    session, question = await sync_to_async(prepare)()
    found: dict[str, Any] = await query_workspace(session.workspace, question, person=user)
    material = Material.model_validate(found)
    draft = await draft_from(session, material, payer_id=user.pk)
    return DraftView(**draft.model_dump(), withheld=material.withheld)
