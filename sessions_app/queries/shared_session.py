"""The public view of a session for readers of a share link: its texts, without internals of the site or its people.

These are left out: rules, permission requests and their answers, arguments and output of tools, reasoning, summaries,
costs, the workspace. E-mail addresses and probable secrets are masked in every text.
"""

import re
from collections import defaultdict
from datetime import datetime
from functools import cache
from typing import Any, Final, Literal

from agentsite.base.redaction import redactor
from sessions_app.events.schema import View
from sessions_app.models import Message, Part, ShareLink, ToolCall

MAX_MESSAGES: Final = 1000
HIDDEN_ADDRESS: Final = "[address hidden]"
_ADDRESS: Final = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+")
_SHOWN: Final = (Part.Type.TEXT, Part.Type.TOOL, Part.Type.FILE)


class SharedFile(View):
    """A file of the shared session; its content is at `/shared/{secret}/attachments/{id}`."""

    id: str
    name: str
    media_type: str
    size: int


class SharedPart(View):
    """One piece of a message. A text piece has `text`; a tool call has the tool's name as `text`, and its `state`; a
    file has `file`."""

    id: str
    type: Literal["text", "tool", "file"]
    text: str = ""
    state: Literal["", "pending", "running", "waiting", "completed", "error", "aborted"] = ""
    file: SharedFile | None = None


class SharedMessage(View):
    """A message. `author` is a name; it is empty unless the link shows names."""

    id: str
    role: Literal["user", "assistant"]
    author: str
    agent: str
    created_at: datetime
    parts: list[SharedPart]


class SharedView(View):
    """A shared session. `earlier`: the session has messages before the first one in this view. `seq` increases with
    every change."""

    title: str
    status: Literal["idle", "running", "waiting"]
    seq: int
    reach: Literal["team", "public"]
    expires_at: datetime | None
    created_at: datetime
    updated_at: datetime
    earlier: bool
    messages: list[SharedMessage]


def shared_view(link: ShareLink) -> SharedView:
    session = link.session
    chosen = Message.objects.filter(session=session, reverted_by=None, turn__hidden_with=None)
    rows = chosen.exclude(state=Message.State.INTERRUPTED).select_related("author")
    newest = list(rows.order_by("-id")[: MAX_MESSAGES + 1])
    shown = newest[:MAX_MESSAGES][::-1]
    parts = _parts(shown)
    return SharedView(
        title=hide(session.title),
        status=session.status,
        seq=session.last_seq,
        reach=link.reach,
        expires_at=link.expires_at,
        created_at=session.created_at,
        updated_at=session.updated_at,
        earlier=len(newest) > MAX_MESSAGES,
        messages=[_message(row, parts[row.pk], link) for row in shown],
    )


def shows_file(link: ShareLink, attachment_id: str) -> bool:
    """Return whether the link gives access to the file: whether the file is attached to a prompt of the shared
    session."""
    files = Part.objects.filter(session=link.session, type=Part.Type.FILE)
    return files.filter(data__attachment__id=attachment_id).exists()


def hide(text: str) -> str:
    hidden: str = _secrets()(_ADDRESS.sub(HIDDEN_ADDRESS, text))
    return hidden


@cache
def _secrets() -> Any:
    return redactor()


def _parts(messages: list[Message]) -> dict[Any, list[SharedPart]]:
    calls = {row.part_id: row for row in ToolCall.objects.filter(message__in=messages, part__isnull=False)}
    shown: dict[Any, list[SharedPart]] = defaultdict(list)
    for row in Part.objects.filter(message__in=messages, type__in=_SHOWN).order_by("index"):
        part = _part(row, calls)
        if part is not None:
            shown[row.message_id].append(part)
    return shown


def _part(row: Part, calls: dict[Any, ToolCall]) -> SharedPart | None:
    if row.type == Part.Type.FILE:
        file = row.data.get("attachment") or {}
        fields = {name: file.get(name, "") for name in ("id", "media_type")}
        return SharedPart(
            id=row.public_id,
            type="file",
            file=SharedFile(**fields, name=hide(str(file.get("name", ""))), size=file.get("size", 0)),
        )
    if row.type == Part.Type.TOOL:
        call = calls.get(row.pk)
        return None if call is None else SharedPart(id=row.public_id, type="tool", text=call.tool, state=call.state)
    return SharedPart(id=row.public_id, type="text", text=hide(row.text)) if row.text.strip() else None


def _message(row: Message, parts: list[SharedPart], link: ShareLink) -> SharedMessage:
    author = row.author if link.show_names else None
    return SharedMessage(
        id=row.public_id,
        role=row.role,
        author="" if author is None else hide(author.name),
        agent=row.agent if row.role == Message.Role.ASSISTANT else "",
        created_at=row.created_at,
        parts=parts,
    )
