"""Questions about forges that other processes send to the door."""

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
    """Query for the branches and tags of a repository; without a connection, a public one."""

    kind: Literal["refs"] = "refs"
    connection: uuid.UUID | None
    clone_url: str
    search: str = ""


ForgeQuestion = TestQuestion | RepositoriesQuestion | RefsQuestion
FORGE_QUESTIONS: Final[TypeAdapter[ForgeQuestion]] = TypeAdapter(Annotated[ForgeQuestion, Field(discriminator="kind")])
