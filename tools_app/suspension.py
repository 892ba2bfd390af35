"""Exceptions that a tool raises to suspend its call until a person, a sub-agent or another call is done. No worker is
occupied meanwhile."""

from collections.abc import Mapping, Sequence
from typing import Any

from tools_app.spec import PermissionNeed, ToolResult


class AwaitAnswer(Exception):
    """Raised by `run` to suspend the call until a person answers.

    `questions` is the list shown to the person, as in the question tool's arguments.
    """

    def __init__(self, questions: Sequence[Mapping[str, Any]]) -> None:
        super().__init__("waiting for an answer")
        self.questions = list(questions)


class AwaitChild(Exception):
    """Raised by `run` to suspend the call until a sub-agent has finished its task.

    If `session_id` is set, the sub-agent's session of an earlier call is continued. `command` is the slash command that
    caused the call, if one did.
    """

    def __init__(
        self, agent: str, description: str, prompt: str, *, session_id: str | None = None, command: str | None = None
    ) -> None:
        super().__init__("waiting for a sub-agent")
        self.agent = agent
        self.description = description
        self.prompt = prompt
        self.session_id = session_id
        self.command = command


class AwaitCalls(Exception):
    """Raised by `run` to suspend the call until other calls, which are made on its behalf, have ended.

    `calls` are dicts {tool, arguments}. Each passes the gate like any other call. When all have ended, `run` is called
    again with their results in `ToolContext.outcomes`. `title` is shown to people meanwhile.
    """

    def __init__(self, calls: Sequence[Mapping[str, Any]], *, title: str) -> None:
        super().__init__("waiting for other calls")
        self.calls = [dict(each) for each in calls]
        self.title = title


class AwaitPermission(Exception):
    """Raised by `run` after the call has done its work, to suspend it until a person decides about an access that was
    refused.

    `result` is the call's result, which does not depend on the decision. After the decision, `run` is called again and
    must return the same result.
    """

    def __init__(self, needs: Sequence[PermissionNeed], result: ToolResult, *, title: str) -> None:
        super().__init__("waiting for a decision")
        self.needs = tuple(needs)
        self.result = result
        self.title = title
