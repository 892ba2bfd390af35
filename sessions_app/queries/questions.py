"""Questions to a workspace or a node: other processes ask them, the sandbox worker answers."""

import uuid
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter


class Question(BaseModel):
    """Unknown fields are ignored: whoever asks may run a newer release than the node."""

    model_config = ConfigDict(frozen=True)


class DiffQuestion(Question):
    """What changed in the workspace since a snapshot."""

    kind: Literal["diff"] = "diff"
    base: str


class NeedsQuestion(Question):
    """Which permissions a tool call would need; `arguments` is their JSON text."""

    kind: Literal["needs"] = "needs"
    tool: str
    arguments: str
    agent: str


class UsageQuestion(Question):
    """Ask how much of its limits the workspace uses."""

    kind: Literal["usage"] = "usage"


class BackgroundQuestion(Question):
    """The background calls of the workspace."""

    kind: Literal["background"] = "background"


class ListQuestion(Question):
    """The containers of the node."""

    kind: Literal["list"] = "list"


class CheckQuestion(Question):
    """Whether the container of a workspace is confined."""

    kind: Literal["check"] = "check"
    workspace: uuid.UUID


class ReapQuestion(Question):
    """Remove now what no workspace knows."""

    kind: Literal["reap"] = "reap"


WorkspaceQuestion = DiffQuestion | NeedsQuestion | UsageQuestion | BackgroundQuestion
NodeQuestion = ListQuestion | CheckQuestion | ReapQuestion
WORKSPACE_QUESTIONS: Final[TypeAdapter[WorkspaceQuestion]] = TypeAdapter(
    Annotated[WorkspaceQuestion, Field(discriminator="kind")]
)
NODE_QUESTIONS: Final[TypeAdapter[NodeQuestion]] = TypeAdapter(Annotated[NodeQuestion, Field(discriminator="kind")])
