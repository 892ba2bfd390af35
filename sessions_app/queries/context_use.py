"""Read the parts that fill the context of a session's model."""

from dataclasses import dataclass
from typing import Final

from agentsite.base.ids import new_id
from sandbox.ports import WORKSPACE_ROOT
from sessions_app.agent.context_use import ContextItem, conversation_items, loaded_skills
from sessions_app.models import Message, OnceKey, Session, SystemPrompt
from sessions_app.queries.sent_messages import load_messages, load_summary

_FOLDER_KEY: Final = "instructions:"
_ROOT: Final = f"{WORKSPACE_ROOT}/"


@dataclass(frozen=True, slots=True)
class ContextUse:
    """The contents of a session's next model request. `items` are its parts with estimated tokens.

    The system prompt and the tools are taken from `answer`, the last answer made with a system prompt (None if there is
    none yet). `folders` are the folders whose instruction files are part of a result, `skills` the skills that were
    loaded.
    """

    items: list[ContextItem]
    answer: Message | None
    folders: list[str]
    skills: list[str]

    @property
    def estimated(self) -> int:
        return sum(item.tokens for item in self.items)


def context_use(session: Session) -> ContextUse:
    now = new_id()
    summary = load_summary(session.pk, before=now)
    stored = load_messages(session.pk, after=summary.last_covered_id if summary else None, before=now)
    messages = [message for _, message in stored]
    text = f"{summary.text}{summary.prompt}" if summary else ""
    keys = OnceKey.objects.filter(session=session, key__startswith=_FOLDER_KEY).order_by("id")
    return ContextUse(
        items=[*_prompt_items(session), *conversation_items(messages, summary=text)],
        answer=_last_answer(session),
        folders=[key.removeprefix(_FOLDER_KEY).removeprefix(_ROOT) for key in keys.values_list("key", flat=True)],
        skills=loaded_skills(messages),
    )


def _prompt_items(session: Session) -> list[ContextItem]:
    if session.system_prompt_id is None:
        return []
    prompt = SystemPrompt.objects.filter(pk=session.system_prompt_id).only("blocks", "tools").first()
    if prompt is None:
        return []
    blocks = [ContextItem(each["kind"], each["name"], each["tokens"], names=each["names"]) for each in prompt.blocks]
    return [*blocks, *(ContextItem("tool", tool["name"], tool["tokens"]) for tool in prompt.tools)]


def _last_answer(session: Session) -> Message | None:
    rows = Message.objects.filter(session=session, system_prompt_id=session.system_prompt_id)
    return rows.order_by("-id").first() if session.system_prompt_id else None
