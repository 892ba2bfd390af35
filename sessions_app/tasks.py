"""Functions that Celery tasks of `queueing` call, unless they are in a module of their own. A task may be delivered
twice or never."""

import uuid

from django.utils import timezone

from sessions_app.queueing import enqueue_node_housekeeping, forget_parent_update, has_room, sandbox_queue
from sessions_app.workers import warm_up  # noqa: F401 - connects a signal in the workers, which import this module


def update_parent_call(session_id: uuid.UUID) -> None:
    from sessions_app.actions.sub_agents import follow_session

    forget_parent_update(session_id)
    follow_session(session_id)


def node_housekeeping(*, node: str) -> None:
    from sessions_app.workers.sandbox.housekeeping import run_housekeeping
    from sessions_app.workers.sandbox.node_heartbeat import remove_moved_workspaces

    run_housekeeping(node)
    remove_moved_workspaces(node)


def site_housekeeping() -> None:
    """Delete expired data of the site. Enqueue tasks for work that is due: missed archives, deletions of workspaces,
    revocations of MCP tokens, downloads of default configurations and skills, and the housekeeping of every node that
    is alive or holds workspaces."""
    from sessions_app.actions.archives import enqueue_missed_archives
    from sessions_app.actions.attachments import delete_expired_attachments
    from sessions_app.actions.defaults import enqueue_due_defaults
    from sessions_app.actions.deletion import delete_due_projects_and_teams
    from sessions_app.actions.fetched_skills import enqueue_due_skills
    from sessions_app.actions.nodes import names_of_nodes
    from sessions_app.actions.workspace_deletion import enqueue_due_deletions
    from sessions_app.mcp.accounts import tend_sign_ins
    from sessions_app.push.deliveries import delete_old_notices
    from sessions_app.uploads.actions import delete_expired_uploads
    from sessions_app.webhooks.deliveries import delete_old_deliveries

    now = timezone.now()
    delete_old_deliveries(now)
    delete_old_notices(now)
    enqueue_missed_archives(now)
    enqueue_due_deletions(now)
    delete_due_projects_and_teams(now)
    delete_expired_attachments(now)
    delete_expired_uploads(now)
    tend_sign_ins(now)
    enqueue_due_defaults(now)
    enqueue_due_skills(now)
    for node in names_of_nodes(now):
        if has_room(sandbox_queue(node)):
            enqueue_node_housekeeping(node)


def recover() -> None:
    from sessions_app.actions.recover import recover as recover_now

    recover_now(timezone.now())


def send_reminders() -> None:
    from sessions_app.actions.reminders import send_reminders as send_reminders_now

    send_reminders_now(timezone.now())
