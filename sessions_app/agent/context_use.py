"""Count the parts that fill a model's context, in estimated tokens. Pure."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from sessions_app.agent.compaction import PRUNED, estimate_file
from sessions_app.agent.context import BlockKind, StoredCall, StoredMessage
from sessions_app.agent.estimates import estimate_text

ItemKind = BlockKind | Literal["tool", "summary", "prompts", "answers", "calls", "results", "file"]
_SKILL_TOOL: Final = "skill"


@dataclass(frozen=True, slots=True)
class ContextItem:
    """One part of a model's context. `name` is an agent, the path of an instruction file, a tool or a file; `count` is
    how many messages or calls it sums up."""

    kind: ItemKind
    name: str
    tokens: int
    count: int = 1
    names: Sequence[str] = ()


def conversation_items(messages: Sequence[StoredMessage], *, summary: str = "") -> list[ContextItem]:
    """Return an item for each non-empty part of a conversation: its summary, prompts, answers, calls, the results of
    each tool, and each file."""
    calls = [call for message in messages for call in message.calls]
    found = [
        ContextItem("summary", "", estimate_text(summary)),
        _texts("prompts", (message for message in messages if message.role == "user")),
        _texts("answers", (message for message in messages if message.role != "user")),
        ContextItem("calls", "", sum(estimate_text(call.tool + call.raw_arguments) for call in calls), len(calls)),
        *_results(calls),
        *(
            ContextItem("file", str(file.get("name", "")), estimate_file(file))
            for message in messages
            for file in (*message.files, *(file for call in message.calls for file in call.files))
        ),
    ]
    return [item for item in found if item.tokens]


def loaded_skills(messages: Iterable[StoredMessage]) -> list[str]:
    """Return the names of the skills whose text is in the conversation."""
    calls = (call for message in messages for call in message.calls)
    loaded = [call for call in calls if call.tool == _SKILL_TOOL and call.output != PRUNED]
    return list(dict.fromkeys(name for call in loaded for name in _name_in(call)))


def _texts(kind: ItemKind, messages: Iterable[StoredMessage]) -> ContextItem:
    texts = ["\n\n".join(message.texts) for message in messages]
    return ContextItem(kind, "", sum(map(estimate_text, texts)), len(texts))


def _results(calls: Iterable[StoredCall]) -> list[ContextItem]:
    """Return one item for each tool with the total size of its results, largest first."""
    tokens: dict[str, list[int]] = {}
    for call in calls:
        tokens.setdefault(call.tool, []).append(estimate_text(call.output))
    items = [ContextItem("results", tool, sum(sizes), len(sizes)) for tool, sizes in tokens.items()]
    return sorted(items, key=lambda item: -item.tokens)


def _name_in(call: StoredCall) -> Iterator[str]:
    try:
        arguments = json.loads(call.raw_arguments or "{}")
    except (ValueError, RecursionError):
        return
    if isinstance(arguments, dict) and isinstance(name := arguments.get("name"), str):
        yield name
