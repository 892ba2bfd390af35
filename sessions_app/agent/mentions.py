"""Find `@agent` mentions in a prompt, and describe them to the model. Pure."""

import re
from collections.abc import Collection
from typing import Final

MAX_MENTIONS: Final = 10  # of one prompt
_MENTION: Final = re.compile(r"(?<![\w@/.`-])@(\w[\w./-]*)")


def mentioned_agents(text: str, names: Collection[str]) -> list[str]:
    """Return the agents among `names` that the text mentions, in order and without duplicates. A full stop after a name
    is not read as a part of the name."""
    found = (_name(match[1], names) for match in _MENTION.finditer(text))
    return list(dict.fromkeys(name for name in found if name))[:MAX_MENTIONS]


def call_hint(name: str) -> str:
    """Return the reminder that the model reads after a prompt which mentions this agent."""
    return (
        f"<reminder>\nThe user calls the agent `{name}` by name. Have it do what the message above asks of it: call "
        f'the tool `task` with subagent_type "{name}" and a prompt that says all it needs to know.\n</reminder>'
    )


def _name(written: str, names: Collection[str]) -> str:
    """Return the name at the beginning of the text, or "". Only as many characters as a name can have are examined,
    because pasted text may contain a very long row of full stops."""
    longest = max(map(len, names), default=0)
    written = written[: len(written.rstrip("./-")) + longest]
    while written and written not in names:
        written = written[:-1] if written[-1] in "./-" else ""
    return written
