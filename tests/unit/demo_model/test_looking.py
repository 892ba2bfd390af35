"""The demo model measures the bytes of attached files, and describes the files in its reply."""

import base64
from typing import Any

import pytest

from deploy.demo_model import attachments
from deploy.demo_model.conversation import read_conversation
from deploy.demo_model.planner import next_reply
from deploy.demo_model.wire import Reply, usage
from sessions_app.agent.attachment_parts import with_files
from sessions_app.agent.context import StoredCall, StoredMessage, chat_messages
from sessions_app.llm.port import TOOL_FILES_PREFIX
from tests.support import pictures
from tools_app.spec import ModelTraits

PICTURE = {"id": "att_1", "name": "shot.png", "media_type": "image/png", "size": 9}
PDF = {"id": "att_2", "name": "plan.pdf", "media_type": "application/pdf", "size": 9}
TEXT = {"id": "att_3", "name": "notes.txt", "media_type": "text/plain", "size": 9}
CONTENTS = {"att_1": pictures.png(640, 480), "att_2": pictures.pdf(), "att_3": b"one\ntwo\n"}
SEES = ModelTraits(sees_images=True, sees_pdf=True)
TOOLS = [{"type": "function", "function": {"name": "read"}}]


def reply(*stored: StoredMessage, model: ModelTraits = SEES) -> Reply:
    """Return the demo model's reply to a conversation in the chat format that the site sends to models."""
    messages = with_files(chat_messages(stored), model, CONTENTS)
    return next_reply(read_conversation({"messages": messages, "tools": TOOLS}))


@pytest.mark.parametrize("words", ["", "What is in this picture?", "Look at it", "Blah blah"])
def test_it_says_which_files_came_with_the_prompt(words: str) -> None:
    said = reply(StoredMessage("user", [words], files=[PICTURE, PDF, TEXT])).text
    size = len(CONTENTS["att_1"])
    assert f"`shot.png`: image/png, 640 x 480 pixels, {size} bytes" in said
    assert "`plan.pdf`: application/pdf, " in said
    assert "`notes.txt`: text, 2 lines" in said


def test_it_says_what_it_was_not_shown() -> None:
    said = reply(StoredMessage("user", ["Look"], files=[PICTURE]), model=ModelTraits()).text
    assert "picture shot.png (image/png, 9 bytes): this site told me about it, but did not show it to me" in said


def test_an_instruction_beside_a_file_is_followed() -> None:
    made = reply(StoredMessage("user", ["read notes.txt"], files=[PICTURE]))
    assert [call.name for call in made.calls] == ["read"]


def test_it_says_which_file_a_call_brought() -> None:
    call = StoredCall("1", "read", '{"filePath": "shot.png"}', "shot.png is attached (image/png).", [PICTURE])
    said = reply(StoredMessage("user", ["read shot.png"]), StoredMessage("assistant", [], [call]))
    assert said.calls == ()
    assert "640 x 480" in said.text


def test_files_of_an_earlier_prompt_are_not_told_again() -> None:
    earlier = StoredMessage("user", ["Look"], files=[PICTURE])
    assert "640" not in reply(earlier, StoredMessage("assistant", ["I see."]), StoredMessage("user", ["thanks"])).text


@pytest.mark.parametrize("url", [None, "", "http://example.org/a.png", "data:image/png;base64,@@@", "data:,x"])
def test_what_cannot_be_measured_is_said(url: Any) -> None:
    message = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}
    assert "cannot recognise" in next_reply(read_conversation({"messages": [message]})).text


def test_a_picture_does_not_count_its_bytes_as_words() -> None:
    data = base64.b64encode(bytes(3_000_000)).decode()
    part = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}
    body = {"messages": [{"role": "user", "content": [part]}]}
    assert 1000 <= usage(body, Reply("ok"))["prompt_tokens"] < 1100


def test_it_knows_the_words_that_bring_files_of_tools() -> None:
    assert attachments.TOOL_FILES_PREFIX == TOOL_FILES_PREFIX
