"""People see uncommitted and unpushed changes of a session, and commit and push them with buttons."""

from collections.abc import Iterator
from typing import Any

import pytest

from agentsite.tenancy.models import User
from agentsite.tenancy.roles import Role
from deploy.demo_forge import Forge
from sessions_app.models import Connection, Session, Workspace
from tests.support.asking import audited, set_policy
from tests.support.builders import browser_of
from tests.support.door_at_work import door_at_work, forge_site, running_forge
from tests.support.repositories import RepositorySite, connect_repository, open_door
from tests.support.session_site import SessionSite

__all__ = ["door_at_work", "forge_site", "running_forge"]


class Desk:
    """A session whose workspace has the repository, and a person who uses it."""

    def __init__(self, repo: RepositorySite, session: Session) -> None:
        self.repo, self.session = repo, session
        self.branch = f"agentsite/{session.pk.hex[-8:]}"

    def ask(self, path: str = "", body: Any = None, user: User | None = None) -> Any:
        browser = browser_of(user or self.repo.site.user)
        address = f"/api/v1/sessions/{self.session.public_id}/git{path}"
        if body is None:
            return browser.get(address)
        return browser.post(address, body, content_type="application/json")

    def refused(self, path: str, body: Any, user: User | None = None) -> tuple[int, str, str]:
        answer = self.ask(path, body, user)
        return answer.status_code, answer.json()["error"]["code"], answer.json()["error"]["message"]

    def commit(self, text: str = "Change", path: str = "a.txt") -> str:
        self.repo.site.write(path, text)
        answer = self.ask("/commit", {"message": text})
        assert answer.status_code == 200, answer.json()
        head: str = answer.json()["head"]
        return head


@pytest.fixture
def desk(site: SessionSite, forge_site: Forge, door_at_work: None) -> Iterator[Desk]:
    account = forge_site.account("kim")
    shop = forge_site.repository(
        f"desk{len(forge_site.repositories)}/shop", {"README.md": "# Tea\n", "old.txt": "o\n"}, writers=[account]
    )
    row = connect_repository(site.project, shop, account)
    Workspace.objects.filter(pk=site.workspace.pk).update(state=Workspace.State.NEW, seeded=False)
    site.workspace.refresh_from_db()
    with open_door(site):
        repo = RepositorySite(site, forge_site, shop, account, row)
        session = site.open_session(allow=("bash",))
        repo.run("true", session=session)
        session.refresh_from_db()
        yield Desk(repo, session)


def test_a_person_sees_commits_and_pushes_what_the_agent_changed(desk: Desk) -> None:
    desk.repo.shell("echo n > 'new file'; echo c >> README.md; rm old.txt")
    shown = desk.ask().json()
    assert {each["path"]: each["status"] for each in shown["uncommitted"]} == {
        "new file": "added", "README.md": "modified", "old.txt": "deleted",
    }  # fmt: skip
    assert (shown["unpushed"], shown["branch"], shown["current_branch"]) == ([], desk.branch, desk.branch)

    committed = desk.ask("/commit", {"message": "Clean up\n\nBecause of tea."}).json()
    assert (committed["uncommitted"], [each["subject"] for each in committed["unpushed"]]) == ([], ["Clean up"])
    author = desk.repo.shell("git log -1 --format='%ae %cn'").split()
    assert author == [desk.repo.site.user.email, "agentsite"]
    assert desk.refused("/commit", {"message": "Again"})[:2] == (409, "nothing_to_commit")

    pushed = desk.ask("/push", {"commit": committed["head"]})
    assert (pushed.status_code, pushed.json()["unpushed"]) == (200, [])
    assert desk.repo.shop.heads()[desk.branch] == committed["head"]
    assert desk.ask("/push", {"commit": committed["head"]}).status_code == 200
    team = desk.repo.site.team
    assert audited(team, "session.committed")[0].data["commit"] == committed["head"]
    assert audited(team, "session.pushed")[0].data["branch"] == desk.branch


def test_a_failing_hook_and_a_branch_that_moved_are_said_in_plain_words(desk: Desk) -> None:
    hook = "printf '#!/bin/sh\\necho no semicolons; exit 1\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit"
    desk.repo.shell(hook)
    desk.repo.site.write("a.txt", "a")
    status, code, message = desk.refused("/commit", {"message": "Try"})
    assert (status, code) == (409, "commit_failed")
    assert "no semicolons" in message
    desk.repo.shell("rm .git/hooks/pre-commit")
    desk.repo.shop.git("branch", desk.branch, "main")
    desk.repo.shop.commit({"b.txt": "b"}, branch=desk.branch)
    assert desk.refused("/push", {"commit": desk.commit()})[1] == "push_rejected"
    assert desk.repo.shop.pushes == []


def test_the_button_decides_what_is_asked_and_nothing_that_is_denied(desk: Desk) -> None:
    first = desk.commit("one")
    deny = {"permission": "git_push", "pattern": "agentsite/*", "action": "deny"}
    set_policy(desk.repo.site.team, enforced=[deny])
    status, code, message = desk.refused("/push", {"commit": first})
    assert (status, code) == (409, "push_refused")
    assert "is denied by a rule (team limits)" in message
    set_policy(desk.repo.site.team, options={"approvers": "two_people"})
    asked = desk.ask("/push", {"commit": first}).json()["error"]
    assert (asked["code"], "ask the agent to push" in asked["hint"]) == ("push_asks", True)
    set_policy(desk.repo.site.team, options={"approvers": "admin"})
    asked = desk.ask("/push", {"commit": first}, desk.repo.site.member(Role.MEMBER)).json()["error"]
    assert (asked["code"], "ask one to press Push" in asked["hint"]) == ("push_asks", True)
    assert desk.repo.shop.pushes == []

    set_policy(desk.repo.site.team)
    workflow = desk.commit("on: push\n", ".github/workflows/ci.yml")
    code, message = desk.refused("/push", {"commit": workflow})[1:]
    assert code == "push_asks"
    assert "Changing files for a CI service" in message
    assert desk.ask("/push", {"commit": workflow, "workflows": True}).status_code == 200


def test_a_decision_is_good_for_one_commit_and_does_not_last(desk: Desk) -> None:
    head = desk.commit("one")
    assert desk.ask("/push", {"commit": head}).status_code == 200
    output = desk.repo.outputs("git commit -q --allow-empty -m Two; git push 2>&1", session=desk.session)[0]
    assert "needs a person's permission" in output


def test_a_revoked_connection_and_people_who_may_not_are_refused(desk: Desk) -> None:
    head = desk.commit("one")
    viewer = desk.repo.site.member(Role.VIEWER)
    assert desk.refused("/commit", {"message": "x"}, viewer)[0] == 403
    assert desk.ask(user=viewer).json()["can_change"] is False
    Connection.objects.update(state="revoked", sealed="")
    assert desk.refused("/push", {"commit": head})[1] == "connection_revoked"
    assert "was revoked" in desk.ask().json()["problem"]
