"""REST endpoints: change or take back a prompt that waits while the agent works."""

from django.http import HttpRequest
from ninja import Field, Router

from agentsite.http.request_body import RequestBody
from agentsite.tenancy.authentication import current_user
from sessions_app.actions.prompts import PROMPT_LIMIT
from sessions_app.actions.queued_prompts import WithdrawnPrompt, change_queued_prompt, withdraw_prompt
from sessions_app.events import schema, views
from sessions_app.events.schema import View
from sessions_app.models import Message

router = Router(tags=["conversation"])


class QueuedPromptChange(RequestBody):
    """The new text of a prompt that waits. Its attachments stay."""

    text: str = Field(min_length=1, max_length=PROMPT_LIMIT)


class WithdrawnPromptView(View):
    """The content of a prompt that was withdrawn. `attachments` can be used in another prompt; `paths` are the files of
    the workspace that the prompt named."""

    text: str
    attachments: list[schema.AttachmentView]
    paths: list[str]


@router.patch("/messages/{message_id}", response=schema.MessageView, operation_id="change_queued_prompt")
def patch_message(request: HttpRequest, message_id: str, payload: QueuedPromptChange) -> schema.MessageView:
    """Replace the text of your own prompt that waits while the agent works. Refused with `prompt_taken` when the agent
    has taken it: each step takes all prompts that were sent before it began."""
    user = current_user(request)
    row = change_queued_prompt(actor=user, message=_find(request, message_id), text=payload.text)
    return views.message(row)


@router.delete("/messages/{message_id}", response=WithdrawnPromptView, operation_id="withdraw_prompt")
def delete_message(request: HttpRequest, message_id: str) -> WithdrawnPromptView:
    """Withdraw a prompt that waits while the agent works, or that waited when the turn was stopped (event
    `messages.removed`), and return its content. Refused with `prompt_taken` when the agent has taken it, and after the
    next turn has begun."""
    return withdrawn_view(withdraw_prompt(actor=current_user(request), message=_find(request, message_id)))


def withdrawn_view(taken: WithdrawnPrompt) -> WithdrawnPromptView:
    return WithdrawnPromptView(text=taken.text, attachments=list(taken.attachments), paths=list(taken.paths))


def _find(request: HttpRequest, message_id: str) -> Message:
    rows = Message.objects.visible_to(current_user(request))
    return rows.select_related("session__project", "session__workspace").by_public_id(message_id)
