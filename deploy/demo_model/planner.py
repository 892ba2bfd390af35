"""What the demo model does next: the conversation in, one reply out. Pure but for `diagnose`, which is passed in."""

import re
from typing import Final

from deploy.demo_model import instructions, looking
from deploy.demo_model.conversation import Conversation
from deploy.demo_model.repair import story
from deploy.demo_model.wire import Reply

FIX: Final = re.compile(
    r"(?i)\b(?:fix|repair|debug|correct)\b.*\b(?:tests?|bugs?|failures?|code|project|it)\b"
    r"|\bmake\b.*\btests?\b.*\b(?:pass|green|work)|\btests?\b.*\bfail(?:s|ing)?\b"
)
TITLE_WORDS: Final = 6
TITLE_LENGTH: Final = 50
POLITE: Final = re.compile(
    r"(?i)^(?:(?:hi|hello|hey)(?: there)?[,!.]\s*|(?:please|can you|could you|would you|kindly)\b[, ]*)+"
)
MARKER: Final = re.compile(r"\[script:[\w.-]+\]")


def next_reply(conversation: Conversation, diagnose: story.Diagnose) -> Reply:
    """One step: text, and the calls to make before the next one."""
    if conversation.files and (not conversation.prompt or looking.ASKED.search(conversation.prompt)):
        return Reply(looking.told(conversation.files))
    if FIX.search(conversation.prompt):
        return story.next_step(conversation, diagnose)
    return instructions.next_step(conversation)


def title(conversation: Conversation) -> Reply:
    """A short name for the session, from the first words of what was asked."""
    words = POLITE.sub("", MARKER.sub("", conversation.prompt).strip()).split()
    short = " ".join(words[:TITLE_WORDS])[:TITLE_LENGTH].rstrip(" ,.;:!?")
    return Reply(short[:1].upper() + short[1:] or "New session")
