from typing import Any

import pytest

from tools_app.browser.console import MAX_CHARACTERS, MAX_LINES, ConsoleLog, add_call, add_entry, add_exception


def test_calls_and_errors_are_told_with_their_place() -> None:
    log = ConsoleLog()
    frames = {"callFrames": [{"url": "http://localhost:1/a.js", "lineNumber": 6}]}
    preview = {"properties": [{"name": "id", "value": "1"}]}
    values = [
        {"type": "string", "value": "hi"},
        {"type": "boolean", "value": True},
        {"type": "object", "preview": preview},
    ]
    add_call(log, {"type": "warning", "args": values, "stackTrace": frames})
    error = {"subtype": "error", "description": "TypeError: x\n    at f (a.js:1)", "preview": preview}
    add_exception(log, {"exceptionDetails": {"text": "Uncaught", "exception": error}})
    add_entry(log, {"entry": {"source": "network", "level": "error", "text": "said elsewhere"}})
    add_entry(log, {"entry": {"source": "security", "level": "error", "text": "Refused by policy"}})

    assert log.lines() == [
        "[warning] hi true {id: 1} (http://localhost:1/a.js:7)",
        "[error] Uncaught TypeError: x | at f (a.js:1)",
        "[error] Refused by policy",
    ]
    assert log.errors == 2


def test_a_flood_keeps_the_newest_lines_and_says_how_many_are_missing() -> None:
    log = ConsoleLog()
    for number in range(MAX_LINES + 5):
        log.add("log", f"{number} " + "x" * 5_000)
    lines = log.lines()
    assert lines[0] == "(5 earlier lines are not kept.)"
    assert len(lines) == MAX_LINES + 1
    assert max(map(len, lines)) < MAX_CHARACTERS + 20


@pytest.mark.parametrize(
    "event", [{}, {"args": "x"}, {"args": [3], "stackTrace": 1}, {"exceptionDetails": [], "entry": 2}]
)
def test_malformed_events_are_no_error(event: dict[str, Any]) -> None:
    log = ConsoleLog()
    for add in (add_call, add_exception, add_entry):
        add(log, event)
    assert len(log.lines()) == 3
