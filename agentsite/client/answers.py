"""The answers to permission requests and questions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Once:
    """The reply "once" to a permission request: allow only this tool call."""

    def body(self) -> Mapping[str, Any]:
        return {"reply": "once"}


@dataclass(frozen=True, slots=True)
class Always:
    """The reply "always" to a permission request: allow this tool call and similar ones from now on. `scope` must be
    one of the request's `scopes`."""

    scope: Literal["session", "project", "team"] = "session"

    def body(self) -> Mapping[str, Any]:
        return {"reply": "always", "scope": self.scope}


@dataclass(frozen=True, slots=True)
class Reject:
    """An answer that rejects the tool call. The agent reads `message`."""

    message: str = ""

    def body(self) -> Mapping[str, Any]:
        return {"reply": "reject", "message": self.message}


PermissionAnswer = Once | Always | Reject


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer to a question request: for each question, the labels of the chosen options or a text of your own."""

    answers: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Dismiss:
    """An answer that dismisses the question; the agent continues without an answer."""


QuestionAnswer = Answered | Dismiss
