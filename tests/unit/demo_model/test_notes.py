"""The demo model answers requests for summaries."""

from typing import Any

from deploy.demo_model.app import plan_reply
from deploy.demo_model.summary import MAX_LINES
from sessions_app.agent.built_in import COMPACTION, SUMMARY, TITLE
from sessions_app.agent.compaction import summary_request
from sessions_app.agent.context import StoredCall, StoredMessage


def request(system: str, text: str) -> dict[str, Any]:
    return {"messages": [{"role": "system", "content": system}, {"role": "user", "content": text}]}


def test_notes_hold_what_was_asked_said_and_done() -> None:
    messages = [
        StoredMessage("user", ["fix the failing test"]),
        StoredMessage("assistant", ["I read it."], [StoredCall("1", "read", "{}", "x")]),
    ]
    text = plan_reply(request(COMPACTION.prompt, summary_request(messages, earlier="Old.", budget=9000))).text
    for part in ("Old.", "- fix the failing test", "- I read it.", "- read was used 1 times"):
        assert part in text


def test_notes_stay_short() -> None:
    messages = [StoredMessage("user", [f"task {number}"]) for number in range(500)]
    text = plan_reply(request(COMPACTION.prompt, summary_request(messages, earlier="", budget=90_000))).text
    assert len(text.splitlines()) == MAX_LINES + 1


def test_summaries_are_told_from_titles() -> None:
    summary = plan_reply(
        request(SUMMARY.prompt, summary_request([StoredMessage("user", ["make tea"])], earlier="", budget=900))
    )
    assert "make tea" in summary.text
    assert plan_reply(request(TITLE.prompt, "make tea please")).text == "Make tea please"
