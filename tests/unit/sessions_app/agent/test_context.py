"""Stored messages become the chat messages that providers accept."""

import json
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions_app.agent.built_in import BUILD, PLAN
from sessions_app.agent.context import (
    AgentEnvironment,
    StoredCall,
    StoredMessage,
    ToldVariable,
    chat_messages,
    joined,
    prompt_blocks,
)
from sessions_app.llm.port import TOOL_FILES_PREFIX
from tools_app.network.judging import NetworkMode

CALL = StoredCall("call_1", "read", '{"filePath": "a.py"}', "print()")


def test_a_prompt_is_a_user_message() -> None:
    assert chat_messages([StoredMessage("user", ["Hello"])]) == [{"role": "user", "content": "Hello"}]


def test_texts_around_calls_are_joined() -> None:
    assert chat_messages([StoredMessage("assistant", ["One.", "", "Two."])]) == [
        {"role": "assistant", "content": "One.\n\nTwo."}
    ]


def test_each_call_is_followed_by_its_result() -> None:
    other = StoredCall("call_2", "grep", "{}", "nothing")
    answer, first, second = chat_messages([StoredMessage("assistant", [], [CALL, other])])
    assert answer["content"] is None
    assert [made["id"] for made in answer["tool_calls"]] == ["call_1", "call_2"]
    assert (first["tool_call_id"], first["content"]) == ("call_1", "print()")
    assert (second["tool_call_id"], second["content"]) == ("call_2", "nothing")


def test_an_answer_that_said_nothing_is_left_out() -> None:
    assert chat_messages([StoredMessage("assistant", [])]) == []


def test_arguments_go_back_as_the_model_wrote_them() -> None:
    (answer, _) = chat_messages([StoredMessage("assistant", [], [CALL])])
    assert answer["tool_calls"][0]["function"] == {"name": "read", "arguments": '{"filePath": "a.py"}'}


@pytest.mark.parametrize("written", ["{", "[1, 2]", "not json", "[" * 100_000])
def test_unreadable_arguments_are_wrapped_so_that_no_provider_refuses_the_conversation(written: str) -> None:
    (answer, _) = chat_messages([StoredMessage("assistant", [], [StoredCall("1", "read", written, "bad")])])
    assert json.loads(answer["tool_calls"][0]["function"]["arguments"]) == {"unreadable_arguments": written}


@pytest.mark.parametrize(("written", "sent"), [("my tool!", "my_tool_"), ("", "unnamed"), ("x" * 90, "x" * 64)])
def test_names_that_providers_refuse_are_mended(written: str, sent: str) -> None:
    (answer, _) = chat_messages([StoredMessage("assistant", [], [StoredCall("1", written, "{}", "no")])])
    assert answer["tool_calls"][0]["function"]["name"] == sent


def test_files_of_a_prompt_are_named_behind_its_words() -> None:
    file = {"id": "att_1", "name": "a.png", "media_type": "image/png", "size": 3, "width": 1}
    (message,) = chat_messages([StoredMessage("user", ["Look"], files=[file])])
    named = {"id": "att_1", "name": "a.png", "media_type": "image/png", "size": 3}
    assert message["content"] == [{"type": "text", "text": "Look"}, {"type": "attachment", "attachment": named}]


def test_files_of_results_follow_all_results_of_their_step() -> None:
    file = {"id": "att_1", "name": "a.png", "media_type": "image/png", "size": 3}
    first, second = (StoredCall(number, "read", "{}", "attached", [file]) for number in "12")
    roles = [message["role"] for message in chat_messages([StoredMessage("assistant", [], [first, second])])]
    assert roles == ["assistant", "tool", "tool", "user"]
    *_, brought = chat_messages([StoredMessage("assistant", [], [first, second])])
    assert [part["type"] for part in brought["content"]] == ["text", "attachment", "attachment"]
    assert brought["content"][0]["text"] == TOOL_FILES_PREFIX


stored_calls = st.builds(StoredCall, st.uuids().map(str), st.text(max_size=9), st.text(max_size=9), st.text(max_size=9))
stored_messages = st.one_of(
    st.builds(StoredMessage, st.just("user"), st.lists(st.text(min_size=1), min_size=1, max_size=2)),
    st.builds(StoredMessage, st.just("assistant"), st.lists(st.text(), max_size=2), st.lists(stored_calls, max_size=3)),
)


@given(st.lists(stored_messages, max_size=6))
def test_every_call_has_exactly_one_result_right_behind_it(messages: list[StoredMessage]) -> None:
    waiting: list[str] = []
    for message in chat_messages(messages):
        if message["role"] == "tool":
            assert message["tool_call_id"] == waiting.pop(0)
        else:
            assert not waiting
            waiting = [made["id"] for made in message.get("tool_calls", ())]
    assert not waiting


AROUND = AgentEnvironment(project="Tea shop", model="demo", today=date(2026, 1, 2))


def test_the_agents_own_words_come_first() -> None:
    assert joined(prompt_blocks(PLAN, AROUND)).startswith(PLAN.prompt)


def test_the_agent_learns_where_it_is() -> None:
    text = joined(prompt_blocks(BUILD, AROUND))
    for fact in ("Project: Tea shop", "/workspace", "Model: demo", "Date: 2026-01-02", "Network: none"):
        assert fact in text


@pytest.mark.parametrize(("mode", "said"), [("packages", "package registries"), ("open", "the public web")])
def test_the_agent_learns_what_its_programs_can_reach(mode: NetworkMode, said: str) -> None:
    assert f"Network: {said}" in joined(prompt_blocks(BUILD, replace(AROUND, network=mode)))


def test_the_branch_of_a_clone_is_told() -> None:
    cloned = replace(AROUND, repository="Repository: tea/shop", branch="agentsite/x")
    assert "began on the branch agentsite/x" in joined(prompt_blocks(BUILD, cloned))
    assert "Git:" not in joined(prompt_blocks(BUILD, replace(cloned, repository="")))


def test_the_agent_learns_the_names_of_variables_and_what_they_are_for() -> None:
    told = [
        ToldVariable("DATABASE_URL", "commands"),
        ToldVariable("API_TOKEN", "requests", ("api.example.com", "git.example.com:8443")),
        ToldVariable("LICENCE", "setup"),
        ToldVariable("PASSWORD", "masked"),
    ]
    text = joined(prompt_blocks(BUILD, replace(AROUND, variables=told, image="java")))
    assert "Variables in the environment of commands: DATABASE_URL\n" in text
    assert "send no credentials: API_TOKEN for api.example.com and git.example.com:8443\n" in text
    assert "Secrets that only set-up has: LICENCE\n" in text
    assert "masked in what you read: PASSWORD\n" in text
    assert "container (image java)" in text
    assert "ariables" not in joined(prompt_blocks(BUILD, AROUND))


def test_a_long_list_of_variables_is_cut() -> None:
    told = [ToldVariable(f"V{number:03}", "commands") for number in range(100)]
    text = joined(prompt_blocks(BUILD, replace(AROUND, variables=told)))
    assert "V059, and 40 more\n" in text


def test_instruction_files_follow_with_their_names() -> None:
    files = [{"path": "AGENTS.md", "text": "Use tabs."}, {"path": "docs/AGENTS.md", "text": "Be brief."}]
    text = joined(prompt_blocks(BUILD, AgentEnvironment("Tea shop", "demo", date(2026, 1, 2), files)))
    assert text.index("from AGENTS.md:\nUse tabs.") < text.index("from docs/AGENTS.md:\nBe brief.")


def test_skills_are_listed_with_what_they_are_good_for() -> None:
    skills = [{"name": "pdf", "description": "Fills in forms"}]
    text = joined(prompt_blocks(BUILD, AgentEnvironment("Tea shop", "demo", date(2026, 1, 2), skills=skills)))
    assert text.endswith("before you begin.\n- pdf: Fills in forms")
    assert "Skills" not in joined(prompt_blocks(BUILD, AROUND))
