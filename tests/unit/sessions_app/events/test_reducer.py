"""Clients apply events as upserts by id."""

import copy
from typing import Any

import pytest

from sessions_app.events.reducer import COLLECTIONS, READ_APART, SINGLES, apply_event
from sessions_app.events.schema import EVENT_VIEWS, SnapshotView


def empty() -> dict[str, Any]:
    fields = SnapshotView.model_fields.items()
    lists: dict[str, Any] = {name: [] for name, field in fields if str(field.annotation).startswith("list")}
    return {"seq": 0, "session": {"id": "ses_1", "last_seq": 0}, "workspace": {"id": "wsp_1"}, "can_act": True, **lists}


@pytest.mark.parametrize(("event_type", "collection"), COLLECTIONS.items())
def test_a_new_thing_is_added_and_a_known_one_replaced(event_type: str, collection: str) -> None:
    snapshot = empty()
    apply_event(snapshot, seq=1, event_type=event_type, data={"id": "x_1", "state": "old"})
    apply_event(snapshot, seq=2, event_type=event_type, data={"id": "x_2", "state": "other"})
    apply_event(snapshot, seq=3, event_type=event_type, data={"id": "x_1", "state": "new"})
    assert snapshot[collection] == [{"id": "x_1", "state": "new"}, {"id": "x_2", "state": "other"}]
    assert snapshot["seq"] == snapshot["session"]["last_seq"] == 3


@pytest.mark.parametrize(("event_type", "place"), SINGLES.items())
def test_session_and_workspace_are_replaced(event_type: str, place: str) -> None:
    snapshot = empty()
    apply_event(snapshot, seq=7, event_type=event_type, data={"id": "new", "last_seq": 7})
    assert snapshot[place]["id"] == "new"
    assert snapshot["seq"] == 7


def test_the_list_of_todos_is_replaced_as_a_whole() -> None:
    snapshot = empty()
    apply_event(snapshot, seq=1, event_type="todos.updated", data={"todos": [{"content": "a"}]})
    apply_event(snapshot, seq=2, event_type="todos.updated", data={"todos": [{"content": "b"}]})
    assert snapshot["todos"] == [{"content": "b"}]


def test_what_is_removed_is_gone_with_its_parts() -> None:
    snapshot = empty()
    for number in (1, 2):
        apply_event(snapshot, seq=number, event_type="message.updated", data={"id": f"msg_{number}"})
        apply_event(snapshot, seq=number, event_type="part.updated", data={"id": f"prt_{number}"})
    gone = {"message_ids": ["msg_1"], "part_ids": ["prt_1"]}
    apply_event(snapshot, seq=3, event_type="messages.removed", data=gone)
    assert snapshot["messages"] == [{"id": "msg_2"}]
    assert snapshot["parts"] == [{"id": "prt_2"}]


def test_an_event_applied_twice_changes_nothing_more() -> None:
    once = empty()
    apply_event(once, seq=1, event_type="turn.updated", data={"id": "trn_1"})
    twice = copy.deepcopy(once)
    apply_event(twice, seq=1, event_type="turn.updated", data={"id": "trn_1"})
    assert once == twice


def test_a_type_that_is_not_known_yet_only_moves_the_cursor() -> None:
    snapshot, before = empty(), empty()
    apply_event(snapshot, seq=5, event_type="presence.updated", data={"id": "x"})
    assert snapshot.pop("seq") == 5
    assert snapshot["session"].pop("last_seq") == 5
    del before["seq"], before["session"]["last_seq"]
    assert snapshot == before


def test_every_event_of_the_schema_is_understood() -> None:
    others = {"todos.updated", "calls.pruned", "messages.reverted", "messages.removed"} | READ_APART
    assert set(COLLECTIONS) | set(SINGLES) | others == set(EVENT_VIEWS)
