"""Compaction: decide whether a conversation is too long, and choose the messages to keep word for word and those to
summarize. Pure.

Tokens are estimated at four characters each until the provider reports a count. A call and its result are one unit and
never separated.
"""

import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sessions_app.agent.context import StoredCall, StoredMessage
from sessions_app.agent.estimates import CHARACTERS_PER_TOKEN, estimate_text
from tools_app.media import kind_of
from tools_app.truncation import MAX_BYTES

MAX_RESERVE_TOKENS: Final = 20_000  # tokens kept free for the answer; less if the model's maximum output is smaller
TAIL_SHARE: Final = 0.25
MIN_TAIL_TOKENS: Final = 2_000  # tokens
MAX_TAIL_TOKENS: Final = 15_000
RESULT_LIMIT: Final = 2_000  # characters of a tool's output that the summary is made from
SHORT_RESULT_LIMIT: Final = 300
KEPT_OUTPUT_TOKENS: Final = 40_000  # tokens of the output of old calls that are kept
MIN_SAVED_TOKENS: Final = 20_000  # tokens; clearing less is not worth invalidating the provider's cache
PRUNED: Final = "(The output of this old call was cleared to make room. Make the call again if you need it.)"
PICTURE_TOKENS: Final = 1_500  # about what providers count for a large picture
PROMPT_LIMIT: Final = 8_000  # characters of the last prompt, where it is not part of the tail
BEGINNING_SHARE: Final = 0.25  # of a conversation that is too long even to be summarized


@dataclass(frozen=True, slots=True)
class Window:
    """The space for a request in a model's context: `usable` tokens, None if the size of the context is unknown."""

    usable: int | None

    @classmethod
    def of(cls, context: int | None, max_output: int | None, reserved: int | None = None) -> "Window":
        """Return the window of a model with `context` tokens: the context without the tokens kept free for the answer
        (`reserved`, if given), but at least half of the context."""
        if not context:
            return cls(None)
        reserve = min(MAX_RESERVE_TOKENS, max_output or MAX_RESERVE_TOKENS) if reserved is None else reserved
        return cls(max(context - reserve, context // 2))

    def is_full(self, tokens: int) -> bool:
        return self.usable is not None and tokens >= self.usable

    def tail(self, tokens: int) -> int:
        """Return the number of tokens at the end of the conversation that a compaction keeps. `tokens` is the size of
        the conversation, which is only used if the size of the context is unknown."""
        usable = tokens if self.usable is None else self.usable
        return min(max(int(usable * TAIL_SHARE), MIN_TAIL_TOKENS), MAX_TAIL_TOKENS, usable // 2)


def estimate_chat(messages: Iterable[Mapping[str, Any]]) -> int:
    """Estimate the tokens of chat messages as they are sent to the provider."""
    return sum(_estimate_one(message) for message in messages)


def estimate_since_answer(messages: Sequence[Mapping[str, Any]]) -> int:
    """Estimate the tokens of the messages after the model's last answer, which the provider has not counted yet."""
    last = max((place for place, message in enumerate(messages) if message["role"] == "assistant"), default=-1)
    return estimate_chat(messages[last + 1 :])


def first_kept(messages: Sequence[StoredMessage], budget: int) -> int:
    """Return the index of the first message that a compaction keeps, so that the kept messages fit into `budget`
    tokens. If all messages fit, keep none of them, because there would be nothing to summarize."""
    room, place = budget, len(messages)
    while place > 0 and (room := room - estimate_stored(messages[place - 1])) >= 0:
        place -= 1
    return place or len(messages)


def first_of_turns(messages: Sequence[StoredMessage], turns: int) -> int:
    """Return the index of the prompt that begins the last `turns` turns; 0 if there are no more than `turns` prompts.
    If `turns` is 0, return the number of messages."""
    prompts = [place for place, message in enumerate(messages) if message.role == "user"]
    if not turns:
        return len(messages)
    return prompts[-turns] if len(prompts) > turns else 0


def estimate_stored(message: StoredMessage) -> int:
    calls = sum(len(call.tool) + len(call.raw_arguments) + len(call.output) for call in message.calls)
    text_tokens = -(-(sum(map(len, message.texts)) + calls) // CHARACTERS_PER_TOKEN)
    return text_tokens + sum(
        map(estimate_file, (*message.files, *(file for call in message.calls for file in call.files)))
    )


def calls_to_prune(sizes: Iterable[tuple[uuid.UUID, int]]) -> list[uuid.UUID]:
    """Return the ids of calls whose output should be cleared. `sizes` has (id, characters of output) of calls, newest
    first. The result is empty if that would save too little."""
    seen = saved = 0
    chosen = []
    for call_id, characters in sizes:
        tokens = -(-characters // CHARACTERS_PER_TOKEN)
        seen += tokens
        if seen > KEPT_OUTPUT_TOKENS:
            chosen.append(call_id)
            saved += tokens
    return chosen if saved > MIN_SAVED_TOKENS else []


def summary_request(messages: Sequence[StoredMessage], *, earlier: str, budget: int) -> str:
    """Return the text that the compaction agent summarizes, shortened to about `budget` tokens.

    `earlier` is the summary of the messages before `messages`.
    """
    room = max(budget * CHARACTERS_PER_TOKEN - len(earlier), 4 * RESULT_LIMIT)
    blocks = [f"<notes>\n{earlier}\n</notes>"] if earlier else []
    blocks.append(f"<conversation>\n{_transcript(messages, room)}\n</conversation>")
    return "\n\n".join(blocks)


def summary_as_message(notes: str, *, prompt: str) -> dict[str, Any]:
    """Return the summary as the first message of the shortened conversation. `prompt` is the user's last prompt if its
    message was not kept."""
    blocks = [
        "<notes>\nThe older part of this conversation was too long to be kept. These are the notes about it:\n",
        notes.strip(),
        "</notes>",
        *([f"\nThe user's last message, word for word:\n{prompt}"] if prompt else ()),
    ]
    blocks.append("\nGo on with the work from there.")
    return {"role": "user", "content": "\n".join(blocks)}


def last_prompt(messages: Sequence[StoredMessage], kept_from: int) -> str:
    """Return the text of the last prompt before the kept messages, shortened to `PROMPT_LIMIT`; "" if the kept messages
    contain a prompt. `kept_from` is the index of the first kept message."""
    if any(message.role == "user" for message in messages[kept_from:]):
        return ""
    prompts = [message for message in messages[:kept_from] if message.role == "user"]
    prompt = "\n\n".join([*prompts[-1].texts, *map(_file_entry, prompts[-1].files)]) if prompts else ""
    return prompt if len(prompt) <= PROMPT_LIMIT else f"{prompt[:PROMPT_LIMIT]}\n(the rest is not shown)"


def estimate_file(file: Mapping[str, Any]) -> int:
    """Estimate the tokens of a file. A text counts up to the size limit of quoted files; any other file counts as one
    picture."""
    if kind_of(str(file.get("media_type"))) != "text":
        return PICTURE_TOKENS
    return -(-min(int(file.get("size") or 0), MAX_BYTES) // CHARACTERS_PER_TOKEN)


def _estimate_one(message: Mapping[str, Any]) -> int:
    content = message.get("content") or ""
    blocks = [{"text": content}] if isinstance(content, str) else content
    text_tokens = sum(estimate_text(block["text"]) if "text" in block else PICTURE_TOKENS for block in blocks)
    calls = message.get("tool_calls") or ()
    return text_tokens + sum(estimate_text(json.dumps(call["function"])) for call in calls)


def _transcript(messages: Sequence[StoredMessage], room: int) -> str:
    for limit in (RESULT_LIMIT, SHORT_RESULT_LIMIT):
        text = "\n\n".join(_entry(message, limit) for message in messages)
        if len(text) <= room:
            return text
    beginning = int(room * BEGINNING_SHARE)
    missing = len(text) - room
    return f"{text[:beginning]}\n\n({missing:,} characters are left out here)\n\n{text[missing + beginning :]}"


def _entry(message: StoredMessage, limit: int) -> str:
    body = "\n\n".join(text for text in message.texts if text)
    calls = (_call_entry(call, limit) for call in message.calls)
    return "\n".join([f"[{message.role}]", *([body] if body else []), *map(_file_entry, message.files), *calls])


def _call_entry(call: StoredCall, limit: int) -> str:
    result = f"[call {call.tool}] {_cut(call.raw_arguments, limit)}\n[result] {_cut(call.output, limit)}"
    return "\n".join([result, *map(_file_entry, call.files)])


def _file_entry(file: Mapping[str, Any]) -> str:
    """Return a line with the file's name and the id by which the tool `read` shows it again."""
    return f"[file] {file.get('name', '')} ({file.get('id', '')})"


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]} ({len(text) - limit:,} more characters)"
