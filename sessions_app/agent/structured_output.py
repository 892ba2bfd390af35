"""Instructions for a model whose answer must match a JSON Schema. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

INSTRUCTIONS: Final = (
    "The user wants the answer as data in a given form. Do the work first, with the other tools where they help. Then, "
    "as the very last thing, call StructuredOutput with the answer. What you say in words is not read."
)
REMINDER: Final = "Give the answer now by calling StructuredOutput. Words alone do not reach the user."


def with_output_instructions(messages: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the messages with instructions for structured output added to the system prompt. If the last message is an
    answer in plain text, a reminder is appended."""
    system, *rest = messages
    extended: list[Mapping[str, Any]] = [{**system, "content": f"{system['content']}\n\n{INSTRUCTIONS}"}, *rest]
    last = extended[-1]
    if last["role"] == "assistant" and not last.get("tool_calls"):
        extended.append({"role": "user", "content": REMINDER})
    return extended
