"""The Celery tasks: each loads an id and calls one function. All may be delivered twice, or never."""

import uuid
from typing import Any

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from sessions_app.workers import warm_up  # noqa: F401 - connects a signal


@shared_task(name="sessions.advance_turn")
def advance_turn(turn_id: str) -> None:
    from sessions_app.workers.agent.step import advance

    advance(uuid.UUID(turn_id))


@shared_task(name="sessions.write_title")
def write_title(session_id: str) -> None:
    from sessions_app.workers.agent import titles

    titles.write_title(uuid.UUID(session_id))


@shared_task(name="sessions.write_summary")
def write_summary(session_id: str, payer_id: str = "") -> None:
    from sessions_app.workers.agent import titles

    titles.write_summary(uuid.UUID(session_id), payer_id=uuid.UUID(payer_id) if payer_id else None)


@shared_task(name="sessions.check_provider")
def check_provider(provider_id: str, model: str, reply_to: str) -> None:
    from sessions_app.workers.agent.provider_check import answer_check

    answer_check(uuid.UUID(provider_id), model, reply_to)


@shared_task(name="sessions.tell_parent")
def tell_parent(session_id: str) -> None:
    from sessions_app.actions.sub_agents import follow_session
    from sessions_app.queueing import forget_child_news

    forget_child_news(uuid.UUID(session_id))
    follow_session(uuid.UUID(session_id))


@shared_task(name="sessions.follow_child")
def follow_child(call_id: str) -> None:
    from sessions_app.actions.sub_agents import follow_child as follow_now

    follow_now(uuid.UUID(call_id))


@shared_task(name="sessions.execute_tool_call")
def execute_tool_call(call_id: str) -> None:
    from sessions_app.workers.sandbox.tool_call import execute

    execute(uuid.UUID(call_id), node=settings.NODE_NAME)


@shared_task(name="sessions.end_tool_call")
def end_tool_call(call_id: str) -> None:
    from sessions_app.workers.sandbox.workspace_setup import end_call

    end_call(uuid.UUID(call_id), node=settings.NODE_NAME)


@shared_task(name="sessions.prepare_workspace")
def prepare_workspace(workspace_id: str) -> None:
    from sessions_app.workers.sandbox.workspace_setup import prepare

    prepare(uuid.UUID(workspace_id), node=settings.NODE_NAME)


@shared_task(name="sessions.change_workspace")
def change_workspace(workspace_id: str, change: dict[str, Any]) -> None:
    from sessions_app.workers.sandbox.container_orders import change_workspace as change_now

    change_now(uuid.UUID(workspace_id), change, node=settings.NODE_NAME)


@shared_task(name="sessions.answer_workspace_query")
def answer_workspace_query(workspace_id: str, question: dict[str, Any], reply_to: str) -> None:
    from sessions_app.workers.sandbox.workspace_queries import answer_query

    answer_query(uuid.UUID(workspace_id), question, reply_to, node=settings.NODE_NAME)


@shared_task(name="sessions.answer_node_query")
def answer_node_query(question: dict[str, Any], reply_to: str) -> None:
    from sessions_app.workers.sandbox.node_queries import answer_query

    answer_query(question, reply_to)


@shared_task(name="sessions.archive_workspace")
def archive_workspace(workspace_id: str, wanted: bool) -> None:
    from sessions_app.workers.sandbox.archives import archive

    archive(uuid.UUID(workspace_id), wanted=wanted, node=settings.NODE_NAME)


@shared_task(name="sessions.put_workspace_away")
def put_workspace_away(workspace_id: str) -> None:
    from sessions_app.workers.sandbox.workspace_deletion import put_away

    put_away(uuid.UUID(workspace_id), node=settings.NODE_NAME)


@shared_task(name="sessions.delete_workspace")
def delete_workspace(workspace_id: str) -> None:
    from sessions_app.workers.sandbox.workspace_deletion import delete

    delete(uuid.UUID(workspace_id), node=settings.NODE_NAME)


@shared_task(name="sessions.tend_node")
def tend_node() -> None:
    from sessions_app.workers.sandbox.housekeeping import tend
    from sessions_app.workers.sandbox.node_heartbeat import tidy_held

    tend(settings.NODE_NAME)
    tidy_held(settings.NODE_NAME)


@shared_task(name="sessions.tend_nodes")
def tend_nodes() -> None:
    """Have every node that lives or holds workspaces tidy up; have archives made and what is over deleted."""
    from sessions_app.actions.archives import sweep_archives
    from sessions_app.actions.attachments import sweep_attachments
    from sessions_app.actions.deletion import sweep_ended
    from sessions_app.actions.nodes import names_of_nodes
    from sessions_app.actions.workspace_deletion import sweep_removed
    from sessions_app.queueing import enqueue_tend_node, has_room, sandbox_queue
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


@shared_task(name="sessions.resume_stopped")
def resume_stopped(team_id: str) -> None:
    from sessions_app.actions.budget_stops import resume_team

    resume_team(uuid.UUID(team_id))


@shared_task(name="tenancy.send_webhook")
def send_webhook(webhook_id: str) -> None:
    """Here and not in tenancy, because sending is the work of what lies above it."""
    from sessions_app.webhooks.sending import send_webhook as send_now

    send_now(uuid.UUID(webhook_id))


@shared_task(name="sessions.recover")
def recover() -> None:
    from sessions_app.actions.recover import recover as recover_now

    recover_now(timezone.now())


@shared_task(name="sessions.mail_waiting")
def mail_waiting() -> None:
    from sessions_app.actions.reminders import mail_waiting as mail_now

    mail_now(timezone.now())
