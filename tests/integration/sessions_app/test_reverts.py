"""Undo and redo of files and messages: conflicts, the end of redo with the next prompt, and workers that are killed
between any two steps."""

from collections.abc import Mapping
from typing import Any

import pytest
from django.test import Client

from agentsite.tenancy.models import AuditEntry
from agentsite.tenancy.roles import Role
from sessions_app.models import Message, Revert, Session, Turn
from sessions_app.workers.sandbox import reverts as worker
from tests.support.builders import browser_of
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite, snapshot_of, verify_events

pytestmark = pytest.mark.django_db(transaction=True)
OLD = "".join(f"line {number}\n" for number in range(1, 31))


class Person:
    """A person who undoes and redoes turns of a session over REST."""

    def __init__(self, site: SessionSite, session: Session, browser: Client | None = None) -> None:
        self.site, self.session = site, session
        self.browser = browser or browser_of(site.user)

    def post(self, path: str, **body: Any) -> tuple[int, Mapping[str, Any]]:
        url = f"/api/v1/sessions/{self.session.public_id}/{path}"
        answer = self.browser.post(url, body, content_type="application/json")
        return answer.status_code, answer.json()

    def revert(self, **scope: Any) -> Revert:
        status, answer = self.post("revert", **scope)
        assert status == 200, answer
        self.site.pump.run()
        return self.reload(answer["id"])

    def unrevert(self, **words: Any) -> Revert:
        self.session.refresh_from_db()
        assert self.session.revert is not None
        status, answer = self.post("unrevert", revert_id=self.session.revert["id"], **words)
        assert status == 200, answer
        self.site.pump.run()
        return self.reload(answer["id"])

    def reload(self, revert_id: str) -> Revert:
        self.session.refresh_from_db()
        row: Revert = Revert.objects.by_public_id(revert_id)
        return row


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make requests for a revert return at once, because the test runs the tasks of the revert itself."""
    monkeypatch.setattr("sessions_app.transport.rest.reverts.WAIT_SECONDS", 0.0)


@pytest.fixture
def session(site: SessionSite) -> Session:
    site.write("text", OLD)
    return site.open_session(allow=("edit", "bash", "external_directory"))


def run_turn(site: SessionSite, session: Session, *commands: str, prompt: str = "Do it.") -> Turn:
    site.script(*(calls(tool_call("bash", command=each, description="x")) for each in commands), text("Done."))
    return site.run_prompt(prompt, session=session)


def files(site: SessionSite) -> dict[str, str]:
    return {
        str(path.relative_to(site.files)): path.read_text() for path in sorted(site.files.rglob("*")) if path.is_file()
    }


def prompt_of(turn: Turn) -> Message:
    row: Message = Message.objects.filter(turn=turn).order_by("id")[0]
    return row


def test_a_turn_is_undone_and_redone_with_its_messages(site: SessionSite, session: Session) -> None:
    run_turn(site, session, "echo one > first")
    before = files(site)
    turn = run_turn(
        site, session, "echo two > second; mv first third; chmod +x text", "sed -i 's/^line 3$/three/' text"
    )
    after, shown = files(site), snapshot_of(session.pk)
    me = Person(site, session)

    row = me.revert(message_id=prompt_of(turn).public_id)

    assert (row.state, files(site)) == ("applied", before)
    assert set(Message.objects.filter(reverted_by=row).values_list("turn", flat=True)) == {turn.pk}
    assert session.revert is not None
    assert (session.revert["hidden"], session.revert["files"]) == (Message.objects.filter(turn=turn).count(), 4)
    verify_events(session.pk, shown)

    me.unrevert()

    assert files(site) == after
    assert (session.revert, Message.objects.filter(reverted_by__isnull=False).count()) == (None, 0)
    verify_events(session.pk, shown)
    actions = list(AuditEntry.objects.filter(subject=session.public_id).values_list("action", flat=True))
    assert {"session.reverted", "session.unreverted"} <= set(actions)


def test_the_model_gets_no_hidden_messages_and_the_next_prompt_makes_it_final(
    site: SessionSite, session: Session
) -> None:
    run_turn(site, session, "true", prompt="First prompt.")
    turn = run_turn(site, session, "echo two > second", prompt="Second prompt.")
    me = Person(site, session)
    me.revert(message_id=prompt_of(turn).public_id)

    script = site.script(text("Done."))
    site.run_prompt("Third prompt.", session=session)

    sent = str(script.requests()[-1])
    assert "First prompt." in sent
    assert "Third prompt." in sent
    assert "Second prompt." not in sent
    session.refresh_from_db()
    assert session.revert is None
    row = Revert.objects.get()
    assert me.post("unrevert", revert_id=row.public_id)[1]["error"]["code"] == "nothing_to_revert"


def test_others_work_stays_and_a_conflict_waits_for_a_decision(site: SessionSite, session: Session) -> None:
    turn = run_turn(site, session, "sed -i 's/^line 3$/three/' text; echo mine > mine")
    other = site.open_session(allow=("edit", "bash"))
    run_turn(site, other, "sed -i 's/^line 20$/twenty/' text; echo theirs > theirs; echo changed > mine")
    before = files(site)
    me = Person(site, session)
    scope = {"message_id": prompt_of(turn).public_id}

    refused = me.revert(**scope)

    assert (refused.state, files(site), session.revert) == ("failed", before, None)
    conflict = next(file for file in refused.files if file["status"] == "conflict")
    assert conflict["path"] == "mine"

    decisions = [{"path": "mine", "decision": "keep", "seen": conflict["before"]}]
    row = me.revert(**scope, decisions=decisions)

    assert row.state == "applied"
    assert files(site) == {**before, "text": OLD.replace("line 20\n", "twenty\n")}
    me.unrevert()
    assert files(site) == before


def test_files_and_hunks_of_one_turn_are_taken_back_alone(site: SessionSite, session: Session) -> None:
    turn = run_turn(site, session, "sed -i 's/^line 3$/three/; s/^line 25$/twentyfive/' text; echo new > new")
    me, scope = Person(site, session), {"turn_id": turn.public_id}

    assert me.revert(**scope, paths=["text"], hunks=[1]).state == "applied"
    assert files(site) == {"text": OLD.replace("line 3\n", "three\n"), "new": "new\n"}
    assert me.revert(**scope, paths=["new"]).state == "applied"
    assert files(site) == {"text": OLD.replace("line 3\n", "three\n")}
    me.unrevert()
    me.unrevert()
    changed = OLD.replace("line 3\n", "three\n").replace("line 25\n", "twentyfive\n")
    assert files(site) == {"text": changed, "new": "new\n"}
    assert not Message.objects.filter(reverted_by__isnull=False).exists()
    assert me.revert(**scope).state == "applied"
    assert files(site) == {"text": OLD}
    assert me.revert(**scope).state == "failed"


def test_a_session_that_works_and_people_who_only_look_are_refused(site: SessionSite, session: Session) -> None:
    turn = run_turn(site, session, "echo one > first")
    scope = {"message_id": prompt_of(turn).public_id}
    viewer = Person(site, session, browser_of(site.member(Role.VIEWER)))
    assert viewer.post("revert", **scope)[0] == 403
    assert viewer.post("revert/preview", **scope)[0] == 403
    site.script(text("Done."))
    site.prompt(session)

    status, answer = Person(site, session).post("revert", **scope)

    assert (status, answer["error"]["code"]) == (409, "revert_busy")


def test_prompts_wait_while_changes_are_taken_back(site: SessionSite, session: Session) -> None:
    turn = run_turn(site, session, "echo one > first")
    me = Person(site, session)
    me.post("revert", message_id=prompt_of(turn).public_id)

    status, answer = me.post("prompts", text="Now.")

    assert (status, answer["error"]["code"]) == (409, "revert_busy")


class Killed(BaseException):
    pass


@pytest.mark.parametrize("moment", ["before", "between"])
def test_a_killed_worker_leaves_a_revert_that_is_finished_once(
    site: SessionSite, session: Session, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    run_turn(site, session, "echo one > first")
    before = files(site)
    turn = run_turn(site, session, "echo two > second; echo more >> first")
    me = Person(site, session)
    me.post("revert", message_id=prompt_of(turn).public_id)

    def killed(*_: object, **__: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(worker, "_revert" if moment == "before" else "finish_revert", killed)
        with pytest.raises(Killed):
            worker.apply_revert(Revert.objects.get().pk, node=site.workspace.node or _node(session))
    site.recover()
    site.pump.run()

    session.refresh_from_db()
    assert (Revert.objects.get().state, files(site)) == ("applied", before)
    assert session.revert is not None
    assert session.revert["state"] == "applied"


def _node(session: Session) -> str:
    session.workspace.refresh_from_db()
    return str(session.workspace.node)
