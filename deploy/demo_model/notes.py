"""Notes of a conversation, and summaries: what a language model would write in words of its own is taken from the text
as it stands."""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from deploy.demo_model.conversation import Conversation, read_conversation
from deploy.demo_model.wire import Reply

MOST_LINES: Final = 12
LONGEST_LINE: Final = 200
_WANTED: Final = re.compile(r"(?i)\b(?:write the notes|short summary of what was done)\b")
_PROMPT: Final = re.compile(r"^\[user\]\n(.+)$", re.MULTILINE)
_ANSWER: Final = re.compile(r"^\[assistant\]\n(?!\[call )(.+)$", re.MULTILINE)
_CALL: Final = re.compile(r"^\[call ([\w-]+)\]", re.MULTILINE)
_EARLIER: Final = re.compile(r"<notes>\n(.*?)\n</notes>", re.DOTALL)


def is_wanted(body: Mapping[str, Any]) -> bool:
    """No tools are offered, and the system prompt asks for notes or a summary."""
    return not body.get("tools") and _WANTED.search(read_conversation(body).system) is not None


def write(conversation: Conversation) -> Reply:
    """The prompts, the last answers and how often each tool was used, on top of earlier notes."""
    text = conversation.prompt
    earlier = _EARLIER.search(text)
    blocks = [earlier[1]] if earlier else []
    blocks += _block("Task", _PROMPT.findall(text))
    blocks += _block("Done", _ANSWER.findall(text))
    used = Counter(_CALL.findall(text))
    blocks += _block("State", [f"{name} was used {count} times" for name, count in sorted(used.items())])
    return Reply("\n".join(blocks) or "Nothing was said.")


def _block(heading: str, lines: list[str]) -> list[str]:
    shown = [f"- {line.strip()[:LONGEST_LINE]}" for line in lines[-MOST_LINES:] if line.strip()]
    return [f"## {heading}", *shown] if shown else []
