"""The interface through which the tool `pull_request` reads and opens the pull request of its session."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class PlannedPullRequest:
    """A preview of opening the session's pull request, which merges `branch` into `base`.

    `number` is the number of the open pull request that would be updated; 0 if there is none. `commit` is the newest
    pushed commit.
    """

    repository: str
    branch: str
    base: str
    commit: str
    number: int = 0


@dataclass(frozen=True, slots=True)
class OpenedPullRequest:
    """A pull request in its current state at the forge."""

    number: int
    url: str
    title: str
    state: str
    draft: bool
    base: str
    is_new: bool


@dataclass(frozen=True, slots=True)
class DraftedText:
    """A title and a text for a pull request. If a model was asked to draft them and failed, `problem` says why."""

    title: str
    body: str
    problem: str = ""


class PullRequests(Protocol):
    """The pull request of one session. `plan` and `open` ask the forge, and raise ToolError, which says what to do."""

    async def plan(self) -> PlannedPullRequest:
        """Return a preview of `open`. Changes nothing. The forge is asked once for each tool call."""
        ...

    async def draft(self) -> DraftedText:
        """Return a title and a text for a call that has none. A draft is made once for each call.

        They are taken from the draft that a person approved for this call, else from the open pull request, else from a
        new draft of the diff.
        """
        ...

    async def open(self, *, title: str, body: str, draft: bool) -> OpenedPullRequest:
        """Open the pull request, or replace its title and text if it is open already. The call may be repeated."""
        ...
