"""The demo fails if the branch of its pull request is missing in a second clone."""

from typing import Any

import pytest

from deploy.demo_forge import PullRequest
from deploy.demo_repository import PLACE, DemoRepository, RepositoryShownWrong, demo_repository


class GivenSession:
    """A session that opens a pull request from a branch that the test has pushed."""

    def __init__(self, repository: DemoRepository, branch: str) -> None:
        self.pull = PullRequest(1, "Title", "", branch, "main", draft=False, author="demo")
        repository.shop.pulls.append(self.pull)

    def open_pull_request(self, _: str) -> Any:
        pull = type("Pull", (), {"number": 1, "branch": self.pull.head, "base": "main", "url": "http://forge/1"})
        return type("State", (), {"pull_request": pull})


@pytest.fixture
def _place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PLACE, "127.0.0.1:0")


@pytest.mark.usefixtures("_place")
def test_a_second_clone_sees_the_commit_of_the_pull_request() -> None:
    with demo_repository() as repository:
        assert repository is not None
        repository.shop.git("branch", "agentsite/x", "main")
        repository.shop.commit({"a.txt": "a"}, "Add a", branch="agentsite/x")
        said: list[str] = []
        session: Any = GivenSession(repository, "agentsite/x")
        repository.show_pull_request(session, said.append)
        assert "Add a" in said[-1]


@pytest.mark.usefixtures("_place")
@pytest.mark.parametrize("exists", [True, False])
def test_a_branch_without_the_commit_fails_the_demo(*, exists: bool) -> None:
    with demo_repository() as repository:
        assert repository is not None
        if exists:
            repository.shop.git("branch", "agentsite/x", "main")
        session: Any = GivenSession(repository, "agentsite/x")
        with pytest.raises(RepositoryShownWrong):
            repository.show_pull_request(session, lambda _: None)


def test_there_is_no_repository_on_a_site_that_somebody_else_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(PLACE, raising=False)
    with demo_repository() as repository:
        assert repository is None
