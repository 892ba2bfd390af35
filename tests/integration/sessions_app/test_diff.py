"""The changes of a session over REST, read from its workspace."""

from functools import partial
from typing import Any

import pytest

from agentsite.base.background import background
from sessions_app.models import Session, Workspace
from sessions_app.queries import live
from sessions_app.workers.sandbox import deployment as node
from tests.support.builders import browser_of
from tests.support.deadline import wait_until
from tests.support.model_server import calls, text, tool_call
from tests.support.pictures import png
from tests.support.rest_api import RestApi as Api
from tests.support.session_site import SessionSite
from tests.support.threads import at_work


@pytest.fixture
def call(site: SessionSite) -> Api:
    return Api(site.user)


def test_a_session_that_did_nothing_has_no_diff(site: SessionSite, call: Api) -> None:
    assert call("get", f"/sessions/{site.open_session().public_id}/diff")["files"] == []


def test_the_diff_of_a_session_is_asked_of_its_workspace(site: SessionSite, call: Api) -> None:
    site.write("a.txt", "one\n")
    site.script(calls(tool_call("edit", filePath="a.txt", oldString="one", newString="two")), text("Done."))
    turn = site.run_prompt()
    answers: list[Any] = []
    path = f"/sessions/{turn.session.public_id}/diff"
    with at_work(lambda: answers.append(call("get", path))):
        wait_until(lambda: bool(site.pump.waiting), "the workspace is asked")
        site.pump.run()
    ((file,),) = [answer["files"] for answer in answers]
    assert (file["path"], file["status"], file["additions"], file["deletions"]) == ("a.txt", "modified", 1, 1)
    assert "+two" in file["patch"]


def test_an_environment_is_one_line_and_one_file_can_be_asked_for(site: SessionSite, call: Api) -> None:
    site.write("a.txt", "one\n")
    environment = "mkdir -p env/lib; touch env/pyvenv.cfg env/lib/a.py env/lib/b.py"
    site.script(
        calls(tool_call("bash", command=environment), tool_call("write", filePath="b.txt", content="two\n")),
        text("Done."),
    )
    turn = site.run_prompt()
    path = f"/sessions/{turn.session.public_id}/diff"
    answers: list[Any] = []

    def asked(query: str) -> None:
        answers.append(call("get", path + query))

    for query in ("", "?path=b.txt", "?path=a.txt", "?under=env"):
        with at_work(partial(asked, query)):
            wait_until(lambda: bool(site.pump.waiting), "the workspace is asked")
            site.pump.run()
    whole, alone, unchanged, opened = answers
    assert [file["path"] for file in whole["files"]] == ["b.txt"]
    assert whole["folded"] == [{"path": "env", "kind": "dependencies", "files": 3}]
    assert alone["files"] == whole["files"]
    assert unchanged == {"files": [], "folded": [], "more_files": 0}
    assert [file["path"] for file in opened["files"]] == ["env/lib/a.py", "env/lib/b.py", "env/pyvenv.cfg"]


def test_each_turn_has_its_own_changes(site: SessionSite, call: Api) -> None:
    site.write("a.txt", "one\n")
    session = site.open_session(allow=("edit",))
    turns = []
    for old, new in (("one", "two"), ("two", "three")):
        site.script(calls(tool_call("edit", filePath="a.txt", oldString=old, newString=new)), text("Done."))
        turns.append(site.run_prompt(session=session).public_id)
    site.script(text("Nothing to do."))
    turns.append(site.run_prompt(session=session).public_id)
    path = f"/sessions/{session.public_id}/diff"
    answers: list[Any] = []

    def asked(turn_id: str) -> None:
        answers.append(call("get", f"{path}?turn={turn_id}"))

    for turn_id in turns[:2]:
        with at_work(partial(asked, turn_id)):
            wait_until(lambda: bool(site.pump.waiting), "the workspace is asked")
            site.pump.run()
    patches = [answer["files"][0]["patch"] for answer in answers]
    assert ["-one\n+two\n" in patches[0], "-two\n+three\n" in patches[1]] == [True, True]
    assert call("get", f"{path}?turn={turns[2]}")["files"] == []
    other = site.run_prompt(session=site.open_session()).public_id
    assert call.error("get", f"{path}?turn={other}", expect=404)


def test_a_changed_picture_is_shown_before_and_after(site: SessionSite) -> None:
    background.run(node.runtime_of(site.workspace).write("tea.png", png(3, 2)))
    site.script(
        calls(tool_call("bash", command="cp tea.png old.png; printf x >> tea.png; echo a > a.txt")), text("Done.")
    )
    session = site.run_prompt().session
    browser, answers = browser_of(site.user), list[Any]()
    path = f"/api/v1/sessions/{session.public_id}/diff/image"

    def asked(query: str) -> None:
        answers.append(browser.get(f"{path}?{query}"))

    for query in ("path=tea.png&side=old", "path=tea.png&side=new", "path=a.txt&side=new", "path=new.png&side=old"):
        with at_work(partial(asked, query)):
            wait_until(lambda: bool(site.pump.waiting), "the workspace is asked")
            site.pump.run()
    before, after, text_file, missing = answers
    assert (before.content, after.content) == (png(3, 2), png(3, 2) + b"x")
    assert before.headers["Content-Type"] == "image/png"
    assert before.headers["Content-Security-Policy"].startswith("sandbox")
    assert [text_file.status_code, missing.status_code] == [404, 404]


def test_lines_around_a_change_are_read(site: SessionSite) -> None:
    site.write("a.txt", "".join(f"line {number}\n" for number in range(1, 41)))
    site.write("same.txt", "one\n")
    site.script(
        calls(
            tool_call("edit", filePath="a.txt", oldString="line 20\n", newString="line twenty\nline 20b\n"),
            tool_call("bash", command="printf 'a\\0b' > data; echo KEY=1 > .env"),
        ),
        text("Done."),
    )
    turn = site.run_prompt()
    browser, answers = browser_of(site.user), list[Any]()
    path = f"/api/v1/sessions/{turn.session.public_id}/diff/lines"

    def asked(query: str) -> None:
        answers.append(browser.get(f"{path}?{query}"))

    of_turn = f"path=a.txt&first=21&last=22&turn={turn.public_id}"
    refused = [f"path={name}&first=1&last=1" for name in ("same.txt", "data", ".env")]
    for query in ("path=a.txt&first=40&last=60", of_turn, *refused):
        with at_work(partial(asked, query)):
            wait_until(lambda: bool(site.pump.waiting), "the workspace is asked")
            site.pump.run()
    end, middle, *others = answers
    assert end.json() == {"first": 40, "lines": ["line 39", "line 40"], "total": 41}
    assert middle.json() == {"first": 21, "lines": ["line 20b", "line 21"], "total": 41}
    assert [answer.status_code for answer in others] == [404, 404, 404]  # unchanged, binary, usually secret
    for query in ("path=a.txt&first=9&last=8", "path=a.txt&first=1&last=2001", "path=a.txt&first=0&last=1"):
        answer = browser.get(f"{path}?{query}")
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_input")


def test_a_workspace_that_does_not_answer_is_said_aloud(
    site: SessionSite, call: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "WORKSPACE_TIMEOUT", 0.05)
    session = site.open_session()
    Session.objects.update(baseline="0" * 40)
    error = call.error("get", f"/sessions/{session.public_id}/diff", expect=503)
    assert error["code"] == "workspace_silent"
    assert "Nothing is lost" in error["hint"]


def test_a_sandbox_that_cannot_answer_is_said_aloud(site: SessionSite, call: Api) -> None:
    session = site.open_session()
    site.pump.lose()
    Session.objects.update(baseline="0" * 40)
    site.deployment.away = True
    errors: list[dict[str, Any]] = []
    with at_work(lambda: errors.append(call.error("get", f"/sessions/{session.public_id}/diff", expect=503))):
        wait_until(lambda: bool(site.pump.waiting), "the workspace is asked")
        site.pump.run()
    assert [(error["code"], error["message"]) for error in errors] == [
        ("sandbox_unavailable", "The engine does not answer.")
    ]
    assert Workspace.objects.get().state == Workspace.State.RUNNING
