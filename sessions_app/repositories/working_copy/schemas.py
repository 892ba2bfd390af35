"""API schemas of the repository inside a workspace."""

from typing import Annotated, Literal

from ninja import Field
from pydantic import StringConstraints

from agentsite.http.request_body import RequestBody
from sessions_app.events.schema import View

Commit = Annotated[str, StringConstraints(pattern="^[0-9a-f]{40,64}$")]


class ChangedPathView(View):
    """A file with changes that are not committed."""

    path: str
    status: Literal["added", "modified", "deleted", "conflict"]


class CommitView(View):
    commit: str
    subject: str


class GitState(View):
    """The repository in the session's workspace. `branch` is the one that its commits are pushed to, `current_branch`
    the one that is checked out, "" for none. `uncommitted` and `unpushed` have at most 500 and 100 entries. `base` is
    the branch that the session started from, which has `behind` commits more, as of the last fetch. `pushed`: the
    server has the session's branch. A rebase or a merge that waits for conflicts to be resolved is the `operation`; the
    files in conflict are among `uncommitted`. `problem` says why nothing can be committed or pushed. `can_change`: your
    role allows it. `decides`: your push stands for the decision that the rules ask for."""

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
    """A commit of everything that is not committed, with you as the author."""

    message: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=10_000)]


class NewPush(RequestBody):
    """A push of `commit`, the `head` that you have seen, to the session's branch. With `workflows` also if it changes
    files that tell a CI service what to run."""

    commit: Commit
    workflows: bool = Field(default=False)


class BranchUpdate(RequestBody):
    """`fetch` brings the commits of the base branch into the workspace's repository, `rebase` and `merge` into the
    session's branch too. `abort` undoes a rebase or a merge that has conflicts."""

    how: Literal["fetch", "rebase", "merge", "abort"]


class NewBranchSession(RequestBody):
    """A session in a new workspace that starts from the branch of this one."""

    title: Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)] = ""
    agent: str = Field(default="", max_length=64)
    shared_with: Literal["team", "private"] = "team"
