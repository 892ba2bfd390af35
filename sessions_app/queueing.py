"""The table of tasks: the name of each, the function that does the work, and how to wake a worker for it.

Losing a wake-up, or sending it twice, is harmless: `recover` sends again what should be running.
"""

import uuid
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from inspect import Parameter, signature
from typing import Any, Final, Generic, ParamSpec

import structlog
from celery import current_app
from django.conf import settings
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
P = ParamSpec("P")
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


class Task(Generic[P]):
    """A task, declared by the signature of the call that wakes a worker for it.

    `node` and `delay` (seconds) say where and when; all other arguments travel, in order. Ids travel as text. The work
    gets `node` as the name of the node that works. Its module is imported when the task runs, because no process may
    import the work of another one."""

    def __init__(self, declared: Callable[P, None], name: str, work: str, queue: str | None) -> None:
        self.name, self.work = name, work
        self._queue = queue
        self._signature = signature(declared)
        self.sent: Final = [each for each in self._signature.parameters.values() if each.name not in ("node", "delay")]

    @property
    def is_for_node(self) -> bool:
        return self._queue is None

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> None:
        given = self._signature.bind(*args, **kwargs)
        given.apply_defaults()
        values = given.arguments
        queue = sandbox_queue(values["node"]) if self._queue is None else self._queue
        sent = (_to_wire(values[each.name]) for each in self.sent)
        _send(self.name, *sent, queue=queue, delay=values.get("delay", 0.0))

    def run(self, *received: Any) -> None:
        """Do the work. A message of an older release may lack the last arguments; they have defaults."""
        module, _, function = self.work.partition(":")
        values = [(each, _from_wire(each, value)) for each, value in zip(self.sent, received, strict=False)]
        named = {each.name: value for each, value in values if each.kind is Parameter.KEYWORD_ONLY}
        if self.is_for_node:
            named["node"] = settings.NODE_NAME
        unnamed = [value for each, value in values if each.kind is not Parameter.KEYWORD_ONLY]
        getattr(import_module(module), function)(*unnamed, **named)


TASKS: Final[dict[str, Task[...]]] = {}


def _task(name: str, work: str, *, queue: str | None = None) -> Callable[[Callable[P, None]], Task[P]]:
    """Declare a task; without `queue` it goes to the queue of its `node`."""

    def declare(declared: Callable[P, None]) -> Task[P]:
        task = Task(declared, name, work, queue)
        TASKS[name] = task
        return task

    return declare


def _to_wire(value: Any) -> Any:
    return str(value) if isinstance(value, uuid.UUID) else value


def _from_wire(declared: Parameter, value: Any) -> Any:
    return uuid.UUID(value) if declared.annotation is uuid.UUID else value


@_task("sessions.advance_turn", "sessions_app.workers.agent.step:advance", queue=AGENT_QUEUE)
def enqueue_turn(turn_id: uuid.UUID, *, delay: float = 0.0) -> None:
    """Run the turn's next step."""


@_task("sessions.write_title", "sessions_app.workers.agent.titles:write_title", queue=AGENT_QUEUE)
def enqueue_title(session_id: uuid.UUID) -> None:
    """Name a session after its first message."""


@_task("sessions.write_summary", "sessions_app.workers.agent.titles:write_summary", queue=AGENT_QUEUE)
def enqueue_summary(session_id: uuid.UUID, *, payer_id: uuid.UUID) -> None:
    """Write the summary of a session, billed to the payer."""


@_task("sessions.check_provider", "sessions_app.workers.agent.provider_check:answer_check", queue=AGENT_QUEUE)
def enqueue_provider_check(provider_id: uuid.UUID, *, model: str, reply_to: str) -> None:
    """Check a provider and send the report to the channel `reply_to`."""


@_task("tenancy.send_webhook", "sessions_app.webhooks.sending:send_webhook", queue=AGENT_QUEUE)
def send_webhook(webhook_id: uuid.UUID) -> None:
    """Send what is due. Woken by tenancy, done here: sending is the work of what lies above tenancy."""


@_task("sessions.execute_tool_call", "sessions_app.workers.sandbox.tool_call:execute")
def enqueue_call(call_id: uuid.UUID, *, node: str, delay: float = 0.0) -> None:
    """Execute a tool call."""


@_task("sessions.end_tool_call", "sessions_app.workers.sandbox.workspace_setup:end_call")
def enqueue_end_call(call_id: uuid.UUID, *, node: str) -> None:
    """End the processes of a call that a person stopped."""


@_task("sessions.prepare_workspace", "sessions_app.workers.sandbox.workspace_setup:prepare")
def enqueue_workspace(workspace_id: uuid.UUID, *, node: str, delay: float = 0.0) -> None:
    """Start the container, and put the files in place."""


@_task("sessions.change_workspace", "sessions_app.workers.sandbox.container_orders:change_workspace")
def enqueue_change_workspace(workspace_id: uuid.UUID, *, node: str, change: dict[str, Any]) -> None:
    """Carry out a `change` as `container_orders` reads it."""


@_task("sessions.answer_workspace_query", "sessions_app.workers.sandbox.workspace_queries:answer_query")
def enqueue_workspace_query(workspace_id: uuid.UUID, *, node: str, question: dict[str, Any], reply_to: str) -> None:
    """Answer a `WorkspaceQuestion` to the channel `reply_to`."""


@_task("sessions.answer_node_query", "sessions_app.workers.sandbox.node_queries:answer_query")
def enqueue_node_query(node: str, *, question: dict[str, Any], reply_to: str) -> None:
    """Answer a `NodeQuestion` to the channel `reply_to`."""


@_task("sessions.put_workspace_away", "sessions_app.workers.sandbox.workspace_deletion:put_away")
def enqueue_put_away(workspace_id: uuid.UUID, *, node: str) -> None:
    """Stop the container of a workspace that is deactivated."""


@_task("sessions.delete_workspace", "sessions_app.workers.sandbox.workspace_deletion:delete")
def enqueue_delete_workspace(workspace_id: uuid.UUID, *, node: str) -> None:
    """Delete the container, the files, the archives and the row."""


@_task("sessions.tend_node", "sessions_app.tasks:tend_node")
def enqueue_tend_node(node: str) -> None:
    """Tidy up the node."""


@_task("sessions.archive_workspace", "sessions_app.workers.sandbox.archives:archive")
def _archive_workspace(workspace_id: uuid.UUID, *, node: str, wanted: bool) -> None:
    """Make an archive."""


@_task("sessions.tell_parent", "sessions_app.tasks:tell_parent", queue=BEAT_QUEUE)
def _tell_parent(session_id: uuid.UUID, *, delay: float = 0.0) -> None:
    """Bring a sub-agent's news to the call that waits for it."""


@_task("sessions.follow_child", "sessions_app.actions.sub_agents:follow_child", queue=BEAT_QUEUE)
def enqueue_child_end(call_id: uuid.UUID) -> None:
    """End the call whose sub-agent has ended."""


@_task("sessions.resume_stopped", "sessions_app.actions.budget_stops:resume_team", queue=BEAT_QUEUE)
def enqueue_resume_stopped(team_id: uuid.UUID) -> None:
    """Resume what was stopped: a budget or a price of the team has changed."""


@_task("sessions.tend_nodes", "sessions_app.tasks:tend_nodes", queue=BEAT_QUEUE)
def tend_nodes() -> None:
    """Have every node tidy up."""


@_task("sessions.recover", "sessions_app.tasks:recover", queue=BEAT_QUEUE)
def recover() -> None:
    """Wake whatever should be running."""


@_task("sessions.mail_waiting", "sessions_app.tasks:mail_waiting", queue=BEAT_QUEUE)
def mail_waiting() -> None:
    """Remind people of what waits for them."""


def enqueue_archive(workspace_id: uuid.UUID, *, node: str, wanted: bool = False) -> None:
    """`wanted`: somebody asked for one, so it is made even if nothing changed or somebody works. Others are asked for
    once while one waits; what gets lost with that is found by `sweep_archives`."""
    if not node or (not wanted and not _is_first(f"archive:{workspace_id}", ARCHIVE_WAITS)):
        return
    _archive_workspace(workspace_id, node=node, wanted=wanted)


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
        _tell_parent(session_id)
    elif _is_first(f"child:{session_id}", CHILD_NEWS_LOST):
        _tell_parent(session_id, delay=CHILD_NEWS_EVERY)


def forget_child_news(session_id: uuid.UUID) -> None:
    """What changes from now on is news again."""
    _forget(f"child:{session_id}")


def _send(name: str, *args: Any, queue: str, delay: float = 0.0) -> None:
    try:
        current_app.send_task(name, args=args, queue=queue, countdown=delay or None, ignore_result=True)
    except (OSError, OperationalError, RedisError) as error:  # the rows say what is to be done; `recover` will see it
        logger.warning("enqueue_failed", task=name, queue=queue, error=repr(error))
