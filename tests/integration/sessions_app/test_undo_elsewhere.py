"""Undo and redo restore files exactly, even if the turn ran in another container or on another node."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from agentsite.base.background import background
from sessions_app.actions.recover import recover
from sessions_app.models import Message, Revert, Session, Turn, Workspace
from sessions_app.workers.sandbox.workspace_setup import prepare
from tests.support.deadline import wait_until
from tests.support.model_server import calls, text, tool_call
from tests.support.nodes import archives, in_a_while, lose_node, on_node
from tests.support.rest_api import RestApi
from tests.support.session_site import SessionSite
from tests.support.threads import at_work

__all__ = ["archives"]
pytestmark = pytest.mark.django_db(transaction=True)
A, B = "local", "other"
FIRST = "mkdir folder; echo one > folder/a; printf 'x\\0y' > bytes; ln -s folder/a link; echo keep > kept"
SECOND = "echo two > folder/a; chmod +x folder/a; rm bytes; ln -s kept other; mkdir new; echo new > new/file"


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make requests for a revert return at once, because the test runs the tasks of the revert itself."""
    monkeypatch.setattr("sessions_app.transport.rest.reverts.WAIT_SECONDS", 0.0)


@pytest.fixture
def api(site: SessionSite) -> RestApi:
    return RestApi(site.user)


@pytest.fixture
def session(site: SessionSite, archives: Path) -> Session:
    prepare(site.workspace.pk, node=A)
    return site.open_session(allow=("*",))


def run_turn(site: SessionSite, session: Session, command: str) -> Turn:
    site.script(calls(tool_call("bash", command=command, description="x")), text("Done."))
    turn = site.run_prompt("Do it.", session=session)
    assert turn.state == Turn.State.COMPLETED, turn.error
    return turn


def files(site: SessionSite) -> dict[str, tuple[int, bytes | str]]:
    """Return the mode and content of each file of the workspace, and the target of each link, by path."""
    found: dict[str, tuple[int, bytes | str]] = {}
    for path in site.files.rglob("*"):
        name = str(path.relative_to(site.files))
        if path.is_symlink():
            found[name] = (0, str(path.readlink()))
        elif path.is_file():
            found[name] = (path.stat().st_mode & 0o111, path.read_bytes())
    return found


def undo(api: RestApi, session: Session, turn: Turn) -> str:
    message = Message.objects.filter(turn=turn).order_by("id")[0].public_id
    made: str = api("post", f"/sessions/{session.public_id}/revert", {"message_id": message})["id"]
    return made


def state_of(revert_id: str) -> str:
    row: Revert = Revert.objects.by_public_id(revert_id)
    return str(row.state)


def redo(site: SessionSite, api: RestApi, session: Session, revert_id: str) -> None:
    made = api("post", f"/sessions/{session.public_id}/unrevert", {"revert_id": revert_id})["id"]
    site.pump.run()
    assert state_of(made) == "applied"


@contextmanager
def moved(site: SessionSite) -> Iterator[None]:
    """Lose the workspace's node with its files; during the block, the workspace runs on another node."""
    lose_node(A, to=B)
    with on_node(site, B):
        site.pump.run()
        recover(in_a_while())
        site.pump.run()
        row = Workspace.objects.get(pk=site.workspace.pk)
        assert (row.node, row.state) == (B, Workspace.State.RUNNING)
        yield


def test_a_stopped_container_is_started_for_an_undo(site: SessionSite, api: RestApi, session: Session) -> None:
    run_turn(site, session, FIRST)
    before = files(site)
    turn = run_turn(site, session, SECOND)
    after = files(site)
    background.run(site.deployment.stop(site.workspace.public_id))
    Workspace.objects.update(state=Workspace.State.STOPPED)

    made = undo(api, session, turn)
    site.pump.run()

    assert (state_of(made), files(site)) == ("applied", before)
    background.run(site.deployment.stop(site.workspace.public_id))
    redo(site, api, session, made)
    assert files(site) == after


def test_a_turn_is_undone_and_redone_on_another_node(site: SessionSite, api: RestApi, session: Session) -> None:
    run_turn(site, session, FIRST)
    before = files(site)
    turn = run_turn(site, session, SECOND)
    after = files(site)
    with moved(site):
        assert files(site) == after

        made = undo(api, session, turn)
        site.pump.run()

        assert (state_of(made), files(site)) == ("applied", before)
        redo(site, api, session, made)
        assert files(site) == after


def test_an_undo_that_was_made_before_the_move_stays_and_is_redone_after_it(
    site: SessionSite, api: RestApi, session: Session
) -> None:
    run_turn(site, session, FIRST)
    before = files(site)
    turn = run_turn(site, session, SECOND)
    after = files(site)
    made = undo(api, session, turn)
    site.pump.run()
    assert (state_of(made), files(site)) == ("applied", before)
    with moved(site):
        assert files(site) == before
        redo(site, api, session, made)
        assert files(site) == after


@pytest.mark.parametrize("asked", ["before", "after"])
def test_an_undo_that_waits_while_the_node_is_lost_is_made_on_the_other(
    site: SessionSite, api: RestApi, session: Session, asked: str
) -> None:
    run_turn(site, session, FIRST)
    before = files(site)
    turn = run_turn(site, session, SECOND)
    if asked == "before":
        made = undo(api, session, turn)
        site.pump.lose()
    else:
        lose_node(A, to=B)
        made = undo(api, session, turn)
    with moved(site):
        assert (state_of(made), files(site)) == ("applied", before)


def changes(site: SessionSite, api: RestApi, session: Session) -> list[dict[str, Any]]:
    answers: list[Any] = []
    with at_work(lambda: answers.append(api("get", f"/sessions/{session.public_id}/diff"))):
        wait_until(lambda: bool(site.pump.waiting), "the workspace is asked")
        site.pump.run()
    found: list[dict[str, Any]] = answers[0]["files"]
    return found


def test_the_changes_of_the_whole_session_are_shown_after_a_move(
    site: SessionSite, api: RestApi, session: Session
) -> None:
    run_turn(site, session, FIRST)
    other = site.open_session(allow=("*",))
    run_turn(site, other, "echo two > folder/a; rm bytes")
    reader = site.open_session(allow=("*",))
    run_turn(site, reader, "cat kept")
    with moved(site):
        first, second = changes(site, api, other)
        assert (first["path"], second["path"], second["status"]) == ("bytes", "folder/a", "modified")
        assert "-one\n+two" in second["patch"]
        assert changes(site, api, reader) == []
        run_turn(site, reader, "echo more >> kept")
        (file,) = changes(site, api, reader)
        assert "+more" in file["patch"]
