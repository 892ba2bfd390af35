"""API schemas of the repository inside a workspace."""

from typing import Annotated, Literal

from ninja import Field
from pydantic import StringConstraints

from agentsite.http.request_body import RequestBody
from sessions_app.events.schema import View

Commit = Annotated[str, StringConstraints(pattern="^[0-9a-f]{40,64}$")]


class ChangedPathView(View):
    """A file with uncommitted changes."""

    path: str
    status: Literal["added", "modified", "deleted", "conflict"]


class CommitView(View):
    commit: str
    subject: str


class GitState(View):
    """The repository in the session's workspace. `branch` is the branch that its commits are pushed to,
    `current_branch` the one that is checked out, "" if none is. `uncommitted` has at most 500 entries, `unpushed` at
    most 100. `base` is the branch that the session started from; `behind` is the number of its commits that the
    session's branch lacks, as of the last fetch. `pushed`: the server has the session's branch. `operation` is a rebase
    or a merge that waits until conflicts are resolved; the files in conflict are among `uncommitted`. `problem` says
    why nothing can be committed or pushed. `can_change`: your role allows it. `decides`: if the rules ask about a push,
    yours counts as the approval."""

    repository: str
    branch: str
    current_branch: str
    head: str
    uncommitted: list[ChangedPathView]
    unpushed: list[CommitView]
    base: str
    behind: int
    pushed: bool
    operation: Literal["", "rebase", "merge"]
    problem: str
    can_change: bool
    decides: bool


class NewCommit(RequestBody):
    """A commit of all uncommitted changes, with you as the author."""

    message: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=10_000)]


class NewPush(RequestBody):
    """A push of `commit`, the `head` that you have seen, to the session's branch. Set `workflows` to push it even if it
    changes files that tell a CI service what to run."""

    commit: Commit
    workflows: bool = Field(default=False)


class BranchUpdate(RequestBody):
    """An update of the session's branch. `fetch` brings the commits of the base branch into the workspace's repository.
    `rebase` and `merge` also bring them into the session's branch. `abort` undoes a rebase or a merge that has
    conflicts."""

    how: Literal["fetch", "rebase", "merge", "abort"]


class NewBranchSession(RequestBody):
    """A new session in a new workspace that starts from this session's branch."""

    title: Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)] = ""
    agent: str = Field(default="", max_length=64)
    shared_with: Literal["team", "private"] = "team"
