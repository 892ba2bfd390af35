"""A model gets the attachments of its supported types, up to the limit of one request, and a text instead of every
other attachment."""

import base64
from typing import Any

import pytest

from sessions_app.agent.attachment_parts import (
    MAX_BYTES_SHOWN,
    MAX_FILES_SHOWN,
    choose_files,
    reference,
    suspected_files,
    with_files,
)
from tools_app.spec import ModelTraits

SEES_ALL = ModelTraits(sees_images=True, sees_pdf=True)
SEES_PICTURES = ModelTraits(sees_images=True)
BLIND = ModelTraits()
PICTURE = {"id": "att_1", "name": "shot.png", "media_type": "image/png", "size": 9, "width": 3}
PDF = {"id": "att_2", "name": "plan.pdf", "media_type": "application/pdf", "size": 8}
TEXT = {"id": "att_3", "name": "notes.txt", "media_type": "text/plain", "size": 5}
CONTENTS = {"att_1": b"\x89PNG data", "att_2": b"%PDF data", "att_3": b"hello"}


def prompt(*files: dict[str, Any], text: str = "Look") -> dict[str, Any]:
    words = [{"type": "text", "text": text}] if text else []
    return {"role": "user", "content": [*words, *map(reference, files)]}


def shown(message: dict[str, Any], model: ModelTraits, contents: dict[str, bytes] = CONTENTS) -> Any:
    (filled,) = with_files([message], model, contents)
    assert filled["role"] == "user"
    return filled["content"]


def test_a_picture_is_put_in_place_with_its_name() -> None:
    assert shown(prompt(PICTURE), SEES_PICTURES) == [
        {"type": "text", "text": "Look"},
        {"type": "text", "text": "Attached picture shot.png (att_1):"},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{encoded(CONTENTS['att_1'])}"}},
    ]


def test_a_pdf_is_put_in_place_with_its_name() -> None:
    *_, part = shown(prompt(PDF), SEES_ALL)
    data = f"data:application/pdf;base64,{encoded(CONTENTS['att_2'])}"
    assert part == {"type": "file", "file": {"filename": "plan.pdf", "file_data": data}}


def test_a_text_is_quoted_for_every_model_in_a_message_that_stays_plain() -> None:
    assert shown(prompt(TEXT), BLIND) == "Look\n\nAttached file notes.txt (att_3):\n<file>\nhello\n</file>"


def test_of_a_long_text_the_beginning_is_quoted_with_a_word_on_where_the_rest_is() -> None:
    content = shown(prompt(TEXT), BLIND, {"att_3": b"line\n" * 5000})
    assert content.count("\nline") == 2000
    assert 'filePath "att_3"' in content


def test_of_a_long_line_the_beginning_is_quoted() -> None:
    content = shown(prompt(TEXT), BLIND, {"att_3": "ü".encode() * 100_000})
    assert 25_000 < content.count("ü") < 26_000


@pytest.mark.parametrize(("file", "word"), [(PICTURE, "pictures"), (PDF, "PDFs")])
def test_a_model_that_cannot_look_is_told_what_is_there(file: dict[str, Any], word: str) -> None:
    content = shown(prompt(file), BLIND)
    assert content.startswith(f"Look\n\n(Attached: the {word[:-1]} {file['name']} ({file['media_type']}, ")
    assert f"this model takes no {word}" in content


def test_a_model_that_sees_pictures_only_is_told_of_a_pdf() -> None:
    assert "takes no PDFs" in str(shown(prompt(PICTURE, PDF), SEES_PICTURES))


def test_what_is_not_kept_any_more_is_told() -> None:
    assert "It is not shown here" in shown(prompt(PICTURE), SEES_ALL, {})


def test_a_prompt_without_words_is_its_files() -> None:
    assert shown(prompt(TEXT, text=""), BLIND).startswith("Attached file")


def test_other_messages_stay_as_they_are() -> None:
    messages = [{"role": "system", "content": "Be brief."}, {"role": "tool", "tool_call_id": "1", "content": "x"}]
    assert with_files(messages, SEES_ALL, {}) == messages


def test_only_what_the_model_can_look_at_is_loaded() -> None:
    messages = [prompt(PICTURE, PDF, TEXT)]
    assert set(choose_files(messages, SEES_ALL)) == {"att_1", "att_2", "att_3"}
    assert set(choose_files(messages, SEES_PICTURES)) == {"att_1", "att_3"}
    assert set(choose_files(messages, BLIND)) == {"att_3"}


def test_the_newest_files_are_shown_when_there_are_many() -> None:
    messages = [prompt({**PICTURE, "id": f"att_{number}"}) for number in range(MAX_FILES_SHOWN + 5)]
    assert choose_files(messages, SEES_ALL) == [f"att_{number}" for number in range(MAX_FILES_SHOWN + 4, 4, -1)]


def test_one_request_carries_so_many_bytes() -> None:
    half = {**PICTURE, "size": MAX_BYTES_SHOWN // 2}
    messages = [prompt({**half, "id": f"att_{number}"}) for number in range(3)]
    assert choose_files(messages, SEES_ALL) == ["att_2", "att_1"]


def test_a_file_that_is_named_twice_is_loaded_once() -> None:
    assert choose_files([prompt(PICTURE), prompt(PICTURE)], SEES_ALL) == ["att_1"]


def test_of_many_texts_the_newest_are_quoted() -> None:
    messages = [prompt({**TEXT, "id": f"att_{number}", "size": 5_000_000}) for number in range(5)]
    assert choose_files(messages, BLIND) == ["att_4", "att_3", "att_2"]


def test_what_was_never_shown_before_is_suspected_first() -> None:
    seen, fresh = prompt({**PICTURE, "id": "att_8"}), prompt({**PICTURE, "id": "att_9"}, TEXT)
    answered = {"role": "assistant", "content": "I see."}
    assert suspected_files([seen, answered, fresh], SEES_ALL) == ["att_9"]
    assert suspected_files([seen, answered, {"role": "user", "content": "Go on"}], SEES_ALL) == ["att_8"]
    assert suspected_files([seen, answered, fresh], BLIND) == []


def test_what_was_refused_is_told_as_that() -> None:
    (message,) = with_files([prompt(PICTURE)], SEES_ALL, CONTENTS, ["att_1"])
    assert "the provider refused it" in message["content"]


def test_texts_leave_the_place_of_pictures_alone() -> None:
    texts = [prompt({**TEXT, "id": f"att_t{number}", "size": 9}) for number in range(MAX_FILES_SHOWN)]
    assert "att_1" in choose_files([prompt(PICTURE), *texts], SEES_ALL)


def encoded(content: bytes) -> str:
    return base64.b64encode(content).decode()
