"""The tool `pull_request`: an agent opens the pull request of its session, if the rules or a person allow it."""

from dataclasses import dataclass
from typing import Any

import pytest

from agentsite.tenancy.door_encryption import DOOR
from deploy.demo_forge import Forge, ForgeRepository
from sessions_app.actions.turns import LeaseLost
from sessions_app.events.schema import PullRequestSummaryView
from sessions_app.models import Connection, Grant, ProjectRepository, PullRequest, Session, SessionEvent, ToolCall, Turn
from sessions_app.workers.sandbox import pull_requests
from sessions_app.workers.sandbox.pull_requests import PUSH_FIRST
from tests.support.asking import audited, set_policy
from tests.support.door_at_work import door_at_work, forge_site, running_forge
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite, snapshot_of, verify_events

__all__ = ["door_at_work", "forge_site", "running_forge"]
TEXT = {"title": "Add a", "body": "Because of tea."}


@dataclass
class PullSite:
    """A ready workspace of a project with the repository `shop`, and a session with nothing pushed."""

    site: SessionSite
    shop: ForgeRepository
    session: Session

    @property
    def branch(self) -> str:
        return f"agentsite/{self.session.pk.hex[-8:]}"

    def push(self, content: str) -> str:
        if self.branch not in self.shop.heads():
            self.shop.git("branch", self.branch, "main")
        return self.shop.commit({"a.txt": content}, branch=self.branch)

    def call(self, **arguments: Any) -> tuple[Turn, ToolCall]:
        """Let the agent call the pull request tool once; return the turn and the tool call after all tasks have run."""
        self.site.script(calls(tool_call("pull_request", **{**TEXT, **arguments})), text("Done."))
        turn = self.site.run_prompt(session=self.session)
        (call,) = self.site.calls(turn)
        return turn, call


@pytest.fixture
def pulls(site: SessionSite, forge_site: Forge, door_at_work: None) -> PullSite:
    account = forge_site.account("kim")
    shop = forge_site.repository(f"tea{len(forge_site.repositories)}/shop", {"README.md": "# Tea\n"}, writers=[account])
    connection = Connection.objects.create(
        team=site.team, kind="github", name="Forge", base_url=shop.site_url, sealed=DOOR.seal(account.token), state="ok"
    )
    ProjectRepository.objects.create(
        project=site.project, connection=connection, clone_url=shop.clone_url, full_name=shop.full_name
    )
    return PullSite(site, shop, site.open_session())


def test_a_person_sees_what_would_be_opened_and_the_agent_gets_its_address(pulls: PullSite) -> None:
    commit = pulls.push("a")
    before = snapshot_of(pulls.session.pk)
    turn, _ = pulls.call(draft=True)
    request = pulls.site.open_request()
    (need,) = request.needs
    assert (request.title, need["permission"], need["patterns"], need["always"]) == (
        "Open a pull request: Add a", "pull_request", ["main"], ["main"],
    )  # fmt: skip
    assert need["metadata"]["pull_request"] == {
        "repository": pulls.shop.full_name, "number": 0, "branch": pulls.branch, "base": "main", "commit": commit,
        "draft": True, **TEXT,
    }  # fmt: skip
    assert pulls.shop.pulls == []

    pulls.site.reply("once")
    pulls.site.pump.run()
    (call,) = pulls.site.calls(turn)
    (pull,) = pulls.shop.pulls
    row = PullRequest.objects.get(session=pulls.session)
    assert (pull.title, pull.draft, row.number, row.created_by) == ("Add a", True, 1, pulls.site.user)
    assert pull.body.startswith("Because of tea.\n\n[Session in agentsite](")
    assert call.output == f"Opened draft pull request #1 into main: {row.url}"
    (entry,) = audited(pulls.site.team, "session.pull_request_opened")
    assert (entry.actor, entry.data["call"]) == (pulls.site.user.public_id, call.public_id)
    verify_events(pulls.session.pk, before)
    shown = SessionEvent.objects.get(session=pulls.session, type="pull_request.updated").data
    assert PullRequestSummaryView(**shown).url == row.url


def test_allowed_once_and_for_all_a_second_call_updates_the_same_one(pulls: PullSite) -> None:
    pulls.push("a")
    pulls.call()
    pulls.site.reply("always", scope="session")
    pulls.site.pump.run()
    assert (Grant.objects.get().permission, Grant.objects.get().pattern) == ("pull_request", "main")
    _, call = pulls.call(title="Add b\nand more", body="More.")
    assert call.output.startswith("Updated pull request #1")
    (pull,) = pulls.shop.pulls
    assert (pull.title, pull.body.partition("\n")[0]) == ("Add b and more", "More.")


def run_again(pulls: PullSite) -> None:
    pulls.site.abandon()
    pulls.site.recover()
    pulls.site.pump.run()


def test_a_call_that_is_run_again_after_its_worker_died_opens_no_second_one(
    pulls: PullSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(**_: Any) -> None:
        raise LeaseLost

    pulls.push("a")
    set_policy(pulls.site.project, rules=[{"permission": "pull_request", "pattern": "*", "action": "allow"}])
    pulls.site.script(calls(tool_call("pull_request", **TEXT)), text("Done."))
    with monkeypatch.context() as patched:  # the forge has it, and nobody else knows
        patched.setattr(pull_requests, "store_opened", die)
        turn = pulls.site.run_prompt(session=pulls.session)
    assert (len(pulls.shop.pulls), pulls.site.calls(turn)[0].state) == (1, "running")
    for _ in range(2):  # the second worker may die as well
        run_again(pulls)
    for _ in range(5):
        if pulls.site.calls(turn)[0].state == "running":  # the machine stood still for as long as a lease
            run_again(pulls)
    (call,) = pulls.site.calls(turn)
    assert call.state == "completed", call.output
    assert (len(pulls.shop.pulls), PullRequest.objects.get().number) == (1, 1)


def test_what_cannot_be_opened_is_said_and_nobody_is_asked(pulls: PullSite) -> None:
    _, call = pulls.call()
    assert (call.state, call.output) == ("error", f"The branch {pulls.branch} is not pushed yet. {PUSH_FIRST}")
    pulls.push("a")
    Connection.objects.update(state="revoked", sealed="")
    _, call = pulls.call()
    assert call.output.startswith("The connection 'Forge' was revoked.")
    assert (pulls.site.open_requests().count(), pulls.shop.pulls) == (0, [])


def test_only_rules_that_name_it_decide_and_a_limit_holds(pulls: PullSite) -> None:
    pulls.push("a")
    set_policy(pulls.site.project, rules=[{"permission": "*", "pattern": "*", "action": "allow"}])
    turn, _ = pulls.call()
    assert pulls.site.open_requests().count() == 1
    pulls.site.reply("reject")
    pulls.site.pump.run()
    assert pulls.site.calls(turn)[0].state == "error"
    deny = {"permission": "pull_request", "pattern": "main", "action": "deny"}
    set_policy(pulls.site.team, enforced=[deny])
    _, call = pulls.call()
    assert "the permission rules deny it" in call.output
    assert pulls.shop.pulls == []


def test_it_is_offered_with_a_repository_at_a_forge_only_and_not_while_planning(pulls: PullSite) -> None:
    def offered(session: Session) -> bool:
        pulls.site.script(text("Done."))
        pulls.site.run_prompt(session=session)
        asked = pulls.site.model_server.requests(bodies=True)[-1]
        return "pull_request" in [tool["function"]["name"] for tool in asked["body"]["tools"]]

    assert offered(pulls.session)
    assert not offered(pulls.site.open_session(agent="plan"))
    ProjectRepository.objects.update(connection=None)
    assert not offered(pulls.session)


def test_a_sub_agent_opens_the_pull_request_of_the_session_that_people_opened(pulls: PullSite) -> None:
    pulls.push("a")
    set_policy(pulls.site.project, rules=[{"permission": "pull_request", "pattern": "*", "action": "allow"}])
    pulls.site.script(
        calls(tool_call("task", description="Open it", prompt="Open it.", subagent_type="general")),
        calls(tool_call("pull_request", **TEXT)),
        text("Opened."),
        text("Done."),
        by="request",
    )
    pulls.site.run_prompt(session=pulls.session)
    assert PullRequest.objects.get().session == pulls.session
    assert f"/sessions/{pulls.session.public_id})" in pulls.shop.pulls[0].body
