"""Create summaries of a conversation from lines of its text. A language model would write them in its own words."""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from deploy.demo_model.conversation import Conversation, read_conversation
from deploy.demo_model.wire import Reply

MAX_LINES: Final = 12  # for each heading
MAX_LINE_LENGTH: Final = 200  # characters
_SUMMARY_REQUEST: Final = re.compile(r"(?i)\b(?:write the notes|short summary of what was done)\b")
_PROMPT: Final = re.compile(r"^\[user\]\n(.+)$", re.MULTILINE)
_ANSWER: Final = re.compile(r"^\[assistant\]\n(?!\[call )(.+)$", re.MULTILINE)
_CALL: Final = re.compile(r"^\[call ([\w-]+)\]", re.MULTILINE)
_EARLIER_SUMMARY: Final = re.compile(r"<notes>\n(.*?)\n</notes>", re.DOTALL)


def is_summary_request(body: Mapping[str, Any]) -> bool:
    """Return whether a summary is requested: no tools are offered and the system prompt asks for notes or a summary."""
    return not body.get("tools") and _SUMMARY_REQUEST.search(read_conversation(body).system) is not None


def summarise(conversation: Conversation) -> Reply:
    """Return the earlier summary, followed by the prompts, the last answers and the number of uses of each tool."""
    text = conversation.prompt
    earlier = _EARLIER_SUMMARY.search(text)
    blocks = [earlier[1]] if earlier else []
    blocks += _block("Task", _PROMPT.findall(text))
    blocks += _block("Done", _ANSWER.findall(text))
    used = Counter(_CALL.findall(text))
    blocks += _block("State", [f"{name} was used {count} times" for name, count in sorted(used.items())])
    return Reply("\n".join(blocks) or "Nothing was said.")


def _block(heading: str, lines: list[str]) -> list[str]:
    shown = [f"- {line.strip()[:MAX_LINE_LENGTH]}" for line in lines[-MAX_LINES:] if line.strip()]
    return [f"## {heading}", *shown] if shown else []
