"""Queries that other processes send to the sandbox worker of a workspace or node (`queries.live`)."""

import uuid
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter


class Query(BaseModel):
    """Base class. Unknown fields are ignored, because the sender may run a newer release than the node."""

    model_config = ConfigDict(frozen=True)


class DiffQuestion(Query):
    """Query for the changes in the workspace since the snapshot `base`."""

    kind: Literal["diff"] = "diff"
    base: str


class DownloadQuestion(Query):
    """Request to make a download: a patch of the changes since the snapshot `base`, a bundle of a branch whose last
    commit has the message `title`, or an archive."""

    kind: Literal["download"] = "download"
    what: Literal["patch", "bundle", "archive"]
    base: str
    title: str
    branch: str


class PieceQuestion(Query):
    """Query for the next piece of a download."""

    kind: Literal["piece"] = "piece"
    token: str = Field(pattern="^[0-9a-f]{32}$")
    offset: int = Field(ge=0)


class NeedsQuestion(Query):
    """Query for the permissions that a tool call would need. `arguments` is JSON text."""

    kind: Literal["needs"] = "needs"
    tool: str
    arguments: str
    agent: str


class GitStateQuestion(Query):
    """Query for what is not committed and not pushed in the workspace's repository, whose session branch is
    `branch`."""

    kind: Literal["git_state"] = "git_state"
    branch: str


class CommitQuestion(Query):
    """Request to commit everything that is not committed; `environment` has the names of author and committer."""

    kind: Literal["commit"] = "commit"
    message: str
    environment: dict[str, str]


class PushQuestion(Query):
    """Request to push `commit` to the branch `branch` of the server."""

    kind: Literal["push"] = "push"
    branch: str
    commit: str


class UsageQuestion(Query):
    """Query for the workspace's usage of its limits."""

    kind: Literal["usage"] = "usage"


class BackgroundQuestion(Query):
    """Query for the workspace's background calls."""

    kind: Literal["background"] = "background"


class ListQuestion(Query):
    """Query for the node's containers."""

    kind: Literal["list"] = "list"


class CheckQuestion(Query):
    """Query for the self-check of a workspace's container."""

    kind: Literal["check"] = "check"
    workspace: uuid.UUID


class ImageQuestion(Query):
    """Request to prepare a registered image on the node, and to try it."""

    kind: Literal["image"] = "image"
    image: uuid.UUID


class ReapQuestion(Query):
    """Request to remove, at once, everything on the node that belongs to no workspace."""

    kind: Literal["reap"] = "reap"


GitQuestion = GitStateQuestion | CommitQuestion | PushQuestion
WorkspaceQuestion = (
    DiffQuestion | DownloadQuestion | PieceQuestion | NeedsQuestion | UsageQuestion | BackgroundQuestion | GitQuestion
)
NodeQuestion = ListQuestion | CheckQuestion | ImageQuestion | ReapQuestion
WORKSPACE_QUESTIONS: Final[TypeAdapter[WorkspaceQuestion]] = TypeAdapter(
    Annotated[WorkspaceQuestion, Field(discriminator="kind")]
)
NODE_QUESTIONS: Final[TypeAdapter[NodeQuestion]] = TypeAdapter(Annotated[NodeQuestion, Field(discriminator="kind")])
