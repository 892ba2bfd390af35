"""Parse the messages of a model request, as input for the demo model's planner. Pure functions; malformed messages are
ignored, not refused."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from deploy.demo_model.attachments import SeenFile, files_of, is_from_tools, without_attachments


@dataclass(frozen=True, slots=True)
class FinishedCall:
    """A tool call that was made since the last prompt, with its output and, for `bash`, its command."""

    tool: str
    output: str
    command: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """The current turn: the last prompt and all that followed it.

    `done`: finished tool calls since the prompt, oldest first. `tools`: names of the tools that the request offers.
    `files`: attachments of the prompt. `tool_files`: files that the tool calls since then attached.
    """

    system: str
    prompt: str
    done: tuple[FinishedCall, ...]
    tools: frozenset[str]
    files: tuple[SeenFile, ...] = ()
    tool_files: tuple[SeenFile, ...] = ()

    def offers(self, *names: str) -> bool:
        """Return whether the request offers all of these tools."""
        return self.tools.issuperset(names)

    def outputs(self, tool: str) -> list[FinishedCall]:
        """Return the finished calls of one tool."""
        return [one for one in self.done if one.tool == tool]


def read_conversation(body: Mapping[str, Any]) -> Conversation:
    messages = [message for message in body.get("messages") or [] if isinstance(message, Mapping)]
    last = max((n for n, message in enumerate(messages) if _is_prompt(message)), default=-1)
    system = "\n".join(text_of(m) for m in messages if m.get("role") in ("system", "developer"))
    return Conversation(
        system=system,
        prompt=without_attachments(text_of(messages[last])).strip() if last >= 0 else "",
        done=tuple(_finished_calls(messages[last + 1 :])),
        tools=frozenset(_tool_names(body)),
        files=tuple(files_of(messages[last])) if last >= 0 else (),
        tool_files=tuple(
            file for message in messages[last + 1 :] if is_from_tools(message) for file in files_of(message)
        ),
    )


def _is_prompt(message: Mapping[str, Any]) -> bool:
    return message.get("role") == "user" and not is_from_tools(message)


def is_title_request(body: Mapping[str, Any]) -> bool:
    """Return whether a title is requested: no tools are offered and the system prompt mentions a title."""
    return not body.get("tools") and "title" in read_conversation(body).system.lower()


def text_of(message: Mapping[str, Any]) -> str:
    """Return all text parts of a message, joined with line feeds."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(str(part.get("text", "")) for part in parts if isinstance(part, Mapping))


def _tool_names(body: Mapping[str, Any]) -> list[str]:
    functions = [tool.get("function") or {} for tool in body.get("tools") or [] if isinstance(tool, Mapping)]
    return [function["name"] for function in functions if isinstance(function.get("name"), str)]


def _finished_calls(messages: Sequence[Mapping[str, Any]]) -> list[FinishedCall]:
    outputs = {message.get("tool_call_id"): text_of(message) for message in messages if message.get("role") == "tool"}
    calls = [call for message in messages for call in message.get("tool_calls") or [] if isinstance(call, Mapping)]
    return [_finished_call(call, outputs[call.get("id")]) for call in calls if call.get("id") in outputs]


def _finished_call(call: Mapping[str, Any], output: str) -> FinishedCall:
    function = call.get("function") or {}
    return FinishedCall(str(function.get("name", "")), output, _command(function.get("arguments")))


def _command(arguments: Any) -> str:
    try:
        given = json.loads(arguments)
    except (TypeError, ValueError):
        return ""
    return str(given.get("command", "")) if isinstance(given, Mapping) else ""
