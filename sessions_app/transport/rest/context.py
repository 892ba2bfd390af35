"""REST endpoints: the contents of a model's context, and the system prompt of an answer."""

from datetime import datetime
from typing import Literal

from django.http import HttpRequest
from ninja import Router, Schema

from agentsite.base.errors import Missing
from agentsite.tenancy.authentication import current_user
from sessions_app.agent.context_use import ContextItem
from sessions_app.models import Message, SystemPrompt
from sessions_app.queries.context_use import context_use
from sessions_app.queries.sessions import find_session

router = Router(tags=["conversation"])


class ContextItemView(Schema):
    """An item of the model's context. `tokens` are estimated. `name` depends on `kind`: the agent for `agent`, the path
    for `instructions`, the tool for `tool` (its description and schema) and for `results`, the file name for `file`.
    `count` is the number of prompts, answers or calls that the item sums up; `names` are the skills that `skills`
    lists, or the notes of `memory`."""

    kind: Literal[
        "agent", "environment", "instructions", "skills", "memory", "output", "tool", "summary", "prompts", "answers",
        "calls", "results", "file",
    ]  # fmt: skip
    name: str
    tokens: int
    count: int
    names: list[str]


class ContextView(Schema):
    """The contents of the context of a session's model.

    `counted` is the number of tokens of the last model call as the provider counted them, 0 if it is unknown or the
    conversation was compacted since. `estimated` is the sum of `items`, at four characters a token. `limit` is the
    number of tokens at which the conversation is compacted, 0 if unknown. `items` include the system prompt and the
    tools of the answer `message_id`; it is null before the first answer. `folders` are the folders whose instruction
    files are part of a result, `skills` the skills that the agent has loaded.
    """

    counted: int
    estimated: int
    limit: int
    message_id: str | None
    agent: str
    model: str
    items: list[ContextItemView]
    folders: list[str]
    skills: list[str]


class PromptBlockView(Schema):
    """A block of a system prompt. `kind` is its kind. `name` is the agent's name or the path of an instruction file,
    `names` are the names of the listed skills, if the block has any. `tokens` are estimated."""

    kind: Literal["agent", "environment", "instructions", "skills", "memory", "output"]
    name: str
    names: list[str]
    tokens: int


class PromptToolView(Schema):
    """A tool that was offered, with the estimated tokens of its description and schema."""

    name: str
    tokens: int


class SystemPromptView(Schema):
    """The system prompt of an answer, exactly as it was sent, with its blocks and the offered tools. `last_used_at` is
    the time of the latest step that changed to this prompt from another one."""

    message_id: str
    agent: str
    model: str
    text: str
    blocks: list[PromptBlockView]
    tools: list[PromptToolView]
    last_used_at: datetime


@router.get("/sessions/{session_id}/context", response=ContextView, operation_id="get_context")
def get_context(request: HttpRequest, session_id: str) -> ContextView:
    """Return the contents of the model's context: the system prompt and the tools of the last answer, and the
    conversation as the next step sends it."""
    session = find_session(request, session_id)
    use = context_use(session)
    return ContextView(
        counted=session.context_tokens,
        estimated=use.estimated,
        limit=session.context_limit,
        message_id=use.answer.public_id if use.answer else None,
        agent=use.answer.agent if use.answer else "",
        model=use.answer.model if use.answer else "",
        items=[_item(item) for item in use.items],
        folders=use.folders,
        skills=use.skills,
    )


def _item(item: ContextItem) -> ContextItemView:
    return ContextItemView(kind=item.kind, name=item.name, tokens=item.tokens, count=item.count, names=list(item.names))


@router.get("/messages/{message_id}/system-prompt", response=SystemPromptView, operation_id="get_system_prompt")
def get_system_prompt(request: HttpRequest, message_id: str) -> SystemPromptView:
    """Return the system prompt that an answer was made with. The newest 100 system prompts of a session are kept.
    Returns 404 for prompts of people, summaries, and answers that are older than the record of system prompts."""
    message = Message.objects.visible_to(current_user(request)).by_public_id(message_id)
    kept = SystemPrompt.objects.filter(session=message.session_id)
    row = kept.filter(pk=message.system_prompt_id).first() if message.system_prompt_id else None
    if row is None:
        raise Missing("No system prompt is kept for this message.", hint="Choose a newer answer of an agent.")
    return SystemPromptView(
        message_id=message.public_id,
        agent=message.agent,
        model=message.model,
        text=row.text,
        blocks=[PromptBlockView(**block) for block in row.blocks],
        tools=[PromptToolView(**tool) for tool in row.tools],
        last_used_at=row.created_at,
    )
