"""The port to forges: the interface that the adapter of each forge implements."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

MAX_FOUND: Final = 100  # repositories or refs in one answer

Problem = Literal["credential", "right", "missing", "limit", "refused", "unpushed", "address", "broken", "busy"]
CheckState = Literal["pending", "success", "failure"]


class ForgeError(Exception):
    """A forge refused a request or did not answer. `message` and `hint` are shown to people.

    `problem` is "credential" if an admin has to replace the credential, "right" if the credential lacks a right,
    "missing" if the repository does not exist or the credential may not see it, "limit" if the forge refuses further
    requests for now, "refused" if it did not accept the content, "unpushed" if a branch has nothing to merge, "address"
    if the forge cannot be reached, "broken" if its answer makes no sense, "busy" if the site is working on the same
    pull request for somebody else.
    """

    def __init__(self, problem: Problem, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.problem, self.message, self.hint = problem, message, hint


@dataclass(frozen=True, slots=True)
class RepositoryInfo:
    """A repository as the forge lists it. `updated_at` is ISO 8601, or ""."""

    full_name: str
    clone_url: str
    default_branch: str
    private: bool
    description: str = ""
    updated_at: str = ""


@dataclass(frozen=True, slots=True)
class RefInfo:
    """A branch or tag, and the commit that it points to."""

    name: str
    kind: Literal["branch", "tag"]
    commit: str


@dataclass(frozen=True, slots=True)
class Refs:
    """The branches and tags of a repository. `default_branch` is "" if unknown. `more` is the number of branches and
    tags that were left out."""

    default_branch: str
    found: Sequence[RefInfo]
    more: int = 0


@dataclass(frozen=True, slots=True)
class PullRequestText:
    """The content of a pull request that is opened or updated."""

    title: str
    body: str
    draft: bool = False


@dataclass(frozen=True, slots=True)
class PullRequestInfo:
    """A pull request as the forge describes it."""

    number: int
    url: str
    title: str
    state: Literal["open", "merged", "closed"]
    draft: bool
    head: str
    base: str
    commit: str


@dataclass(frozen=True, slots=True)
class CheckInfo:
    """A check of a commit, such as a CI job. `text` is the end of the check's log, or "" if the forge does not provide
    it."""

    id: str
    name: str
    state: CheckState
    url: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class CommentInfo:
    """A comment of a review. `path` and `line` are "" and 0 if it is about the whole pull request."""

    id: str
    author: str
    body: str
    url: str = ""
    path: str = ""
    line: int = 0


class Forge(Protocol):
    """A forge, used with one credential. Every method raises ForgeError. Arguments named `repository` are full names,
    such as `owner/name`."""

    async def account(self) -> str:
        """Return the name of the account that the credential belongs to."""
        ...

    async def repositories(self, search: str) -> Sequence[RepositoryInfo]:
        """Return up to `MAX_FOUND` repositories whose full name contains `search`, recently used ones first."""
        ...

    async def repository(self, repository: str) -> RepositoryInfo: ...

    async def file(self, repository: str, path: str, ref: str) -> str | None:
        """Return the text of a file at a branch, tag or commit; None if there is no such file."""
        ...

    async def find_pull_request(self, repository: str, head: str) -> PullRequestInfo | None:
        """Return the open pull request of the branch `head`; None if the branch has none."""
        ...

    async def pull_request(self, repository: str, number: int) -> PullRequestInfo: ...

    async def open_pull_request(
        self, repository: str, *, head: str, base: str, text: PullRequestText
    ) -> PullRequestInfo: ...

    async def update_pull_request(self, repository: str, number: int, text: PullRequestText) -> PullRequestInfo: ...

    async def checks(self, repository: str, found: PullRequestInfo) -> Sequence[CheckInfo]: ...

    async def comments(self, repository: str, number: int) -> Sequence[CommentInfo]: ...
