"""A small agent loop around the demo model's planner. It runs the planned tool calls in a folder, and their outputs
look like those of the site."""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deploy.demo_model.conversation import read_conversation
from deploy.demo_model.planner import next_reply
from deploy.demo_model.wire import Reply, with_call_ids

ALL_TOOLS = ("bash", "edit", "glob", "grep", "list", "question", "read", "todowrite", "write")
MAX_STEPS = 12
TIMED_OUT = 124  # exit code of `timeout`


@dataclass(slots=True)
class Workbench:
    """A folder, the tools that are offered and the conversation so far.

    `refuse`: tools whose calls are not made; their output is `refusal`.
    `refuse_after`: the number of calls of a tool that are made before the rest is refused.
    `time_limit`: seconds for one command.
    """

    folder: Path
    tools: Collection[str] = ALL_TOOLS
    refuse: Collection[str] = ()
    refuse_after: Mapping[str, int] = field(default_factory=dict)
    time_limit: int = 60
    refusal: str = "The person rejected this call. It was not run."
    system: str = "You are a careful software engineer."
    replies: list[Reply] = field(default_factory=list)
    messages: list[dict[str, Any]] = field(default_factory=list)
    made: Counter[str] = field(default_factory=Counter)

    def prompt(self, text: str) -> str:
        """Run a whole turn and return the final text."""
        self.messages.append({"role": "user", "content": text})
        for number in range(MAX_STEPS):
            reply = with_call_ids(next_reply(read_conversation(self._body())), f"{len(self.messages)}_{number}")
            self.replies.append(reply)
            self._answer(reply)
            if not reply.calls:
                return reply.text
        raise AssertionError(f"the turn did not end within {MAX_STEPS} steps")

    @property
    def calls(self) -> list[tuple[str, dict[str, Any]]]:
        return [(call.name, json.loads(call.arguments)) for reply in self.replies for call in reply.calls]

    def calls_of(self, tool: str) -> list[dict[str, Any]]:
        return [arguments for name, arguments in self.calls if name == tool]

    def read(self, path: str) -> str:
        return (self.folder / path).read_text()

    def _body(self) -> dict[str, Any]:
        tools = [{"type": "function", "function": {"name": name}} for name in self.tools]
        return {"messages": [{"role": "system", "content": self.system}, *self.messages], "tools": tools}

    def _answer(self, reply: Reply) -> None:
        calls = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in reply.calls
        ]
        self.messages.append({"role": "assistant", "content": reply.text, **({"tool_calls": calls} if calls else {})})
        for call in reply.calls:
            output = self.refusal if self._is_refused(call.name) else self._make(call.name, json.loads(call.arguments))
            self.made[call.name] += 1
            self.messages.append({"role": "tool", "tool_call_id": call.id, "content": output})

    def _is_refused(self, tool: str) -> bool:
        return tool in self.refuse or self.made[tool] >= self.refuse_after.get(tool, MAX_STEPS)

    def _make(self, tool: str, arguments: dict[str, Any]) -> str:
        do: Callable[[dict[str, Any]], str] = getattr(self, f"_tool_{tool}")
        return do(arguments)

    def _tool_list(self, _arguments: dict[str, Any]) -> str:
        return "./\n" + "\n".join(
            f"  {path.name}{'/' if path.is_dir() else ''}" for path in sorted(self.folder.iterdir())
        )

    def _tool_glob(self, arguments: dict[str, Any]) -> str:
        found = sorted(self.folder.glob(arguments["pattern"]))
        return "\n".join(path.relative_to(self.folder).as_posix() for path in found) or "No files found."

    def _tool_grep(self, arguments: dict[str, Any]) -> str:
        blocks = []
        for path in sorted(self.folder.rglob("*.py")):
            lines = [
                (n, line)
                for n, line in enumerate(path.read_text().split("\n"), 1)
                if re.search(arguments["pattern"], line)
            ]
            if lines:
                head = f"{path.relative_to(self.folder).as_posix()}:"
                blocks.append("\n".join([head, *(f"  Line {number}: {line}" for number, line in lines)]))
        return "\n\n".join([f"{len(blocks)} files match.", *blocks])

    def _tool_read(self, arguments: dict[str, Any]) -> str:
        path = self.folder / arguments["filePath"]
        if not path.is_file():
            return f"{arguments['filePath']} does not exist."
        lines = path.read_text().splitlines()
        if not lines:
            return "(The file is empty.)"
        return "\n".join(f"{n}: {line}" for n, line in enumerate(lines, 1)) + f"\n\n(End: {len(lines)} lines.)"

    def _tool_edit(self, arguments: dict[str, Any]) -> str:
        path = self.folder / arguments["filePath"]
        text = path.read_text()
        assert text.count(arguments["oldString"]) == 1, "an edit must name one place"
        path.write_text(text.replace(arguments["oldString"], arguments["newString"]))
        return f"Edited {arguments['filePath']} (+1 -1 lines)."

    def _tool_write(self, arguments: dict[str, Any]) -> str:
        (self.folder / arguments["filePath"]).write_text(arguments["content"])
        return f"Created {arguments['filePath']} (+1 -0 lines)."

    def _tool_todowrite(self, arguments: dict[str, Any]) -> str:
        return "\n".join(todo["content"] for todo in arguments["todos"])

    def _tool_question(self, _arguments: dict[str, Any]) -> str:
        return "Tea"

    def _tool_bash(self, arguments: dict[str, Any]) -> str:
        command = ["bash", "-c", arguments["command"].replace("python3", sys.executable)]
        env = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        limit = f"timeout --kill-after=1 {self.time_limit}".split()
        done = subprocess.run([*limit, *command], cwd=self.folder, env=env, capture_output=True, text=True, check=False)
        if done.returncode == TIMED_OUT:
            return f"(no output)\n\n(Ended after {self.time_limit} s, its time limit. Give a larger timeout if needed.)"
        return done.stdout + (f"\n\n(Exit code {done.returncode}.)" if done.returncode else "")
