"""Register the tasks of `queueing` with Celery. All may be delivered twice, or never."""

import uuid
from typing import Any

from celery import shared_task
from django.utils import timezone

from sessions_app.queueing import TASKS, Task, enqueue_tend_node, forget_child_news, has_room, sandbox_queue
from sessions_app.workers import warm_up  # noqa: F401 - connects a signal


def _register(task: Task[...]) -> None:
    def run(*received: Any) -> None:
        task.run(*received)

    shared_task(name=task.name)(run)


for _task in TASKS.values():
    _register(_task)


def tell_parent(session_id: uuid.UUID) -> None:
    from sessions_app.actions.sub_agents import follow_session

    forget_child_news(session_id)
    follow_session(session_id)


def tend_node(*, node: str) -> None:
    from sessions_app.workers.sandbox.housekeeping import tend
    from sessions_app.workers.sandbox.node_heartbeat import tidy_held

    tend(node)
    tidy_held(node)


def tend_nodes() -> None:
    """Have every node that lives or holds workspaces tidy up; have archives made and what is over deleted."""
    from sessions_app.actions.archives import sweep_archives
    from sessions_app.actions.attachments import sweep_attachments
    from sessions_app.actions.deletion import sweep_ended
    from sessions_app.actions.nodes import names_of_nodes
    from sessions_app.actions.workspace_deletion import sweep_removed
    from sessions_app.webhooks.deliveries import sweep_deliveries

    now = timezone.now()
    sweep_deliveries(now)
    sweep_archives(now)
    sweep_removed(now)
    sweep_ended(now)
    sweep_attachments(now)
    for node in names_of_nodes(now):
        if has_room(sandbox_queue(node)):
            enqueue_tend_node(node)


def recover() -> None:
    from sessions_app.actions.recover import recover as recover_now

    recover_now(timezone.now())


def mail_waiting() -> None:
    from sessions_app.actions.reminders import mail_waiting as mail_now

    mail_now(timezone.now())
