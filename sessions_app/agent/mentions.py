"""`@agent` in a prompt: whom a person calls by name, and how that is told to the model. Pure."""

import re
from collections.abc import Collection
from typing import Final

MOST_MENTIONS: Final = 10  # of one prompt
_MENTION: Final = re.compile(r"(?<![\w@/.`-])@(\w[\w./-]*)")


def mentioned_agents(text: str, names: Collection[str]) -> list[str]:
    """The agents of `names` that the text calls, each once, in order. A full stop after a name is none of it."""
    found = (_name(match[1], names) for match in _MENTION.finditer(text))
    return list(dict.fromkeys(name for name in found if name))[:MOST_MENTIONS]


def call_hint(name: str) -> str:
    """What the model reads beside the prompt."""
    return (
        f"<reminder>\nThe user calls the agent `{name}` by name. Have it do what the message above asks of it: call "
        f'the tool `task` with subagent_type "{name}" and a prompt that says all it needs to know.\n</reminder>'
    )


def _name(written: str, names: Collection[str]) -> str:
    """Looked at no further than a name can reach: what is pasted may be one endless row of full stops."""
    longest = max(map(len, names), default=0)
    written = written[: len(written.rstrip("./-")) + longest]
    while written and written not in names:
        written = written[:-1] if written[-1] in "./-" else ""
    return written
