"""The REST API as programs use it: its routes, pages and errors."""

from typing import Any

import pytest
from pytest_django import Settings

from agentsite.base.pagination import MAX_LIMIT
from agentsite.tenancy.roles import Role
from sessions_app.actions.prompts import PROMPT_LIMIT
from sessions_app.models import Session, Turn
from tests.support.builders import browser_of
from tests.support.model_server import calls, text, tool_call
from tests.support.rest_api import RestApi as Api
from tests.support.session_site import SessionSite, snapshot_of

ASK = tool_call("question", questions=[{"question": "Tea?", "header": "Tea", "options": []}])


@pytest.fixture
def call(site: SessionSite) -> Api:
    return Api(site.user)


def project_path(site: SessionSite, rest: str) -> str:
    return f"/projects/{site.project.public_id}/{rest}"


# sessions


def test_a_session_is_opened_in_the_projects_first_workspace(site: SessionSite, call: Api) -> None:
    made = call("post", project_path(site, "sessions"), {"title": " Tea "}, expect=201)
    assert made["title"] == "Tea"
    assert made["workspace_id"] == site.workspace.public_id
    assert made["created_by"]["email"] == site.user.email
    assert (made["status"], made["last_seq"], made["agent"]) == ("idle", 1, "build")
    assert call("get", f"/sessions/{made['id']}") == made


def test_a_session_may_get_a_workspace_of_its_own(site: SessionSite, call: Api) -> None:
    made = call("post", project_path(site, "sessions"), {"new_workspace": True}, expect=201)
    assert made["workspace_id"] != site.workspace.public_id
    assert call("get", f"/workspaces/{made['workspace_id']}")["state"] == "new"


def test_an_agent_that_does_not_exist_is_refused(site: SessionSite, call: Api) -> None:
    for agent in ("title", "nobody"):
        error = call.error("post", project_path(site, "sessions"), {"agent": agent}, expect=400)
        assert error["fields"] == {"agent": "unknown"}
    assert not Session.objects.exists()


def test_a_session_is_renamed_given_another_agent_and_archived(site: SessionSite, call: Api) -> None:
    session = site.open_session()
    path = f"/sessions/{session.public_id}"
    changed = call("patch", path, {"title": "New", "agent": "plan", "archived": True})
    assert (changed["title"], changed["agent"], changed["archived"]) == ("New", "plan", True)
    assert call("patch", path, {"archived": False})["title"] == "New"


def test_only_who_started_a_session_and_admins_rename_or_archive_it(site: SessionSite, call: Api) -> None:
    path = f"/sessions/{site.open_session().public_id}"
    colleague = Api(site.member())
    assert colleague.error("patch", path, {"title": "Mine"}, expect=403)["code"] == "not_allowed"
    assert colleague.error("patch", path, {"archived": True}, expect=403)["code"] == "not_allowed"
    assert colleague("patch", path, {"agent": "plan"})["agent"] == "plan"
    assert Api(site.member(Role.ADMIN))("patch", path, {"title": "Tea"})["title"] == "Tea"


def test_an_archived_session_is_listed_apart_and_takes_no_prompts(site: SessionSite, call: Api) -> None:
    session = site.open_session()
    call("patch", f"/sessions/{session.public_id}", {"archived": True})
    assert call("get", project_path(site, "sessions"))["items"] == []
    (found,) = call("get", project_path(site, "sessions?archived=true"))["items"]
    assert found["id"] == session.public_id
    error = call.error("post", f"/sessions/{session.public_id}/prompts", {"text": "x"}, expect=409)
    assert "archive" in error["hint"]


def test_a_session_at_work_is_neither_archived_nor_deleted(site: SessionSite, call: Api) -> None:
    session = site.open_session()
    site.prompt(session)
    path = f"/sessions/{session.public_id}"
    assert call.error("patch", path, {"archived": True}, expect=409)["code"] == "stale"
    assert call.error("delete", path, expect=409)["code"] == "stale"
    call("post", f"{path}/abort", {}, expect=202)
    call("delete", path, expect=204)
    call.error("get", path, expect=404)


def test_a_member_may_not_delete_the_session_of_another(site: SessionSite) -> None:
    session = site.open_session()
    answer = browser_of(site.member(Role.MEMBER)).delete(f"/api/v1/sessions/{session.public_id}")
    assert answer.status_code == 403
    assert browser_of(site.member(Role.ADMIN)).delete(f"/api/v1/sessions/{session.public_id}").status_code == 204


def test_wake_ups_for_a_deleted_session_do_no_harm(site: SessionSite, call: Api) -> None:
    session = site.open_session(title="")
    site.prompt(session)
    call("post", f"/sessions/{session.public_id}/abort", {}, expect=202)
    call("delete", f"/sessions/{session.public_id}", expect=204)
    site.pump.run()
    assert not Turn.objects.exists()


def test_sessions_are_found_by_what_they_do(site: SessionSite, call: Api) -> None:
    idle, running, waiting = (site.open_session(title) for title in ("idle", "running", "waiting"))
    site.pump.lose()
    site.script(calls(tool_call("bash", command="make hi")))
    site.run_prompt(session=waiting)
    site.prompt(running)
    for status in ("idle", "running", "waiting"):
        assert [item["title"] for item in call("get", f"/sessions?status={status}")["items"]] == [status]
    assert len(call("get", "/sessions")["items"]) == 3
    assert idle.status == "idle"


def test_pages_go_on_where_the_last_one_ended(site: SessionSite, call: Api) -> None:
    made = [site.open_session(str(number)).public_id for number in range(5)]
    first = call("get", project_path(site, "sessions?limit=2"))
    second = call("get", project_path(site, f"sessions?limit=2&cursor={first['next_cursor']}"))
    site.open_session("newer")
    third = call("get", project_path(site, f"sessions?limit=2&cursor={second['next_cursor']}"))
    assert [item["id"] for page in (first, second, third) for item in page["items"]] == made[::-1]
    assert third["next_cursor"] is None


@pytest.mark.parametrize("query", ["limit=0", f"limit={MAX_LIMIT + 1}", "limit=many", "cursor=nonsense"])
@pytest.mark.parametrize("path", ["/sessions", "/projects"])
def test_a_page_that_cannot_be_given_is_refused(site: SessionSite, call: Api, path: str, query: str) -> None:
    assert query.partition("=")[0] in str(call.error("get", f"{path}?{query}", expect=400)["fields"])


# prompts and messages


def test_a_prompt_is_taken_and_answered(site: SessionSite, call: Api) -> None:
    session = site.open_session()
    site.script(calls(tool_call("todoread")), text("Done."))
    taken = call("post", f"/sessions/{session.public_id}/prompts", {"text": "Begin."}, expect=202)
    assert (taken["turn"]["state"], taken["message"]["role"]) == ("queued", "user")
    assert call("get", f"/sessions/{session.public_id}")["status"] == "running"
    site.pump.run()
    page = call("get", f"/sessions/{session.public_id}/messages")
    assert [item["message"]["role"] for item in page["items"]] == ["assistant", "assistant", "user"]
    assert [part["text"] for part in page["items"][0]["parts"]] == ["Done."]
    (made,) = page["items"][1]["calls"]
    assert (made["tool"], made["state"]) == ("todoread", "completed")
    assert page["items"][1]["parts"][0]["call_id"] == made["id"]


def test_messages_have_pages(site: SessionSite, call: Api) -> None:
    session = site.open_session()
    for number in range(3):
        site.prompt(session, str(number))
    first = call("get", f"/sessions/{session.public_id}/messages?limit=2")
    rest = call("get", f"/sessions/{session.public_id}/messages?limit=2&cursor={first['next_cursor']}")
    texts = [item["parts"][0]["text"] for page in (first, rest) for item in page["items"]]
    assert texts == ["2", "1", "0"]
    assert rest["next_cursor"] is None


@pytest.mark.parametrize("words", ["", "  \n "])
def test_a_prompt_without_words_is_refused(site: SessionSite, call: Api, words: str) -> None:
    path = f"/sessions/{site.open_session().public_id}/prompts"
    assert call.error("post", path, {"text": words}, expect=400)["fields"] == {"text": "empty"}
    assert not Turn.objects.exists()


def test_a_prompt_that_is_too_long_says_what_to_do(site: SessionSite, call: Api) -> None:
    path = f"/sessions/{site.open_session().public_id}/prompts"
    error = call.error("post", path, {"text": "x" * (PROMPT_LIMIT + 1)}, expect=413)
    assert error["code"] == "too_large"
    assert "file" in error["hint"]
    call("post", path, {"text": "x" * PROMPT_LIMIT}, expect=202)


def test_a_body_beyond_all_bounds_is_refused(site: SessionSite, call: Api, settings: Settings) -> None:
    path = f"/sessions/{site.open_session().public_id}/prompts"
    body = {"text": "x" * (settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1)}
    assert call.error("post", path, body, expect=413)["code"] == "too_large"


@pytest.mark.parametrize(
    "body",
    ["{", "[1]", '"x"', "{}", '{"text": 5}', '{"text": ["x"]}', '{"text": null}', "NaN", "[" * 20_000, "null", "\x00"],
)
def test_a_body_that_is_not_what_was_asked_for_is_refused(site: SessionSite, call: Api, body: str) -> None:
    path = f"/sessions/{site.open_session().public_id}/prompts"
    assert call.error("post", path, body, expect=400)["code"] in {"bad_input", "malformed_json"}
    assert not Turn.objects.exists()


@pytest.mark.parametrize("words", [r"a\u0000b", r"half \ud83d"])
def test_words_that_cannot_be_stored_are_refused(site: SessionSite, call: Api, words: str) -> None:
    path = f"/sessions/{site.open_session().public_id}/prompts"
    assert call.error("post", path, f'{{"text": "{words}"}}', expect=400)["code"] == "unstorable_text"
    path = f"/projects/{site.project.public_id}/sessions"
    assert call.error("post", path, f'{{"title": "{words}"}}', expect=400)["code"] == "unstorable_text"


def test_a_method_that_a_route_does_not_have_is_refused_in_the_one_shape(site: SessionSite, call: Api) -> None:
    assert call.error("put", f"/sessions/{site.open_session().public_id}", {}, expect=405)["code"] == (
        "method_not_allowed"
    )


def test_an_address_that_is_not_there_answers_in_the_one_shape(site: SessionSite, call: Api) -> None:
    assert "/api/docs" in call.error("get", "/teapots", expect=404)["hint"]


def test_stop_answers_with_the_session_as_it_is_then(site: SessionSite, call: Api) -> None:
    session = site.open_session()
    site.prompt(session)
    assert call("post", f"/sessions/{session.public_id}/abort", {}, expect=202)["status"] == "idle"
    assert call("post", f"/sessions/{session.public_id}/abort", {}, expect=202)["status"] == "idle"


def test_the_snapshot_says_whether_one_may_act(site: SessionSite, call: Api) -> None:
    session = site.open_session()
    path = f"/sessions/{session.public_id}/snapshot"
    assert call("get", path) == snapshot_of(session.id)
    seen = browser_of(site.member(Role.VIEWER)).get(f"/api/v1{path}").json()
    assert seen == snapshot_of(session.id) | {"can_act": False}


# what waits


def test_what_waits_is_listed_with_its_place_and_answered(site: SessionSite, call: Api) -> None:
    site.script(calls(tool_call("bash", command="make hi")), text("Done."))
    turn = site.run_prompt(session=site.open_session("Tea time"))
    (waiting,) = call("get", "/permission-requests")["items"]
    assert (waiting["session_title"], waiting["project_id"]) == ("Tea time", site.project.public_id)
    assert waiting["needs"][0]["metadata"]["command"] == "make hi"
    assert waiting["reasons"][0]["rule"] == {"permission": "bash", "pattern": "*", "action": "ask"}
    assert waiting["scopes"] == ["session", "project", "team"]
    path = f"/permission-requests/{waiting['id']}"
    answered = call("post", f"{path}/reply", {"reply": "always", "scope": "project"})
    assert (answered["state"], answered["scope"], answered["answered_by"]["email"]) == (
        "always", "project", site.user.email,
    )  # fmt: skip
    assert call("get", path) == answered
    assert call("get", "/permission-requests")["items"] == []
    assert call.error("post", f"{path}/reply", {"reply": "once"}, expect=409)["code"] == "already_settled"
    assert [item["id"] for item in call("get", "/permission-requests?state=always")["items"]] == [waiting["id"]]
    site.pump.run()
    turn.refresh_from_db()
    assert turn.state == Turn.State.COMPLETED


@pytest.mark.parametrize("body", [{"reply": "maybe"}, {}, {"reply": "always", "scope": "world"}, {"reply": 1}])
def test_an_answer_that_does_not_exist_is_refused(site: SessionSite, call: Api, body: dict[str, Any]) -> None:
    site.script(calls(tool_call("bash", command="make hi")))
    site.run_prompt()
    call.error("post", f"/permission-requests/{site.open_request().public_id}/reply", body, expect=400)
    assert site.open_request().state == "open"


def test_requests_can_be_asked_for_by_session(site: SessionSite, call: Api) -> None:
    site.script(calls(tool_call("bash", command="make hi")), calls(tool_call("bash", command="make ho")))
    first, second = site.run_prompt(), site.run_prompt()
    for turn in (first, second):
        (found,) = call("get", f"/permission-requests?session_id={turn.session.public_id}")["items"]
        assert found["session_id"] == turn.session.public_id


def test_a_question_is_listed_and_answered(site: SessionSite, call: Api) -> None:
    site.script(calls(ASK), text("Done."))
    site.run_prompt()
    (waiting,) = call("get", "/questions")["items"]
    of_agent = {"kind": "text", "required": True, "prefilled": []}
    assert waiting["questions"] == [{"question": "Tea?", "header": "Tea", "options": [], "multiple": False, **of_agent}]
    path = f"/questions/{waiting['id']}"
    call.error("post", f"{path}/reply", {"answers": ["yes"]}, expect=400)
    assert call("post", f"{path}/reply", {"answers": [["yes"]]})["state"] == "answered"
    assert call.error("post", f"{path}/reject", {}, expect=409)["code"] == "already_settled"
    assert call("get", "/questions")["items"] == []


def test_a_question_is_dismissed(site: SessionSite, call: Api) -> None:
    site.script(calls(ASK))
    turn = site.run_prompt()
    assert call("post", f"/questions/{site.open_question().public_id}/reject", {})["state"] == "dismissed"
    turn.refresh_from_db()
    assert turn.state == Turn.State.ABORTED


def test_grants_are_listed_and_revoked(site: SessionSite, call: Api) -> None:
    site.script(calls(tool_call("bash", command="make hi")), text("Done."))
    turn = site.run_prompt()
    row = site.reply("always", scope="project")
    path = f"/sessions/{turn.session.public_id}/grants"
    (grant,) = call("get", path)["items"]
    assert (grant["scope"], grant["permission"]) == ("project", "bash")
    assert [grant["pattern"]] == row.needs[0]["always"]
    assert grant["granted_by"]["email"] == site.user.email
    call("delete", f"/grants/{grant['id']}", expect=204)
    assert call("get", path)["items"] == []
    call.error("delete", f"/grants/{grant['id']}", expect=404)


# workspaces


def test_workspaces_are_made_listed_started_and_stopped(site: SessionSite, call: Api) -> None:
    made = call("post", project_path(site, "workspaces"), {"name": "second"}, expect=201)
    assert (made["name"], made["state"]) == ("second", "new")
    assert {item["name"] for item in call("get", project_path(site, "workspaces"))["items"]} == {"main", "second"}
    site.pump.run()
    assert call("get", f"/workspaces/{made['id']}")["state"] == "running"
    call("post", f"/workspaces/{made['id']}/stop", {}, expect=202)
    site.pump.run()
    assert call("get", f"/workspaces/{made['id']}")["state"] == "stopped"
    call("post", f"/workspaces/{made['id']}/start", {}, expect=202)
    site.pump.run()
    assert call("get", f"/workspaces/{made['id']}")["state"] == "running"


def test_the_agents_of_every_site_are_listed(site: SessionSite, call: Api) -> None:
    modes = {item["name"]: item["mode"] for item in call("get", "/agents")["items"]}
    assert modes == {"build": "primary", "plan": "primary", "general": "subagent", "explore": "subagent"}
