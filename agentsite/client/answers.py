"""What a program may answer when an agent asks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Once:
    """Allow this call."""

    def body(self) -> Mapping[str, Any]:
        return {"reply": "once"}


@dataclass(frozen=True, slots=True)
class Always:
    """Allow this call and others like it, as far as the request's `scopes` reach."""

    scope: Literal["session", "project", "team"] = "session"

    def body(self) -> Mapping[str, Any]:
        return {"reply": "always", "scope": self.scope}


@dataclass(frozen=True, slots=True)
class Reject:
    """Refuse this call; the agent reads `message`."""

    message: str = ""

    def body(self) -> Mapping[str, Any]:
        return {"reply": "reject", "message": self.message}


PermissionAnswer = Once | Always | Reject


@dataclass(frozen=True, slots=True)
class Answered:
    """For each of the request's questions the labels that were chosen, or words of one's own."""

    answers: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Dismiss:
    """The agent goes on without an answer."""


QuestionAnswer = Answered | Dismiss
