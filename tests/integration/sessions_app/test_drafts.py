"""Commit messages and pull requests are drafted by the small model from the diff, or without a model if it is
unavailable."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import cache
from django.utils import timezone

from agentsite.heartbeat import heartbeat_key
from agentsite.tenancy.roles import Role
from deploy.demo_forge import Forge
from deploy.demo_model.scripts import Step
from sessions_app.models import Agent, Connection, ModelCall, PermissionRequest, ProjectRepository, Workspace
from tests.integration.sessions_app.test_working_copy import Desk
from tests.support.asking import set_policy
from tests.support.door_at_work import door_at_work, forge_site, running_forge
from tests.support.model_server import calls, text, tool_call
from tests.support.repositories import RepositorySite, connect_repository, open_door
from tests.support.session_site import SessionSite

__all__ = ["door_at_work", "forge_site", "running_forge"]
TEMPLATE = "## What\n\n## How it was checked\n"
FORGE_FILES = {"README.md": "# Tea\n", ".github/pull_request_template.md": TEMPLATE}


@pytest.fixture
def desk(site: SessionSite, forge_site: Forge, door_at_work: None) -> Iterator[Desk]:
    account = forge_site.account("kim")
    shop = forge_site.repository(f"draft{len(forge_site.repositories)}/shop", FORGE_FILES, writers=[account])
    row = connect_repository(site.project, shop, account)
    Workspace.objects.filter(pk=site.workspace.pk).update(state=Workspace.State.NEW, seeded=False)
    site.workspace.refresh_from_db()
    cache.set(heartbeat_key("agent"), 1, 60)
    with open_door(site):
        repo = RepositorySite(site, forge_site, shop, account, row)
        session = site.open_session("Mend the tea", allow=("bash",))
        repo.run("true", session=session)
        session.refresh_from_db()
        yield Desk(repo, session)
    cache.delete(heartbeat_key("agent"))


def draft(desk: Desk, what: str) -> dict[str, Any]:
    answer = desk.ask("/draft", {"what": what})
    assert answer.status_code == 200, answer.json()
    found: dict[str, Any] = answer.json()
    return found


def small_model(desk: Desk, *steps: Step) -> None:
    """Replace the scripted answers of the small model. The answers of the large model stay unchanged."""
    site = desk.repo.site
    site.settings.SMALL_MODEL_NAME = site.model_server.script(*steps).model


def asked_of_model(desk: Desk) -> str:
    messages: list[dict[str, Any]] = desk.repo.site.model_server.requests()[-1]["body"]["messages"]
    return str(messages[-1]["content"])


def test_a_message_is_drafted_from_what_is_not_committed(desk: Desk) -> None:
    desk.repo.shell("echo '+evil' > new.txt; echo KEY=s3cret > .env; echo more >> README.md; touch -- '-x y'")
    small_model(desk, text("Add more tea\n\nThere was too little."))
    found = draft(desk, "commit")
    assert found == {
        "title": "Add more tea", "body": "There was too little.", "by_model": True, "problem": "", "withheld": [".env"],
    }  # fmt: skip
    asked = asked_of_model(desk)
    for part in ("> ++evil", "> 1 0 new.txt", "> +more", "> .env", "> Mend the tea"):
        assert part in asked.splitlines()
    assert "s3cret" not in asked
    call = ModelCall.objects.get(purpose="draft")
    assert (call.user, call.state, call.session) == (desk.repo.site.user, "settled", desk.session)
    assert desk.repo.shell("git diff --cached --name-only") == ""


def test_a_pull_request_follows_the_template_of_the_repository(desk: Desk) -> None:
    desk.commit("Add a", "a.txt")
    desk.commit("Add b", "b.txt")
    desk.repo.shell("echo not committed > c.txt")
    small_model(desk, text("Add a and b\n\n## What\n\nTwo files.\n\n## How it was checked\n\nIt was not."))
    found = draft(desk, "pull_request")
    assert (found["title"], found["body"].splitlines()[0]) == ("Add a and b", "## What")
    asked = asked_of_model(desk).splitlines()
    assert {"> ## How it was checked", "> Add a", "> Add b", "> 1 0 a.txt"} <= set(asked)
    assert not any("c.txt" in line for line in asked)


def test_a_dead_model_is_no_reason_to_wait(desk: Desk) -> None:
    desk.commit("Add a", "a.txt")
    small_model(desk, text("", fault="status", status=503))
    began = time.monotonic()
    found = draft(desk, "pull_request")
    assert time.monotonic() - began < 15  # a model that an agent waits for is tried again for minutes
    assert (found["title"], found["body"], found["by_model"]) == ("Add a", TEMPLATE.strip(), False)
    assert found["problem"]
    site = desk.repo.site
    document = {"disable": True}
    Agent.objects.create(place=site.project.public_id, name="draft", document=document, changed_at=timezone.now())
    assert draft(desk, "pull_request")["problem"] == "The agent 'draft' is disabled."


def test_a_model_that_hangs_and_a_worker_that_is_away_are_given_up(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.repo.shell("echo n > n.txt")
    small_model(desk, text("Too late", hold="never"))
    monkeypatch.setattr("sessions_app.workers.agent.drafts.MODEL_SECONDS", 0.3)
    assert draft(desk, "commit")["problem"] == "The model took too long."
    desk.repo.site.model_server.release("never")
    monkeypatch.setattr("sessions_app.workers.agent.drafts.answer_draft", lambda *_, **__: None)
    cache.delete(heartbeat_key("agent"))
    found = draft(desk, "commit")
    assert (found["title"], found["problem"]) == ("Mend the tea", "No agent worker drafted the text in time.")


def test_viewers_and_projects_without_a_repository_get_none(desk: Desk) -> None:
    viewer = desk.repo.site.member(Role.VIEWER)
    assert desk.refused("/draft", {"what": "commit"}, viewer)[0] == 403
    ProjectRepository.objects.all().delete()
    assert desk.refused("/draft", {"what": "commit"})[:2] == (409, "no_repository")
    assert not ModelCall.objects.filter(purpose="draft").exists()


def test_an_agent_leaves_title_and_text_to_the_draft_that_a_person_sees(desk: Desk) -> None:
    site = desk.repo.site
    Connection.objects.update(kind="github")
    desk.ask("/push", {"commit": desk.commit("Add a", "a.txt")})
    small_model(desk, text("Add a\n\nFor tea."), text("Another\n\nDraft."))
    site.script(calls(tool_call("pull_request")), text("Done."))
    turn = site.run_prompt(session=desk.session)
    shown = PermissionRequest.objects.get(state="open").needs[0]["metadata"]["pull_request"]
    assert (shown["title"], shown["body"]) == ("Add a", "For tea.")
    site.reply("once")
    site.pump.run()
    (pull,) = desk.repo.shop.pulls
    assert (pull.title, pull.body.partition("\n")[0]) == ("Add a", "For tea.")
    assert site.calls(turn)[0].output.endswith("\nIts title is: Add a")
    assert ModelCall.objects.filter(purpose="draft").count() == 1

    set_policy(site.project, rules=[{"permission": "pull_request", "pattern": "*", "action": "allow"}])
    site.script(calls(tool_call("pull_request")), text("Done."))
    site.run_prompt(session=desk.session)
    assert (desk.repo.shop.pulls[0].title, len(desk.repo.shop.pulls)) == ("Add a", 1)
