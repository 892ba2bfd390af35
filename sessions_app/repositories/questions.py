"""Requests about forges that other processes send to the door."""

import uuid
from typing import Annotated, Final, Literal

from pydantic import Field, TypeAdapter

from sessions_app.queries.questions import Query


class TestQuestion(Query):
    """Request to test a connection: its address and its credential."""

    __test__ = False  # the tests collect classes by their names
    kind: Literal["test"] = "test"
    connection: uuid.UUID


class RepositoriesQuestion(Query):
    """Query for the repositories that a connection reaches."""

    kind: Literal["repositories"] = "repositories"
    connection: uuid.UUID
    search: str = ""


class RefsQuestion(Query):
    """Query for the branches and tags of a repository. Without a connection, the repository must be public."""

    kind: Literal["refs"] = "refs"
    connection: uuid.UUID | None
    clone_url: str
    search: str = ""


class PullRequestQuestion(Query):
    """Request to open or update a pull request; `pulls.opening.Wanted` explains the fields."""

    kind: Literal["pull_request"] = "pull_request"
    connection: uuid.UUID
    clone_url: str
    repository: str
    head: str
    bases: list[str]
    title: str
    body: str
    draft: bool
    link: str
    number: int = 0


class PlanPullRequestQuestion(Query):
    """Query for a preview of opening a pull request; the answer is a `pulls.opening.Plan`."""

    kind: Literal["plan_pull_request"] = "plan_pull_request"
    connection: uuid.UUID
    clone_url: str
    repository: str
    head: str
    bases: list[str]
    number: int = 0


class ReadPullRequestQuestion(Query):
    """Query for the state and the checks of a pull request."""

    kind: Literal["read_pull_request"] = "read_pull_request"
    connection: uuid.UUID
    repository: str
    number: int


ForgeQuestion = (
    TestQuestion
    | RepositoriesQuestion
    | RefsQuestion
    | PullRequestQuestion
    | PlanPullRequestQuestion
    | ReadPullRequestQuestion
)
FORGE_QUESTIONS: Final[TypeAdapter[ForgeQuestion]] = TypeAdapter(Annotated[ForgeQuestion, Field(discriminator="kind")])
