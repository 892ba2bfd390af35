"""Compaction of a long conversation: its kept, summarised and cleared parts."""

import uuid
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions_app.agent.compaction import (
    KEPT_OUTPUT_TOKENS,
    MAX_TAIL_TOKENS,
    MIN_SAVED_TOKENS,
    MIN_TAIL_TOKENS,
    PICTURE_TOKENS,
    PROMPT_LIMIT,
    RESULT_LIMIT,
    Window,
    calls_to_prune,
    estimate_chat,
    estimate_since_answer,
    estimate_stored,
    first_kept,
    last_prompt,
    summary_as_message,
    summary_request,
)
from sessions_app.agent.context import StoredCall, StoredMessage, chat_messages


def user(text: str) -> StoredMessage:
    return StoredMessage("user", [text])


def answer(text: str, *outputs: str) -> StoredMessage:
    return StoredMessage("assistant", [text], [StoredCall("id", "read", "{}", output) for output in outputs])


@pytest.mark.parametrize(
    ("context", "max_output", "usable"),
    [(200_000, 64_000, 180_000), (128_000, 8_192, 119_808), (128_000, None, 108_000), (16_000, 16_000, 8_000)],
)
def test_room_for_the_answer_is_kept_free(context: int, max_output: int | None, usable: int) -> None:
    window = Window.of(context, max_output)
    assert window.usable == usable
    assert [window.is_full(usable - 1), window.is_full(usable)] == [False, True]


@pytest.mark.parametrize("context", [None, 0])
def test_of_an_unknown_context_nobody_knows_when_it_is_full(context: int | None) -> None:
    assert not Window.of(context, 8_192).is_full(10**9)


@pytest.mark.parametrize(
    ("usable", "tail"), [(180_000, MAX_TAIL_TOKENS), (40_000, 10_000), (6_000, MIN_TAIL_TOKENS), (1_000, 500)]
)
def test_a_quarter_is_kept_within_bounds(usable: int, tail: int) -> None:
    assert Window(usable).tail(10**6) == tail
    assert Window(None).tail(usable) == tail


def test_four_characters_are_about_a_token() -> None:
    stored = [user("x" * 40), answer("y" * 41, "z" * 100)]
    assert [estimate_stored(message) for message in stored] == [10, 37]
    assert estimate_chat(chat_messages(stored)) == pytest.approx(60, abs=10)


def test_a_picture_counts_as_one() -> None:
    blocks = [{"type": "text", "text": "x" * 40}, {"type": "image_url", "image_url": {"url": "data:" + "x" * 10**6}}]
    assert estimate_chat([{"role": "user", "content": blocks}]) == 1_510


def test_only_what_came_after_the_last_answer_is_estimated() -> None:
    chat = chat_messages([user("x" * 4000), answer("a", "y" * 40)])
    assert estimate_since_answer(chat) == 10
    assert estimate_since_answer(chat[:1]) == 1000


@given(st.lists(st.integers(0, 300), min_size=1, max_size=12), st.integers(0, 200))
def test_as_much_of_the_end_is_kept_as_fits(sizes: list[int], budget: int) -> None:
    messages = [user("x" * 4 * size) for size in sizes]
    place = first_kept(messages, budget)
    assert 0 < place <= len(messages)
    if place < len(messages):
        assert sum(sizes[place:]) <= budget
        assert sum(sizes[place - 1 :]) > budget
    else:
        assert sizes[-1] > budget or sum(sizes) <= budget


def test_a_call_stays_with_its_result() -> None:
    messages = [user("do"), answer("a", "x" * 400), answer("b", "y" * 400)]
    kept = messages[first_kept(messages, 110) :]
    assert kept == messages[2:]
    assert chat_messages(kept)[0]["role"] == "assistant"


def test_notes_are_made_from_all_that_was_said_with_long_outputs_cut() -> None:
    text = summary_request([user("Make tea."), answer("Boiling.", "x" * 5000)], earlier="Old notes.", budget=10_000)
    for part in ("Old notes.", "[user]\nMake tea.", "Boiling.", "[call read] {}", f"{5000 - RESULT_LIMIT:,} more"):
        assert part in text


@given(st.integers(1, 60), st.integers(0, 4000), st.integers(0, 3000))
def test_what_notes_are_made_from_stays_within_its_budget(number: int, size: int, budget: int) -> None:
    messages = [answer("a" * size, "b" * size) for _ in range(number)]
    text = summary_request(messages, earlier="", budget=budget)
    assert len(text) <= max(budget * 4, 4 * RESULT_LIMIT) + 200


def test_of_what_is_too_long_for_its_own_notes_the_middle_is_left_out() -> None:
    messages = [user("first"), *[answer("m" * 1000) for _ in range(40)], user("last")]
    text = summary_request(messages, earlier="", budget=2_500)
    assert "first" in text
    assert "last" in text
    assert "characters are left out here" in text


FILE = {"id": "att_1", "name": "shot.png", "media_type": "image/png", "size": 3_000_000}
TEXT = {"id": "att_2", "name": "notes.txt", "media_type": "text/plain", "size": 400}


def test_files_are_named_in_what_notes_are_made_from_and_in_the_last_prompt() -> None:
    call = StoredCall("id", "read", "{}", "attached", [FILE])
    messages = [StoredMessage("user", ["Look."], files=[TEXT]), StoredMessage("assistant", [], [call])]
    text = summary_request(messages, earlier="", budget=10_000)
    assert "[user]\nLook.\n[file] notes.txt (att_2)" in text
    assert "[result] attached\n[file] shot.png (att_1)" in text
    assert last_prompt(messages, 2) == "Look.\n\n[file] notes.txt (att_2)"


def test_a_picture_counts_as_one_and_a_text_by_its_size() -> None:
    assert estimate_stored(StoredMessage("user", ["Look"], files=[FILE])) == 1 + PICTURE_TOKENS
    assert estimate_stored(StoredMessage("user", ["Look"], files=[TEXT, {**TEXT, "size": 10**7}])) == 1 + 100 + 12_800
    call = StoredCall("id", "read", "{}", "", [FILE])
    assert estimate_stored(StoredMessage("assistant", [], [call])) > PICTURE_TOKENS


def test_the_last_prompt_is_repeated_only_when_it_was_not_kept() -> None:
    messages = [user("one"), answer("a"), user("two"), answer("b")]
    assert last_prompt(messages, 3) == "two"
    assert last_prompt(messages, 2) == ""
    assert last_prompt([answer("b")], 1) == ""
    assert len(last_prompt([user("x" * 50_000)], 1)) < PROMPT_LIMIT + 50


def test_notes_stand_where_the_conversation_began() -> None:
    message = summary_as_message("We make tea.", prompt="With milk.")
    assert message["role"] == "user"
    assert message["content"].index("We make tea.") < message["content"].index("With milk.")
    assert "last message" not in summary_as_message("We make tea.", prompt="")["content"]


numbers = count(1)


def sizes(*tokens: int) -> list[tuple[uuid.UUID, int]]:
    return [(uuid.UUID(int=next(numbers)), 4 * each) for each in tokens]


def test_old_outputs_beyond_what_is_kept_are_cleared() -> None:
    calls = sizes(30_000, 10_000, 1, 20_000)
    assert calls_to_prune(calls) == [call_id for call_id, _ in calls[2:]]


def test_little_is_not_worth_clearing() -> None:
    assert calls_to_prune(sizes(KEPT_OUTPUT_TOKENS, MIN_SAVED_TOKENS)) == []
    assert len(calls_to_prune(sizes(KEPT_OUTPUT_TOKENS, MIN_SAVED_TOKENS + 1))) == 1
    assert calls_to_prune([]) == []
