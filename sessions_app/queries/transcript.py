"""Export a session as Markdown: the texts, and each tool call in its own block."""

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from sessions_app.events.schema import MessageView, PartView, SnapshotView, ToolCallView

MAX_OUTPUT_CHARACTERS: Final = 4_000  # of one call
_FENCES: Final = re.compile(r"`{3,}")


def transcript(snapshot: SnapshotView) -> str:
    """Return the conversation of a snapshot as Markdown, with only the chosen answers."""
    parts: dict[str, list[PartView]] = defaultdict(list)
    for part in snapshot.parts:
        parts[part.message_id].append(part)
    calls = {call.id: call for call in snapshot.calls}
    session = snapshot.session
    lines = [f"# {session.title or 'Untitled session'}", "", f"Started {session.created_at:%Y-%m-%d %H:%M} UTC.", ""]
    hidden = {each.id for each in snapshot.alternatives if each.hidden_with_id}
    for message in snapshot.messages:
        if message.reverted or message.turn_id in hidden:
            continue
        lines += _message(message, parts[message.id], calls)
    return "\n".join(lines).rstrip() + "\n"


def _message(message: MessageView, parts: list[PartView], calls: dict[str, ToolCallView]) -> Iterator[str]:
    yield f"## {'Prompt' if message.role == 'user' else message.agent or 'Answer'}"
    yield ""
    for part in sorted(parts, key=lambda one: one.index):
        if part.type == "text" and part.text.strip():
            yield from (part.text.strip(), "")
        elif part.type == "file":
            yield from (f"Attached: {part.data.get('attachment', {}).get('name', 'a file')}", "")
        elif part.type == "tool" and part.call_id in calls:
            yield from _call(calls[part.call_id])
    if message.error is not None:
        yield from (f"Ended with an error: {message.error.message}", "")


def _call(call: ToolCallView) -> Iterator[str]:
    yield from (f"**{call.tool}** {call.title} ({call.state})".replace("  ", " "), "")
    if call.output:
        text = call.output[:MAX_OUTPUT_CHARACTERS]
        fence = "`" * max(3, *(len(found) + 1 for found in _FENCES.findall(text)), 3)
        yield from (fence, text, fence, "")
