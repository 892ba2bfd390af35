"""Wake-ups for workers. Losing one, or sending it twice, is harmless: `recover` sends again what should be running."""

import uuid
from contextlib import suppress
from typing import Any, Final

import structlog
from celery import current_app
from django.core.cache import cache
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

PLACE_QUEUE: Final = "sandbox.place"
AGENT_QUEUE: Final = "agent"
BEAT_QUEUE: Final = "beat"
SCHEDULE: Final = {
    "recover": {"task": "sessions.recover", "schedule": 5.0, "options": {"queue": BEAT_QUEUE, "expires": 5.0}},
    "mail-waiting": {
        "task": "sessions.mail_waiting",
        "schedule": 30.0,
        "options": {"queue": BEAT_QUEUE, "expires": 30.0},
    },
    "tend-nodes": {"task": "sessions.tend_nodes", "schedule": 60.0, "options": {"queue": BEAT_QUEUE, "expires": 60.0}},
}
LONGEST_QUEUE: Final = 1000  # wake-ups that wait for a worker; with more, `recover` adds none
CHILD_NEWS_EVERY: Final = 0.5  # seconds between two looks at a sub-agent that works
CHILD_NEWS_LOST: Final = 5  # seconds after which news that got lost are sent again with the next
ARCHIVE_WAITS: Final = 55  # seconds; less than the time between two sweeps
logger = structlog.get_logger(__name__)


def has_room(queue: str) -> bool:
    """Whether sending again makes sense. A queue that nobody empties would otherwise grow with every `recover`, until
    the broker's memory is full. True when the broker cannot tell: a wake-up too many is harmless."""
    return _backlog(queue) < LONGEST_QUEUE


def _backlog(queue: str) -> int:
    """Asked on a connection of its own: those of the pool may be in any state, and recovery must not depend on it."""
    try:
        with current_app.connection_for_read() as connection, connection.channel() as channel:
            return int(channel.client.llen(queue))
    except (OSError, OperationalError, RedisError):
        return 0


def sandbox_queue(node: str) -> str:
    """The queue of a workspace's node; one that has no node yet goes to whichever node takes it first."""
    return f"sandbox.{node}" if node else PLACE_QUEUE


def enqueue_turn(turn_id: uuid.UUID, *, delay: float = 0.0) -> None:
    _send("sessions.advance_turn", str(turn_id), queue=AGENT_QUEUE, delay=delay)


def enqueue_resume_stopped(team_id: uuid.UUID) -> None:
    """A budget or a price of the team has changed: what was stopped asks again."""
    _send("sessions.resume_stopped", str(team_id), queue=BEAT_QUEUE)


def enqueue_title(session_id: uuid.UUID) -> None:
    _send("sessions.write_title", str(session_id), queue=AGENT_QUEUE)


def enqueue_summary(session_id: uuid.UUID, *, payer_id: uuid.UUID) -> None:
    _send("sessions.write_summary", str(session_id), str(payer_id), queue=AGENT_QUEUE)


def enqueue_call(call_id: uuid.UUID, *, node: str, delay: float = 0.0) -> None:
    _send("sessions.execute_tool_call", str(call_id), queue=sandbox_queue(node), delay=delay)


def enqueue_end_call(call_id: uuid.UUID, *, node: str) -> None:
    _send("sessions.end_tool_call", str(call_id), queue=sandbox_queue(node))


def enqueue_workspace(workspace_id: uuid.UUID, *, node: str, delay: float = 0.0) -> None:
    _send("sessions.prepare_workspace", str(workspace_id), queue=sandbox_queue(node), delay=delay)


def enqueue_change_workspace(workspace_id: uuid.UUID, *, node: str, change: dict[str, Any]) -> None:
    """`change` as `tasks.changing.change_workspace` reads it."""
    _send("sessions.change_workspace", str(workspace_id), change, queue=sandbox_queue(node))


def enqueue_workspace_query(workspace_id: uuid.UUID, *, node: str, question: dict[str, Any], reply_to: str) -> None:
    _send("sessions.answer_workspace_query", str(workspace_id), question, reply_to, queue=sandbox_queue(node))


def enqueue_node_query(node: str, *, question: dict[str, Any], reply_to: str) -> None:
    _send("sessions.answer_node_query", question, reply_to, queue=sandbox_queue(node))


def enqueue_archive(workspace_id: uuid.UUID, *, node: str, wanted: bool = False) -> None:
    """`wanted`: somebody asked for one, so it is made even if nothing changed or somebody works. Others are asked for
    once while one waits; what gets lost with that is found by `sweep_archives`."""
    if not node or (not wanted and not _is_first(f"archive:{workspace_id}", ARCHIVE_WAITS)):
        return
    _send("sessions.archive_workspace", str(workspace_id), wanted, queue=sandbox_queue(node))


def _is_first(key: str, seconds: float) -> bool:
    try:
        return bool(cache.add(key, 1, seconds))
    except (OSError, RedisError):
        return True


def _forget(key: str) -> None:
    with suppress(OSError, RedisError):
        cache.delete(key)


def forget_archive(workspace_id: uuid.UUID) -> None:
    """It does not wait any more: the next one may be asked for."""
    _forget(f"archive:{workspace_id}")


def enqueue_child_news(session_id: uuid.UUID, *, at_once: bool) -> None:
    """A sub-agent's session has changed: who waits for it shall see it. On the queue that no model call holds up.

    Most news can wait a moment and are told together; what a person must answer is told at once."""
    if at_once:
        _send("sessions.tell_parent", str(session_id), queue=BEAT_QUEUE)
    elif _is_first(f"child:{session_id}", CHILD_NEWS_LOST):
        _send("sessions.tell_parent", str(session_id), queue=BEAT_QUEUE, delay=CHILD_NEWS_EVERY)


def forget_child_news(session_id: uuid.UUID) -> None:
    """What changes from now on is news again."""
    _forget(f"child:{session_id}")


def enqueue_child_end(call_id: uuid.UUID) -> None:
    """The sub-agent that the call waits for has ended."""
    _send("sessions.follow_child", str(call_id), queue=BEAT_QUEUE)


def enqueue_put_away(workspace_id: uuid.UUID, *, node: str) -> None:
    _send("sessions.put_workspace_away", str(workspace_id), queue=sandbox_queue(node))


def enqueue_delete_workspace(workspace_id: uuid.UUID, *, node: str) -> None:
    _send("sessions.delete_workspace", str(workspace_id), queue=sandbox_queue(node))


def enqueue_tend_node(node: str) -> None:
    _send("sessions.tend_node", queue=sandbox_queue(node))


def enqueue_provider_check(provider_id: uuid.UUID, *, model: str, reply_to: str) -> None:
    _send("sessions.check_provider", str(provider_id), model, reply_to, queue=AGENT_QUEUE)


def _send(name: str, *args: Any, queue: str, delay: float = 0.0) -> None:
    try:
        current_app.send_task(name, args=args, queue=queue, countdown=delay or None, ignore_result=True)
    except (OSError, OperationalError, RedisError) as error:  # the rows say what is to be done; `recover` will see it
        logger.warning("enqueue_failed", task=name, queue=queue, error=repr(error))
