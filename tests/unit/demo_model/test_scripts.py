"""The demo model's server selects a script for each request, and a step of this script."""

from typing import Any

import pytest

from deploy.demo_model.scripts import ScriptBook, ScriptError, script_key


def body(*messages: tuple[str, str], model: str = "demo", tools: bool = True) -> dict[str, Any]:
    offered = [{"type": "function", "function": {"name": "read"}}] if tools else []
    return {"model": model, "messages": [{"role": role, "content": text} for role, text in messages], "tools": offered}


def book(**script: Any) -> ScriptBook:
    made = ScriptBook()
    made.put({"key": "k", "steps": [{"text": "one"}, {"text": "two"}], **script})
    return made


def texts(scripts: ScriptBook, *bodies: dict[str, Any]) -> list[str]:
    found = [scripts.find(one, {}) for one in bodies]
    return [script.take_step(one)[1].text for script, one in zip(found, bodies, strict=True) if script]


ASKED = body(("user", "do it [script:k]"))
ANSWERED = body(("user", "do it [script:k]"), ("assistant", "one"), ("tool", "result"))


@pytest.mark.parametrize(
    ("request_body", "headers", "key"),
    [
        (body(("user", "hi"), model="script/k"), {}, "k"),
        (ASKED, {}, "k"),
        (body(("user", "hi")), {"x-demo-script": "k"}, "k"),
        (body(("user", "[script:a]"), ("user", "[script:b]")), {}, "b"),
        (body(("user", "hi")), {}, ""),
        (body(("assistant", "[script:k]")), {}, ""),
        (body(("system", "Write a title."), ("user", "[script:k]"), tools=False), {}, ""),
    ],
)
def test_header_model_and_marker_name_a_script(request_body: dict[str, Any], headers: dict[str, str], key: str) -> None:
    assert script_key(request_body, headers) == key


def test_by_request_each_request_takes_the_next_step() -> None:
    assert texts(book(), ASKED, ASKED) == ["one", "two"]


def test_by_conversation_a_repeated_request_gets_the_same_step() -> None:
    assert texts(book(by="conversation"), ASKED, ASKED, ANSWERED) == ["one", "one", "two"]


def test_a_loop_begins_again() -> None:
    assert texts(book(loop=True), ASKED, ASKED, ASKED) == ["one", "two", "one"]


def test_a_script_without_steps_left_says_so() -> None:
    with pytest.raises(ScriptError, match="no step 3"):
        texts(book(), ASKED, ASKED, ASKED)


def test_an_unknown_script_says_so() -> None:
    with pytest.raises(ScriptError, match="no script 'other'"):
        book().find(body(("user", "[script:other]")), {})


@pytest.mark.parametrize(
    "script",
    [
        {},
        {"key": "k"},
        {"key": "k", "steps": []},
        {"key": "k", "steps": [{"txt": "typo"}]},
        {"key": "k", "steps": [{"fault": "meteor"}]},
        {"key": "k", "steps": [{}], "by": "moon"},
        {"key": "k", "steps": ["text"]},
    ],
)
def test_a_script_with_a_mistake_is_refused(script: dict[str, Any]) -> None:
    with pytest.raises(ScriptError):
        ScriptBook().put(script)
