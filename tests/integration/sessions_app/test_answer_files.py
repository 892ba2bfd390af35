"""People choose another answer to a prompt together with the files that this answer left in the workspace."""

from pathlib import Path
from typing import Any

import pytest

from agentsite.tenancy.roles import Role
from sessions_app.models import Message, Revert, Session, Turn
from tests.support.builders import browser_of
from tests.support.model_server import calls, text, tool_call
from tests.support.rest_api import RestApi
from tests.support.session_site import SessionSite

pytestmark = pytest.mark.django_db(transaction=True)
OLD = "".join(f"line {number}\n" for number in range(1, 31))


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait for a revert in the request that starts it, because the test runs the tasks of the revert
    afterwards."""
    monkeypatch.setattr("sessions_app.transport.rest.reverts.WAIT_SECONDS", 0.0)


@pytest.fixture
def session(site: SessionSite) -> Session:
    site.write("text", OLD)
    return site.open_session(allow=("edit", "bash"))


class Answers:
    """A person who requests further answers to prompts, and chooses answers together with their files."""

    def __init__(self, site: SessionSite, session: Session) -> None:
        self.site, self.session, self.api = site, session, RestApi(site.user)

    def run(self, command: str) -> Turn:
        self.site.script(calls(tool_call("bash", command=command, description="x")), text("Done."))
        return self.site.run_prompt("Do it.", session=self.session)

    def again(self, turn: Turn, command: str, **body: Any) -> Turn:
        self.site.script(calls(tool_call("bash", command=command, description="x")), text("Done."))
        made = self.api("post", f"/turns/{turn.public_id}/retry", body, expect=202)
        self.site.pump.run()
        row: Turn = Turn.objects.by_public_id(made["id"])
        assert row.state == "completed", row.error
        return row

    def choose(self, turn: Turn, *, expect: str = "applied", **body: Any) -> Revert:
        made = self.api("post", f"/sessions/{self.session.public_id}/revert", {"answer_id": turn.public_id, **body})
        self.site.pump.run()
        row: Revert = Revert.objects.by_public_id(made["id"])
        assert row.state == expect, row.error
        return row

    def is_shown(self, turn: Turn) -> bool:
        return Turn.objects.get(pk=turn.pk).hidden_with_id is None

    def files(self) -> dict[str, str]:
        return contents(self.site.files)


def contents(root: Path) -> dict[str, str]:
    return {str(path.relative_to(root)): path.read_text() for path in sorted(root.rglob("*")) if path.is_file()}


def statuses(row: Revert) -> dict[str, str]:
    return {file["path"]: file["status"] for file in row.files}


@pytest.fixture
def me(site: SessionSite, session: Session) -> Answers:
    return Answers(site, session)


def test_an_answer_is_chosen_with_the_files_that_it_and_what_followed_it_left(me: Answers) -> None:
    me.run("echo zero > a")
    first = me.run("echo one > a; echo b > b; sed -i 's/^line 3$/three/' text; chmod +x text")
    me.run("echo more >> b; rm a")
    of_first = me.files()
    second = me.again(first, "echo two > a; sed -i 's/^line 3$/drei/' text", files="then")
    of_second = me.files()
    assert (of_second["a"], "b" in of_second) == ("two\n", False)

    row = me.choose(first)

    assert (me.files(), me.is_shown(first), me.is_shown(second)) == (of_first, True, False)
    assert {file["path"] for file in row.files} == {"a", "b", "text"}
    me.session.refresh_from_db()
    assert me.session.revert is None
    me.choose(second)
    assert (me.files(), me.is_shown(first), me.is_shown(second)) == (of_second, False, True)
    me.choose(first)
    assert me.files() == of_first


def test_what_others_changed_since_stays(site: SessionSite, me: Answers) -> None:
    first = me.run("sed -i 's/^line 3$/three/' text")
    second = me.again(first, "sed -i 's/^line 5$/five/' text", files="then")
    site.write("text", (site.files / "text").read_text().replace("line 20", "twenty"))
    assert statuses(me.choose(first)) == {"text": "merged"}
    now = me.files()["text"]
    assert all(words in now for words in ("three", "line 5\n", "twenty"))
    me.choose(second)
    assert all(words in me.files()["text"] for words in ("line 3\n", "five", "twenty"))


def test_nothing_is_changed_or_chosen_before_a_conflict_is_decided(site: SessionSite, me: Answers) -> None:
    first = me.run("echo one > a; echo b > b")
    second = me.again(first, "echo two > a", files="then")
    site.write("a", "of a person")
    before = me.files()

    refused = me.choose(first, expect="failed")

    assert statuses(refused) == {"a": "conflict", "b": "clean"}
    assert (me.files(), me.is_shown(second)) == (before, True)
    (seen,) = [file["before"] for file in refused.files if file["status"] == "conflict"]
    me.choose(first, decisions=[{"path": "a", "decision": "keep", "seen": seen}])
    assert (me.files(), me.is_shown(first)) == (before | {"b": "b\n"}, True)


def test_an_answer_that_began_with_the_files_of_the_other_one_is_left_and_comes_back(me: Answers) -> None:
    first = me.run("echo one >> a")
    of_first = me.files()
    second = me.again(first, "echo two >> a; echo b > b", files="now")
    of_second = me.files()
    me.choose(first)
    assert me.files() == of_first
    me.choose(second)
    assert me.files() == of_second
    third = me.again(second, "echo three >> a; rm b", files="now")
    of_third = me.files()
    me.choose(first)
    assert me.files() == of_first
    me.choose(third)
    assert me.files() == of_third


def test_undo_leaves_out_answers_whose_files_were_replaced(me: Answers) -> None:
    me.run("echo zero > a")
    of_start = me.files()
    first = me.run("echo one > a; sed -i 's/^line 3$/three/' text")
    me.again(first, "echo two > a; sed -i 's/^line 3$/drei/' text", files="then")
    me.choose(first)
    prompt = Message.objects.filter(turn=first).order_by("id")[0]
    me.api("post", f"/sessions/{me.session.public_id}/revert", {"message_id": prompt.public_id})
    me.site.pump.run()
    assert set(statuses(Revert.objects.latest("id")).values()) == {"clean"}
    assert me.files() == of_start


def test_an_answer_that_was_chosen_without_its_files_leaves_those_of_the_other_one(me: Answers) -> None:
    first = me.run("echo one > a")
    second = me.again(first, "echo two > a; echo b > b", files="then")
    of_second = me.files()
    me.api("post", f"/turns/{first.public_id}/choose")
    assert (me.files(), me.is_shown(first)) == (of_second, True)
    me.choose(second)
    assert (me.files(), me.is_shown(second)) == (of_second, True)


def test_a_stopped_try_that_has_taken_the_files_back_is_left_for_the_old_answer(me: Answers) -> None:
    first = me.run("echo one > a")
    of_first = me.files()
    me.api("post", f"/turns/{first.public_id}/retry", {"files": "then"}, expect=202)
    me.api("post", f"/sessions/{me.session.public_id}/abort", expect=202)
    me.site.pump.run()
    assert "a" not in me.files()
    me.site.script(text("Done."))
    me.site.run_prompt("Go on.", session=me.session)  # makes it final
    me.choose(first)
    assert (me.files(), me.is_shown(first)) == (of_first, True)


def test_only_a_hidden_answer_is_chosen_by_people_who_may_prompt(site: SessionSite, me: Answers) -> None:
    first = me.run("echo one > a")
    second = me.again(first, "echo two > a", files="then")
    path = f"/sessions/{me.session.public_id}/revert"
    error = me.api.error("post", path, {"answer_id": second.public_id}, expect=409)
    assert error["message"] == "This answer is chosen already."
    for body in ({"answer_id": first.public_id, "turn_id": first.public_id}, {}, {
        "answer_id": first.public_id, "paths": ["a"],
    }):  # fmt: skip
        me.api.error("post", path, body, expect=400)
    viewer = browser_of(site.member(Role.VIEWER))
    for route in (path, f"{path}/preview"):
        answer = viewer.post(f"/api/v1{route}", {"answer_id": first.public_id}, content_type="application/json")
        assert answer.status_code == 403
    assert me.is_shown(second)
