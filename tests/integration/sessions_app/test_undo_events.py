"""Reverts, attempts and review comments appear outside of their session: in webhooks, search and account exports."""

import io
import json
import zipfile
from typing import Any

import pytest

from agentsite.tenancy.models import User
from sessions_app.actions.comparisons import AttemptsPrompt, start_comparison
from sessions_app.actions.reviews import create_comment, delete_comment, send_review
from sessions_app.models import Message, Revert, Session, SharedWith, Turn
from sessions_app.queries.account_export import write_export
from sessions_app.webhooks.actions import create_webhook
from sessions_app.webhooks.event_types import webhook_events
from sessions_app.webhooks.models import Delivery
from tests.support.model_server import calls, text, tool_call
from tests.support.rest_api import RestApi
from tests.support.session_site import SessionSite

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make requests for a revert return at once, because the test runs the tasks of the revert itself."""
    monkeypatch.setattr("sessions_app.transport.rest.reverts.WAIT_SECONDS", 0.0)


@pytest.fixture
def api(site: SessionSite) -> RestApi:
    return RestApi(site.user)


def hook(site: SessionSite) -> None:
    create_webhook(
        actor=site.user,
        team=site.team,
        project=None,
        name="all",
        url="https://example.org/",
        events=list(webhook_events()),
    )


def told(*kinds: str) -> list[tuple[str, dict[str, Any]]]:
    rows = Delivery.objects.filter(kind__in=kinds).order_by("id")
    return [(row.kind, json.loads(row.body)["data"]) for row in rows]


def undo_and_redo(site: SessionSite, api: RestApi, session: Session) -> Turn:
    site.script(calls(tool_call("bash", command="echo one > a", description="x")), text("Done."))
    turn = site.run_prompt("Do it.", session=session)
    path = f"/sessions/{session.public_id}"
    message = Message.objects.filter(turn=turn).order_by("id")[0]
    made = api("post", f"{path}/revert", {"message_id": message.public_id})
    site.pump.run()
    api("post", f"{path}/unrevert", {"revert_id": made["id"]})
    site.pump.run()
    return turn


def test_a_revert_and_its_undoing_are_told(site: SessionSite, api: RestApi) -> None:
    hook(site)
    session = site.open_session(allow=("edit", "bash"))
    turn = undo_and_redo(site, api, session)
    message = Message.objects.filter(turn=turn).order_by("id")[0]
    facts = {
        "session_id": session.public_id, "parent_session_id": None, "message_id": message.public_id, "turn_id": None,
        "answer_id": None, "files": 1, "revert_id": Revert.objects.get(undoes=None).public_id,
    }  # fmt: skip
    assert told("session.reverted", "session.unreverted") == [
        ("session.reverted", facts),
        ("session.unreverted", facts),
    ]


def test_those_of_a_private_session_are_not(site: SessionSite, api: RestApi) -> None:
    hook(site)
    session = site.open_session(allow=("edit", "bash"))
    Session.objects.filter(pk=session.pk).update(shared_with=SharedWith.PRIVATE, created_by=site.user)
    undo_and_redo(site, api, session)
    assert Revert.objects.count() == 2
    assert told("session.reverted", "session.unreverted") == []


def test_the_end_of_all_attempts_is_told_once(site: SessionSite) -> None:
    hook(site)
    session = site.open_session()
    site.script(text("Done."), by="conversation")
    row = start_comparison(actor=site.user, session=session, prompt=AttemptsPrompt("Try."), models=["", ""])
    assert told("comparison.ended") == []
    site.pump.run()
    facts = {"session_id": session.public_id, "parent_session_id": None, "comparison_id": row.public_id, "attempts": 2}
    assert told("comparison.ended") == [("comparison.ended", facts)]
    site.run_prompt("More.", session=Session.objects.filter(comparison=row)[0])
    assert len(told("comparison.ended")) == 1


def commented(site: SessionSite, session: Session, words: str) -> Any:
    return create_comment(
        actor=site.user,
        session=session,
        path="src/a.py",
        text=words,
        side="new",
        first_line=3,
        last_line=4,
        quote="x = 1",
    )


def found(api: RestApi, words: str) -> list[tuple[str, str]]:
    hits = api("get", f"/search?q={words}")["items"]
    return [(hit["kind"], hit["ref"]) for hit in hits if hit["kind"] == "comment"]


def test_review_comments_are_found_once_they_are_sent(site: SessionSite, api: RestApi) -> None:
    session = site.open_session()
    site.script(text("Done."))
    row = commented(site, session, "Please rename this zephyr.")
    assert found(api, "zephyr") == []
    send_review(actor=site.user, session=session)
    assert found(api, "zephyr") == [("comment", row.public_id)]
    delete_comment(actor=site.user, comment=row)
    assert found(api, "zephyr") == []


def test_the_export_of_an_account_has_its_review_comments(site: SessionSite) -> None:
    session = site.open_session()
    commented(site, session, "Mine.")
    other = site.member()
    assert comments_of(other) == []
    (mine,) = comments_of(site.user)
    assert (mine["session"], mine["path"], mine["text"], mine["state"]) == (
        session.public_id, "src/a.py", "Mine.", "draft",
    )  # fmt: skip


def comments_of(user: User) -> list[dict[str, Any]]:
    file = io.BytesIO()
    write_export(user, file)
    with zipfile.ZipFile(file) as archive:
        rows: list[dict[str, Any]] = json.loads(archive.read("comments.json"))
        return rows
