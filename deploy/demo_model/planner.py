"""Choose the next reply of a conversation. Pure functions."""

import re
from typing import Final

from deploy.demo_model import attachments, instructions, tea_shop
from deploy.demo_model.conversation import Conversation
from deploy.demo_model.wire import Reply

FIX_PROMPT: Final = re.compile(
    r"(?i)\b(?:fix|repair|debug|correct)\b.*\b(?:tests?|bugs?|failures?|code|project|it)\b"
    r"|\bmake\b.*\btests?\b.*\b(?:pass|green|work)|\btests?\b.*\bfail(?:s|ing)?\b"
)
MAX_TITLE_WORDS: Final = 6
MAX_TITLE_LENGTH: Final = 50  # characters
POLITE_PREFIX: Final = re.compile(
    r"(?i)^(?:(?:hi|hello|hey)(?: there)?[,!.]\s*|(?:please|can you|could you|would you|kindly)\b[, ]*)+"
)
SCRIPT_MARKER: Final = re.compile(r"\[script:[\w.-]+\]")


def next_reply(conversation: Conversation) -> Reply:
    """Return the next reply: a text, and tool calls whose results the following step needs."""
    if conversation.files and (not conversation.prompt or attachments.ASKS_ABOUT_FILES.search(conversation.prompt)):
        return Reply(attachments.describe(conversation.files))
    if FIX_PROMPT.search(conversation.prompt):
        return tea_shop.next_step(conversation)
    return instructions.next_step(conversation)


def title(conversation: Conversation) -> Reply:
    """Return a title for the session: the first words of the prompt."""
    words = POLITE_PREFIX.sub("", SCRIPT_MARKER.sub("", conversation.prompt).strip()).split()
    short = " ".join(words[:MAX_TITLE_WORDS])[:MAX_TITLE_LENGTH].rstrip(" ,.;:!?")
    return Reply(short[:1].upper() + short[1:] or "New session")
