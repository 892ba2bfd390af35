"""The content of a model's context: the stored system prompt of each answer, and the parts of the next model call."""

from typing import Any

import pytest

from sessions_app.actions.forking import fork_session
from sessions_app.models import Message, Session, SystemPrompt, system_prompt
from sessions_app.queueing import enqueue_workspace
from tests.support.model_server import calls, text, tool_call
from tests.support.rest_api import RestApi
from tests.support.session_site import SessionSite

READ = tool_call("read", filePath="src/a.txt")


@pytest.fixture
def api(site: SessionSite) -> RestApi:
    return RestApi(site.user)


@pytest.fixture
def session(site: SessionSite) -> Session:
    site.write("AGENTS.md", "Use tabs. " * 40)
    return site.open_session(allow=("read",))


def instruct(site: SessionSite, words: str) -> None:
    """Change the instruction file; it is read when the workspace starts."""
    site.write("AGENTS.md", words)
    enqueue_workspace(site.workspace.pk, node=site.workspace.node)
    site.pump.run()


def answers_of(session: Session) -> list[Message]:
    return list(Message.objects.filter(session=session, role="assistant").order_by("id"))


def context_of(api: RestApi, session: Session) -> dict[str, Any]:
    found: dict[str, Any] = api("get", f"/sessions/{session.public_id}/context")
    return found


def tokens_by_kind(context: dict[str, Any]) -> dict[str, int]:
    sums: dict[str, int] = {}
    for item in context["items"]:
        sums[item["kind"]] = sums.get(item["kind"], 0) + item["tokens"]
    return sums


def test_the_system_prompt_of_an_answer_is_the_one_that_was_sent(
    site: SessionSite, api: RestApi, session: Session
) -> None:
    script = site.script(text("Hello."))
    site.run_prompt(session=session)
    (answer,) = answers_of(session)
    found = api("get", f"/messages/{answer.public_id}/system-prompt")
    body = script.requests()[0]["body"]
    assert found["text"] == body["messages"][0]["content"]
    assert [(block["kind"], block["name"]) for block in found["blocks"]] == [
        ("agent", "build"),
        ("environment", ""),
        ("instructions", "AGENTS.md"),
    ]
    assert [tool["name"] for tool in found["tools"]] == [tool["function"]["name"] for tool in body["tools"]]


def test_equal_prompts_are_kept_once_and_another_one_is_kept_with_its_answers(
    site: SessionSite, api: RestApi, session: Session
) -> None:
    site.script(*(text("Hello.") for _ in range(3)))
    for _ in range(2):
        site.run_prompt(session=session)
    instruct(site, "Use spaces.")
    site.run_prompt(session=session)
    first, second, third = answers_of(session)
    assert first.system_prompt_id == second.system_prompt_id != third.system_prompt_id
    assert SystemPrompt.objects.filter(session=session).count() == 2
    assert "Use tabs." in api("get", f"/messages/{first.public_id}/system-prompt")["text"]
    assert "Use spaces." in api("get", f"/messages/{third.public_id}/system-prompt")["text"]


def test_a_prompt_of_a_person_has_no_system_prompt(site: SessionSite, api: RestApi, session: Session) -> None:
    site.script(text("Hello."))
    turn = site.run_prompt(session=session)
    prompt = Message.objects.get(turn=turn, role="user")
    error = api.error("get", f"/messages/{prompt.public_id}/system-prompt", expect=404)
    assert error["message"] == "No system prompt is kept for this message."


def test_the_context_is_taken_apart_and_its_parts_add_up(site: SessionSite, api: RestApi, session: Session) -> None:
    site.write("src/a.txt", "line\n" * 2_000)
    site.write("src/AGENTS.md", "Only ASCII here.")
    usage = {"prompt_tokens": 5_000, "completion_tokens": 12, "total_tokens": 5_012}
    script = site.script(calls(READ), text("It is long.", usage=usage))
    site.run_prompt("What does it say?", session=session)
    context = context_of(api, session)
    sums = tokens_by_kind(context)
    assert set(sums) == {
        "agent", "environment", "instructions", "tool", "prompts", "answers", "calls", "results",
    }  # fmt: skip
    assert sum(sums.values()) == context["estimated"]
    assert context["counted"] == 5_012
    assert context["message_id"] == answers_of(session)[-1].public_id
    assert context["folders"] == ["src"]
    (result,) = [item for item in context["items"] if item["kind"] == "results"]
    assert (result["name"], result["count"]) == ("read", 1)
    sent = script.requests()[-1]["body"]["messages"][-1]["content"]
    assert result["tokens"] == -(-len(sent) // 4)


def test_before_the_first_answer_nothing_was_sent(api: RestApi, session: Session) -> None:
    context = context_of(api, session)
    assert (context["message_id"], context["counted"], context["items"]) == (None, 0, [])


def test_after_a_compaction_the_summary_stands_for_what_it_replaced(
    site: SessionSite, api: RestApi, session: Session
) -> None:
    site.script(text("Words. " * 4_000), text("We talked."))
    site.run_prompt(session=session)
    before = context_of(api, session)
    api("post", f"/sessions/{session.public_id}/compact", {}, expect=202)
    site.pump.run()
    after = context_of(api, session)
    assert "summary" in tokens_by_kind(after)
    assert after["counted"] == 0
    assert after["estimated"] < before["estimated"] - 5_000


def test_a_fork_keeps_the_system_prompts_of_its_answers(site: SessionSite, api: RestApi, session: Session) -> None:
    site.script(text("Hello."))
    site.run_prompt(session=session)
    made = fork_session(actor=site.user, session=session).session
    (copied,) = answers_of(made)
    assert "Use tabs." in api("get", f"/messages/{copied.public_id}/system-prompt")["text"]
    assert "instructions" in tokens_by_kind(context_of(api, made))
    session.delete()
    assert "Use tabs." in api("get", f"/messages/{copied.public_id}/system-prompt")["text"]


def test_the_oldest_prompts_of_a_session_are_forgotten_when_it_is_compacted(
    site: SessionSite, api: RestApi, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system_prompt, "MAX_KEPT", 1)
    site.script(text("One."), text("Two."), text("Notes."))
    for words in ("Use tabs.", "Use spaces."):
        instruct(site, words)
        site.run_prompt(session=session)
    api("post", f"/sessions/{session.public_id}/compact", {}, expect=202)
    site.pump.run()
    first, second, *_ = answers_of(session)
    api.error("get", f"/messages/{first.public_id}/system-prompt", expect=404)
    assert "Use spaces." in api("get", f"/messages/{second.public_id}/system-prompt")["text"]
