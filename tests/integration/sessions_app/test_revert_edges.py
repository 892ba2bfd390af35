"""Edge cases of undo: two people at once, forks, archives, a lost engine, and files that were removed meanwhile."""

from pathlib import Path
from typing import Any

import pytest

from agentsite.base.errors import Stale
from sessions_app.actions.reverts import RevertScope, request_revert
from sessions_app.actions.sessions import update_session
from sessions_app.models import Message, Revert, Session, Turn
from tests.support.builders import browser_of
from tests.support.model_server import calls, text, tool_call
from tests.support.nodes import archives
from tests.support.rest_api import RestApi
from tests.support.session_site import SessionSite
from tests.support.threads import of_kind, race

__all__ = ["archives"]
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make requests for a revert return at once, because the test runs the tasks of the revert itself."""
    monkeypatch.setattr("sessions_app.transport.rest.reverts.WAIT_SECONDS", 0.0)


@pytest.fixture
def api(site: SessionSite) -> RestApi:
    return RestApi(site.user)


@pytest.fixture
def session(site: SessionSite) -> Session:
    return site.open_session(allow=("edit", "bash"))


def run_turn(site: SessionSite, session: Session, command: str) -> Turn:
    site.script(calls(tool_call("bash", command=command, description="x")), text("Done."))
    return site.run_prompt("Do it.", session=session)


def scope_of(turn: Turn) -> dict[str, Any]:
    return {"message_id": Message.objects.filter(turn=turn).order_by("id")[0].public_id}


def path_of(session: Session, verb: str) -> str:
    return f"/sessions/{session.public_id}/{verb}"


def test_two_tabs_that_undo_at_once_undo_once(site: SessionSite, session: Session) -> None:
    run_turn(site, session, "echo one > first")
    turn = run_turn(site, session, "echo two > first")
    message = Message.objects.filter(turn=turn).order_by("id")[0]

    def undo() -> str:
        return request_revert(actor=site.user, session=session, scope=RevertScope(message=message)).state

    outcomes = race(undo, undo, undo)

    assert outcomes.count("pending") == 1
    assert {str(each.code) for each in of_kind(outcomes, Stale)} == {"revert_busy"}
    assert len(of_kind(outcomes, Stale)) == 2
    site.pump.run()
    assert (Revert.objects.get().state, (site.files / "first").read_text()) == ("applied", "one\n")


def test_an_undo_of_what_is_undone_is_refused(site: SessionSite, api: RestApi, session: Session) -> None:
    turn = run_turn(site, session, "echo one > first")
    api("post", path_of(session, "revert"), scope_of(turn))
    site.pump.run()
    assert api.error("post", path_of(session, "revert"), scope_of(turn), expect=409)["code"] == "nothing_to_revert"
    made = Revert.objects.get().public_id
    api("post", path_of(session, "unrevert"), {"revert_id": made})
    site.pump.run()
    again = api.error("post", path_of(session, "unrevert"), {"revert_id": made}, expect=409)
    assert again["code"] == "nothing_to_revert"
    assert (site.files / "first").read_text() == "one\n"


def test_an_archived_session_is_unarchived_first(site: SessionSite, api: RestApi, session: Session) -> None:
    turn = run_turn(site, session, "echo one > first")
    update_session(actor=site.user, session=session, archived=True)
    assert "archived" in api.error("post", path_of(session, "revert"), scope_of(turn), expect=409)["message"]
    update_session(actor=site.user, session=session, archived=False)
    api("post", path_of(session, "revert"), scope_of(turn))
    site.pump.run()
    assert not (site.files / "first").exists()


def test_an_engine_that_is_away_delays_an_undo_and_changes_nothing(
    site: SessionSite, api: RestApi, session: Session
) -> None:
    turn = run_turn(site, session, "echo one > first")
    site.deployment.away = True
    api("post", path_of(session, "revert"), scope_of(turn))
    site.pump.run()
    assert (Revert.objects.get().state, (site.files / "first").exists()) == ("pending", True)
    assert api.error("post", path_of(session, "prompts"), {"text": "Go."}, expect=409)["code"] == "revert_busy"
    site.deployment.away = False
    site.recover()
    site.pump.run()
    assert (Revert.objects.get().state, (site.files / "first").exists()) == ("applied", False)


def test_an_undo_in_a_fork_changes_the_copy_only(
    site: SessionSite, archives: Path, api: RestApi, session: Session
) -> None:
    run_turn(site, session, "echo one > first")
    turn = run_turn(site, session, "echo two > first; echo new > new")
    made = api("post", path_of(session, "fork"), {}, expect=201)
    site.pump.run()
    fork: Session = Session.objects.select_related("workspace").by_public_id(made["session"]["id"])
    copied = Turn.objects.filter(session=fork).order_by("id").last()
    assert copied is not None

    api("post", path_of(fork, "revert"), scope_of(copied))
    site.pump.run()

    assert Revert.objects.get(session=fork).state == "applied"
    root = site.deployment.files_of(fork.workspace.public_id)
    assert ((root / "first").read_text(), (root / "new").exists()) == ("one\n", False)
    assert ((site.files / "first").read_text(), (site.files / "new").exists()) == ("two\n", True)
    api("post", path_of(session, "revert"), scope_of(turn))
    site.pump.run()
    assert (site.files / "first").read_text() == "one\n"


def test_a_session_that_is_removed_meanwhile_takes_its_undo_with_it(
    site: SessionSite, api: RestApi, session: Session
) -> None:
    turn = run_turn(site, session, "echo one > first")
    scope = scope_of(turn)
    api("post", path_of(session, "revert"), scope)
    browser = browser_of(site.user)
    assert browser.delete(f"/api/v1/sessions/{session.public_id}").status_code in (200, 202, 204)
    site.pump.run()
    api.error("post", path_of(session, "revert"), scope, expect=404)
    assert not Revert.objects.filter(state="pending").exists()
