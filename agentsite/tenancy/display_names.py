"""Normalize display names to one line of visible characters."""

import unicodedata
from typing import Final

from agentsite.base.errors import BadInput

NAME_LENGTH: Final = 120

# Zero-width (non-)joiners are part of correct spelling in some scripts and of emoji. Other invisible characters can
# hide or reorder the text around them.
_JOINERS: Final = "\u200c\u200d"


def one_line(text: str) -> str:
    """Remove invisible and control characters, so that a name is not blank and cannot alter the text around it."""
    kept = " ".join("".join(one for one in " ".join(text.split()) if _may_stay(one)).split())
    return kept if kept.strip(_JOINERS + " ") else ""


def required_name(text: str) -> str:
    name = one_line(text)
    if not name or len(name) > NAME_LENGTH:
        raise BadInput("A name must have 1 to 120 visible characters.", fields={"name": "1 to 120 visible characters"})
    return name


def _may_stay(character: str) -> bool:
    return character in _JOINERS or unicodedata.category(character) not in ("Cc", "Cf")
