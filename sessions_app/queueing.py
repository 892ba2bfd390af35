"""The tasks of sessions, their queues and their schedule.

Losing a task, or sending it twice, is harmless: `recover` sends tasks again for work that should be running.
"""

import uuid
from contextlib import suppress
from typing import Any, Final

from celery import current_app
from django.core.cache import cache
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from agentsite.base.task_table import BEAT_QUEUE, task

PLACE_QUEUE: Final = "sandbox.place"
AGENT_QUEUE: Final = "agent"
DOOR_QUEUE: Final = "door"
SCHEDULE: Final = {
    "recover": {"task": "sessions.recover", "schedule": 5.0, "options": {"queue": BEAT_QUEUE, "expires": 5.0}},
    "mail-waiting": {
        "task": "sessions.mail_waiting",
        "schedule": 30.0,
        "options": {"queue": BEAT_QUEUE, "expires": 30.0},
    },
    "tend-nodes": {"task": "sessions.tend_nodes", "schedule": 60.0, "options": {"queue": BEAT_QUEUE, "expires": 60.0}},
}
MAX_QUEUE_LENGTH: Final = 1000  # wake-ups that wait for a worker; with more, `recover` adds none
PARENT_UPDATE_DELAY: Final = 0.5  # seconds for which updates are collected before the parent is updated
PARENT_UPDATE_TTL: Final = 5  # seconds after which an update that was lost no longer suppresses the next one
ARCHIVE_REQUEST_TTL: Final = 55  # seconds; less than the period of `site_housekeeping`


def has_room(queue: str) -> bool:
    """Return whether the queue is short enough for `recover` to send tasks again. Without this check, a queue without a
    worker would grow with every `recover` until the broker's memory is full. Returns True if the broker cannot be
    asked, because an additional task is harmless."""
    return _backlog(queue) < MAX_QUEUE_LENGTH


def _backlog(queue: str) -> int:
    """Return the length of the queue; 0 if the broker does not answer. Uses a new connection, because pooled
    connections may be broken, and recovery must not depend on them."""
    try:
        with current_app.connection_for_read() as connection, connection.channel() as channel:
            return int(channel.client.llen(queue))
    except (OSError, OperationalError, RedisError):
        return 0


def sandbox_queue(node: str) -> str:
    """Return the name of the node's queue. Without a node, return the queue that the workers of all nodes read."""
    return f"sandbox.{node}" if node else PLACE_QUEUE


@task("sessions.advance_turn", "sessions_app.workers.agent.step:advance", queue=AGENT_QUEUE)
def enqueue_turn(turn_id: uuid.UUID, *, delay: float = 0.0) -> None:
    """Enqueue the next step of a turn."""


@task("sessions.write_title", "sessions_app.workers.agent.titles:write_title", queue=AGENT_QUEUE)
def enqueue_title(session_id: uuid.UUID) -> None:
    """Enqueue the task that generates a session's title from the first message."""


@task("sessions.write_summary", "sessions_app.workers.agent.titles:write_summary", queue=AGENT_QUEUE)
def enqueue_summary(session_id: uuid.UUID, *, payer_id: uuid.UUID) -> None:
    """Enqueue the task that writes a summary of the session, billed to this person."""


@task("sessions.write_draft", "sessions_app.workers.agent.drafts:answer_draft", queue=AGENT_QUEUE)
def enqueue_draft(session_id: uuid.UUID, *, payer_id: uuid.UUID, text: str, until: float, reply_to: str) -> None:
    """Enqueue the task in which the agent `draft` answers `text` and sends its answer to the channel `reply_to`. Nobody
    waits for the answer after the time `until`."""


@task("sessions.check_provider", "sessions_app.workers.agent.provider_check:answer_check", queue=AGENT_QUEUE)
def enqueue_provider_check(provider_id: uuid.UUID, *, model: str, reply_to: str) -> None:
    """Enqueue a check of a provider of models, whose report is sent to the channel `reply_to`."""


@task("sessions.find_provider_models", "sessions_app.workers.agent.model_finder:answer_find", queue=AGENT_QUEUE)
def enqueue_model_search(provider_id: uuid.UUID, *, reply_to: str) -> None:
    """Enqueue the task that asks a provider for its models and sends them to the channel `reply_to`."""


@task("sessions.sign_in_at_provider", "sessions_app.workers.agent.provider_sign_in:answer_sign_in", queue=AGENT_QUEUE)
def enqueue_sign_in(provider_id: uuid.UUID, *, begin: bool, actor_id: uuid.UUID, reply_to: str) -> None:
    """Enqueue a step of the sign-in at a provider of models (`begin` or continue it), whose result is sent to the
    channel `reply_to`."""


@task("tenancy.send_webhook", "sessions_app.webhooks.sending:send_webhook", queue=AGENT_QUEUE)
def enqueue_webhook(webhook_id: uuid.UUID) -> None:
    """Enqueue the sending of a webhook's due deliveries. The task is on the queue of the agent worker, because only
    that worker can decrypt the secrets of webhooks. The worker sends in separate threads, so that a slow receiver does
    not delay turns."""


@task("sessions.send_push", "sessions_app.push.sending:send_push", queue=AGENT_QUEUE)
def enqueue_push(notice_id: uuid.UUID) -> None:
    """Enqueue the sending of a push notice. The task is on the queue of the agent worker, because only that worker can
    decrypt the keys. The worker sends in a thread of its own."""


@task("sessions.answer_forge_query", "sessions_app.workers.door.forge_queries:answer_query", queue=DOOR_QUEUE)
def enqueue_forge_query(*, question: dict[str, Any], reply_to: str) -> None:
    """Enqueue a `ForgeQuestion`, whose answer is sent to the channel `reply_to`. Any door process can answer it."""


@task("sessions.read_checks", "sessions_app.workers.door.checks:read_checks", queue=DOOR_QUEUE)
def enqueue_checks(pull_request_id: uuid.UUID) -> None:
    """Enqueue a task that reads the state and the checks of a pull request from its forge."""


@task("sessions.answer_mcp_query", "sessions_app.workers.door.mcp_queries:answer_query", queue=DOOR_QUEUE)
def enqueue_mcp_query(*, question: dict[str, Any], reply_to: str) -> None:
    """Enqueue a `RemoteQuestion`, whose answer is sent to the channel `reply_to` if one is given. Any door process can
    answer it."""


@task("sessions.answer_mcp_sign_in", "sessions_app.workers.door.mcp_sign_in:answer_query", queue=DOOR_QUEUE)
def enqueue_mcp_sign_in(*, question: dict[str, Any], reply_to: str) -> None:
    """Enqueue a `SignInQuestion`, whose answer is sent to the channel `reply_to`. Any door process can answer it."""


@task("sessions.fetch_skills", "sessions_app.workers.door.fetched_skills:refresh_skills", queue=DOOR_QUEUE)
def enqueue_skill_addresses(configuration_id: uuid.UUID) -> None:
    """Enqueue the download of skills from the addresses in a configuration document."""


@task("sessions.read_defaults", "sessions_app.workers.door.defaults:refresh_defaults", queue=DOOR_QUEUE)
def enqueue_defaults(configuration_id: uuid.UUID) -> None:
    """Enqueue a download of the default configuration from the address in the settings of the site or a team."""


@task("sessions.read_model_table", "sessions_app.workers.door.model_table:refresh_table", queue=DOOR_QUEUE)
def enqueue_model_table() -> None:
    """Enqueue reading the table of models from litellm's address."""


@task("sessions.revoke_mcp_tokens", "sessions_app.workers.door.mcp_sign_in:revoke_due", queue=DOOR_QUEUE)
def enqueue_mcp_revocations() -> None:
    """Enqueue the revocation of the tokens of MCP accounts that were disconnected from this site."""


@task("sessions.execute_tool_call", "sessions_app.workers.sandbox.execution:execute_call", queue=sandbox_queue)
def enqueue_call(call_id: uuid.UUID, *, node: str, delay: float = 0.0) -> None:
    """Enqueue the execution of a tool call on the node."""


@task("sessions.execute_tool_calls", "sessions_app.workers.sandbox.execution:execute_answer", queue=sandbox_queue)
def enqueue_calls(message_id: uuid.UUID, *, node: str) -> None:
    """Enqueue the execution of an answer's tool calls on the node, so that they run in parallel."""


@task("sessions.apply_revert", "sessions_app.workers.sandbox.reverts:apply_revert", queue=sandbox_queue)
def enqueue_revert(revert_id: uuid.UUID, *, node: str) -> None:
    """Enqueue applying a pending revert in its workspace."""


@task("sessions.end_tool_call", "sessions_app.workers.sandbox.workspace_setup:end_call", queue=sandbox_queue)
def enqueue_end_call(call_id: uuid.UUID, *, node: str) -> None:
    """Enqueue a task that ends the processes of a call that a person stopped."""


@task("sessions.prepare_workspace", "sessions_app.workers.sandbox.workspace_setup:prepare", queue=sandbox_queue)
def enqueue_workspace(workspace_id: uuid.UUID, *, node: str, delay: float = 0.0) -> None:
    """Enqueue a task that starts the workspace's container and puts the project's files in place."""


@task(
    "sessions.change_workspace", "sessions_app.workers.sandbox.container_orders:change_workspace", queue=sandbox_queue
)
def enqueue_change_workspace(workspace_id: uuid.UUID, *, node: str, change: dict[str, Any]) -> None:
    """Enqueue a change of the workspace's container. `change` is described in `container_orders.change_workspace`."""


@task(
    "sessions.answer_workspace_query",
    "sessions_app.workers.sandbox.workspace_queries:answer_query",
    queue=sandbox_queue,
)
def enqueue_workspace_query(workspace_id: uuid.UUID, *, node: str, question: dict[str, Any], reply_to: str) -> None:
    """Enqueue a `WorkspaceQuestion`, whose answer is sent to the channel `reply_to`."""


@task("sessions.answer_node_query", "sessions_app.workers.sandbox.node_queries:answer_query", queue=sandbox_queue)
def enqueue_node_query(node: str, *, question: dict[str, Any], reply_to: str) -> None:
    """Enqueue a `NodeQuestion`, whose answer is sent to the channel `reply_to`."""


@task("sessions.refresh_mcp_servers", "sessions_app.workers.sandbox.mcp_servers:refresh", queue=sandbox_queue)
def enqueue_mcp_refresh(workspace_id: uuid.UUID, *, node: str) -> None:
    """Enqueue a task that starts new and changed local MCP servers of a running workspace, and stores their tools."""


@task("sessions.put_workspace_away", "sessions_app.workers.sandbox.workspace_deletion:deactivate", queue=sandbox_queue)
def enqueue_deactivation(workspace_id: uuid.UUID, *, node: str) -> None:
    """Enqueue a task that stops the container of a deactivated workspace."""


@task("sessions.delete_workspace", "sessions_app.workers.sandbox.workspace_deletion:delete", queue=sandbox_queue)
def enqueue_delete_workspace(workspace_id: uuid.UUID, *, node: str) -> None:
    """Enqueue a task that deletes a workspace: its container, files, archives and row."""


@task("sessions.check_upload", "sessions_app.workers.sandbox.uploads:check_upload", queue=sandbox_queue)
def enqueue_upload_check(upload_id: uuid.UUID, *, node: str) -> None:
    """Enqueue a task that unpacks an upload in a container of its own and stores the result."""


@task("sessions.delete_upload", "sessions_app.workers.sandbox.uploads:delete_upload", queue=sandbox_queue)
def enqueue_delete_upload(upload_id: uuid.UUID, *, node: str) -> None:
    """Enqueue deleting an upload with its files."""


@task("sessions.tend_node", "sessions_app.tasks:node_housekeeping", queue=sandbox_queue)
def enqueue_node_housekeeping(node: str) -> None:
    """Enqueue a node's housekeeping: remove leftovers, stop idle workspaces and update the workspace rows."""


@task("sessions.archive_workspace", "sessions_app.workers.sandbox.archives:archive", queue=sandbox_queue)
def _archive_workspace(workspace_id: uuid.UUID, *, node: str, wanted: bool) -> None:
    """Enqueue creating an archive of the workspace's files."""


@task("sessions.tell_parent", "sessions_app.tasks:update_parent_call", queue=BEAT_QUEUE)
def _update_parent_call(session_id: uuid.UUID, *, delay: float = 0.0) -> None:
    """Enqueue an update of the call that waits for this sub-agent's session."""


@task("sessions.follow_child", "sessions_app.actions.sub_agents:follow_child", queue=BEAT_QUEUE)
def enqueue_child_end(call_id: uuid.UUID) -> None:
    """Enqueue a task that ends a call, because the call's sub-agent has ended."""


@task("sessions.resume_stopped", "sessions_app.actions.budget_stops:resume_team", queue=BEAT_QUEUE)
def enqueue_resume_stopped(team_id: uuid.UUID) -> None:
    """Enqueue a new check of the team's blocked turns, because a budget or a price has changed."""


@task("sessions.tend_nodes", "sessions_app.tasks:site_housekeeping", queue=BEAT_QUEUE)
def site_housekeeping() -> None:
    """Enqueue the periodic housekeeping of the site, which also enqueues the housekeeping of every node."""


@task("sessions.recover", "sessions_app.tasks:recover", queue=BEAT_QUEUE)
def recover() -> None:
    """Enqueue the recovery task, which enqueues all work of the site again that should be running but is not."""


@task("sessions.mail_waiting", "sessions_app.tasks:send_reminders", queue=BEAT_QUEUE)
def send_reminders() -> None:
    """Enqueue a task that sends e-mails and push notices about waiting requests and questions, and about other events
    that people have chosen."""


def enqueue_archive(workspace_id: uuid.UUID, *, node: str, wanted: bool = False) -> None:
    """Enqueue an archive of the workspace's files.

    With `wanted` (a person requested it), the archive is created even if nothing has changed or somebody is working.
    Otherwise nothing is enqueued while a request for an archive of this workspace waits; `enqueue_missed_archives`
    repeats requests that were lost.
    """
    if not node or (not wanted and not is_first(f"archive:{workspace_id}", ARCHIVE_REQUEST_TTL)):
        return
    _archive_workspace(workspace_id, node=node, wanted=wanted)


def is_first(key: str, seconds: float) -> bool:
    """Return whether this is the first call with the key in the last `seconds`. True if Valkey does not answer."""
    try:
        return bool(cache.add(key, 1, seconds))
    except (OSError, RedisError):
        return True


def _forget(key: str) -> None:
    with suppress(OSError, RedisError):
        cache.delete(key)


def forget_archive_request(workspace_id: uuid.UUID) -> None:
    """Allow the workspace's next archive request to be enqueued. Called when the enqueued request starts, because until
    then further requests are dropped."""
    _forget(f"archive:{workspace_id}")


def enqueue_parent_update(session_id: uuid.UUID, *, at_once: bool) -> None:
    """Enqueue an update of the call that waits for this sub-agent's session, on the beat queue, where no model call can
    delay it.

    With `at_once`, which is for permission requests and questions, the update is sent immediately. Other updates are
    collected for `PARENT_UPDATE_DELAY`.
    """
    if at_once:
        _update_parent_call(session_id)
    elif is_first(f"child:{session_id}", PARENT_UPDATE_TTL):
        _update_parent_call(session_id, delay=PARENT_UPDATE_DELAY)


def forget_parent_update(session_id: uuid.UUID) -> None:
    """Let the next change of a sub-agent's session enqueue another update of its parent session. Called when the
    enqueued update has started."""
    _forget(f"child:{session_id}")
