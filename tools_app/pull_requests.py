"""PullRequests: what the tool `pull_request` gets of the session that its call is in."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class PlannedPullRequest:
    """What opening the session's pull request would do: merge `branch` into `base`.

    `number` is that of the one that is open and would be updated, 0 for none. `commit` is the newest pushed one.
    """

    repository: str
    branch: str
    base: str
    commit: str
    number: int = 0


@dataclass(frozen=True, slots=True)
class OpenedPullRequest:
    """A pull request as the forge has it now."""

    number: int
    url: str
    title: str
    state: str
    draft: bool
    base: str
    is_new: bool


class PullRequests(Protocol):
    """The pull request of one session. Both methods ask the forge, and raise ToolError with what to do."""

    async def plan(self) -> PlannedPullRequest:
        """Return what `open` would do. Changes nothing, and asks once for each call."""
        ...

    async def open(self, *, title: str, body: str, draft: bool) -> OpenedPullRequest:
        """Open the pull request, or replace title and text of the one that is open. May be repeated."""
        ...
