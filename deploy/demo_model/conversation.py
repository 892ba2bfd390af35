"""A request's messages as the planner sees them. Pure; takes whatever clients send without raising."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from deploy.demo_model.looking import Seen, files_of, is_from_tools, own_words


@dataclass(frozen=True, slots=True)
class Done:
    """A tool call that was made since the last prompt, with what came back."""

    tool: str
    arguments: Mapping[str, Any]
    output: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """`files` came with the prompt, `brought` with the calls since then."""

    system: str
    prompt: str
    done: tuple[Done, ...]
    tools: frozenset[str]
    files: tuple[Seen, ...] = ()
    brought: tuple[Seen, ...] = ()

    def offers(self, *names: str) -> bool:
        return self.tools.issuperset(names)

    def outputs(self, tool: str) -> list[Done]:
        return [one for one in self.done if one.tool == tool]


def read_conversation(body: Mapping[str, Any]) -> Conversation:
    messages = [message for message in body.get("messages") or [] if isinstance(message, Mapping)]
    last = max((n for n, message in enumerate(messages) if _is_prompt(message)), default=-1)
    system = "\n".join(text_of(m) for m in messages if m.get("role") in ("system", "developer"))
    return Conversation(
        system=system,
        prompt=own_words(text_of(messages[last])).strip() if last >= 0 else "",
        done=tuple(_done_calls(messages[last + 1 :])),
        tools=frozenset(_tool_names(body)),
        files=tuple(files_of(messages[last])) if last >= 0 else (),
        brought=tuple(seen for message in messages[last + 1 :] if is_from_tools(message) for seen in files_of(message)),
    )


def _is_prompt(message: Mapping[str, Any]) -> bool:
    return message.get("role") == "user" and not is_from_tools(message)


def is_title_request(body: Mapping[str, Any]) -> bool:
    """A short name for the session is wanted: no tools are offered and the system prompt speaks of a title."""
    return not body.get("tools") and "title" in read_conversation(body).system.lower()


def text_of(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(str(part.get("text", "")) for part in parts if isinstance(part, Mapping))


def _tool_names(body: Mapping[str, Any]) -> list[str]:
    functions = [tool.get("function") or {} for tool in body.get("tools") or [] if isinstance(tool, Mapping)]
    return [function["name"] for function in functions if isinstance(function.get("name"), str)]


def _done_calls(messages: Sequence[Mapping[str, Any]]) -> list[Done]:
    outputs = {message.get("tool_call_id"): text_of(message) for message in messages if message.get("role") == "tool"}
    calls = [call for message in messages for call in message.get("tool_calls") or [] if isinstance(call, Mapping)]
    return [_done(call, outputs[call.get("id")]) for call in calls if call.get("id") in outputs]


def _done(call: Mapping[str, Any], output: str) -> Done:
    function = call.get("function") or {}
    try:
        arguments = json.loads(function.get("arguments") or "{}")
    except ValueError:
        arguments = {}
    return Done(str(function.get("name", "")), arguments if isinstance(arguments, dict) else {}, output)
