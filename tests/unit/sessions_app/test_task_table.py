"""The table of background tasks: each task's function exists and accepts the arguments that are sent to it."""

import uuid
from importlib import import_module
from inspect import Parameter, signature
from typing import Any

import pytest
from celery import current_app

from agentsite.base import task_table
from agentsite.base.task_table import TASKS, Task
from agentsite.tenancy import queueing as tenancy_queueing
from sessions_app import queueing

ID = uuid.UUID("018f0000-0000-7000-8000-000000000001")


def work_of(task: Task[...]) -> Any:
    module, _, function = task.work.partition(":")
    return getattr(import_module(module), function)


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_the_work_takes_what_is_sent(task: Task[...]) -> None:
    """The function of each task accepts the arguments that are sent. Celery cannot check this, because a task contains
    only the name of its function."""
    wanted = signature(work_of(task))
    named = {each.name: each for each in task.sent if each.kind is Parameter.KEYWORD_ONLY}
    unnamed = [each for each in task.sent if each.kind is not Parameter.KEYWORD_ONLY]
    bound = wanted.bind(*unnamed, **named, **({"node": None} if task.is_for_node else {}))
    for name, sent in bound.arguments.items():
        taken = wanted.parameters[name].annotation
        assert sent is None or sent.annotation is Any or sent.annotation == taken or _is_wider(taken, sent.annotation)


def _is_wider(taken: Any, sent: Any) -> bool:
    """Return whether a parameter accepts more than the sent type: an optional id, or a generic type such as a
    mapping."""
    return taken == sent | None or getattr(taken, "__origin__", None) is not None


def test_every_task_is_registered_with_celery() -> None:
    assert set(TASKS) <= set(current_app.tasks)
    scheduled = {**queueing.SCHEDULE, **tenancy_queueing.SCHEDULE}
    assert {entry["task"] for entry in scheduled.values()} <= set(TASKS)


@pytest.mark.parametrize(
    ("wake", "message"),
    [
        (lambda: queueing.enqueue_turn(ID, delay=2), ("sessions.advance_turn", (str(ID),), "agent", 2)),
        (
            lambda: queueing.enqueue_summary(ID, payer_id=ID),
            ("sessions.write_summary", (str(ID), str(ID)), "agent", 0),
        ),
        (lambda: queueing.enqueue_call(ID, node="a"), ("sessions.execute_tool_call", (str(ID),), "sandbox.a", 0)),
        (lambda: queueing.enqueue_call(ID, node=""), ("sessions.execute_tool_call", (str(ID),), "sandbox.place", 0)),
        (
            lambda: queueing.enqueue_workspace_query(ID, node="a", question={"kind": "usage"}, reply_to="r"),
            ("sessions.answer_workspace_query", (str(ID), {"kind": "usage"}, "r"), "sandbox.a", 0),
        ),
        (
            lambda: queueing.enqueue_node_query("a", question={"kind": "list"}, reply_to="r"),
            ("sessions.answer_node_query", ({"kind": "list"}, "r"), "sandbox.a", 0),
        ),
        (
            lambda: queueing.enqueue_provider_check(ID, model="m", reply_to="r"),
            ("sessions.check_provider", (str(ID), "m", "r"), "agent", 0),
        ),
        (
            lambda: queueing.enqueue_archive(ID, node="a", wanted=True),
            ("sessions.archive_workspace", (str(ID), True), "sandbox.a", 0),
        ),
        (
            lambda: queueing.enqueue_parent_update(ID, at_once=True),
            ("sessions.tell_parent", (str(ID),), "beat", 0),
        ),
        (lambda: queueing.enqueue_node_housekeeping("a"), ("sessions.tend_node", (), "sandbox.a", 0)),
        (lambda: queueing.enqueue_webhook(ID), ("tenancy.send_webhook", (str(ID),), "agent", 0)),
        (lambda: tenancy_queueing.enqueue_mail(ID), ("tenancy.send_mail", (str(ID),), "mail", 0)),
    ],
)
def test_a_message_is_as_it_was_in_earlier_releases(
    monkeypatch: pytest.MonkeyPatch, wake: Any, message: tuple[Any, ...]
) -> None:
    sent = []
    monkeypatch.setattr(
        task_table, "_send", lambda name, *args, queue, delay=0.0: sent.append((name, args, queue, delay))
    )
    wake()
    assert sent == [message]


def test_a_message_without_its_last_argument_still_works(monkeypatch: pytest.MonkeyPatch) -> None:
    """A message of an earlier release, which lacks the person to bill, still works."""
    from sessions_app.workers.agent import titles

    seen = []
    monkeypatch.setattr(titles, "write_summary", lambda *args, **kwargs: seen.append((args, kwargs)))
    TASKS["sessions.write_summary"].run(str(ID))
    assert seen == [((ID,), {})]
