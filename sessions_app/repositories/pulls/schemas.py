"""API schemas of pull requests."""

from datetime import datetime
from typing import Annotated, Literal, Self

from ninja import Field
from pydantic import StringConstraints

from agentsite.http.request_body import RequestBody
from sessions_app.events import schema, views
from sessions_app.repositories.models import ProjectRepository
from sessions_app.repositories.pulls.models import PullRequest
from sessions_app.repositories.pulls.opening import MAX_BODY_CHARS


class PullRequestCheckView(schema.View):
    """A check of the newest commit, such as a CI job. `text` is the end of the check's log, or "" if the forge does not
    provide it."""

    id: str
    name: str
    state: Literal["pending", "success", "failure"]
    url: str
    text: str


class PullRequestCommentView(schema.View):
    """A comment of a review. `path` and `line` are "" and 0 if it is about the whole pull request."""

    id: str
    author: str
    body: str
    url: str
    path: str
    line: int


class PullRequestView(schema.View):
    """The pull request of a session, as the forge described it at `checked_at`. `branch` is merged into `base`;
    `commit` is the newest pushed commit. `body` does not contain the link to the session."""

    repository: str
    number: int
    url: str
    title: str
    body: str
    draft: bool
    state: Literal["open", "merged", "closed"]
    branch: str
    base: str
    commit: str
    checks: list[PullRequestCheckView]
    comments: list[PullRequestCommentView]
    checked_at: datetime
    created_by: schema.PersonView | None
    created_at: datetime

    @classmethod
    def of(cls, row: PullRequest) -> Self:
        return cls(
            repository=row.repository,
            number=row.number,
            url=row.url,
            title=row.title,
            body=row.body,
            draft=row.draft,
            state=row.state,
            branch=row.branch,
            base=row.base,
            commit=row.commit,
            checks=[PullRequestCheckView(**each) for each in row.checks],
            comments=[PullRequestCommentView(**each) for each in row.comments],
            checked_at=row.checked_at,
            created_by=views.person(row.created_by),
            created_at=row.created_at,
        )


class PullRequestState(schema.View):
    """The pull request of a session; null if it has none.

    `repository` is the name of the project's repository, empty if it has none, and `branch` the branch that the
    session's commits are pushed to. `problem` says why no pull request can be opened or updated; it is empty if no
    obstacle is known. `can_open`: your role allows you to open one.
    """

    pull_request: PullRequestView | None
    repository: str
    branch: str
    problem: str
    can_open: bool

    @classmethod
    def of(
        cls, found: PullRequest | None, row: ProjectRepository | None, *, branch: str, problem: str, can_open: bool
    ) -> Self:
        shown = PullRequestView.of(found) if found else None
        name = row.full_name if row else ""
        return cls(pull_request=shown, repository=name, branch=branch, problem=problem, can_open=can_open)


class PullRequestFix(RequestBody):
    """A failed check or a comment of the pull request, by its id, for the agent to fix. Give exactly one of the two."""

    check: str = Field("", max_length=200)
    comment: str = Field("", max_length=200)


class NewPullRequest(RequestBody):
    """The content of a pull request. A new pull request without a `body` gets the repository's template. `draft` has an
    effect only when the pull request is opened."""

    title: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=250)]
    body: str = Field("", max_length=MAX_BODY_CHARS)
    draft: bool = False
