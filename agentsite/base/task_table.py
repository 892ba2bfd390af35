"""The table of Celery tasks: for each task its name, the function that does the work, and the function that enqueues
the task.

Losing a task, or delivering it twice, is harmless: rows in the database say what has to be done, and periodic tasks
enqueue lost tasks again.
"""

import uuid
from collections.abc import Callable
from importlib import import_module
from inspect import Parameter, signature
from typing import Any, Final, Generic, ParamSpec

import structlog
from celery import current_app, shared_task
from django.conf import settings
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

BEAT_QUEUE: Final = "beat"
P = ParamSpec("P")
logger = structlog.get_logger(__name__)


class Task(Generic[P]):
    """A Celery task. Calling this object with the declared arguments enqueues the task.

    `queue` is a name, or a function that returns the name for a `node`. The arguments `node` and `delay` (seconds) say
    where and when the task runs; all other arguments are sent, in order, with ids as text. If the function that does
    the work has a parameter `node`, it gets the name of the node on which it runs. The module of that function is
    imported when the task runs, because a process must not import code that only other processes may run.
    """

    def __init__(self, declared: Callable[P, None], name: str, work: str, queue: str | Callable[[str], str]) -> None:
        self.name, self.work = name, work
        self._queue = queue
        self._signature = signature(declared)
        self.sent: Final = [each for each in self._signature.parameters.values() if each.name not in ("node", "delay")]

    @property
    def is_for_node(self) -> bool:
        return callable(self._queue)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> None:
        given = self._signature.bind(*args, **kwargs)
        given.apply_defaults()
        values = given.arguments
        queue = self._queue(values["node"]) if callable(self._queue) else self._queue
        sent = (_to_wire(values[each.name]) for each in self.sent)
        _send(self.name, *sent, queue=queue, delay=values.get("delay", 0.0))

    def run(self, *received: Any) -> None:
        """Run the task's function. A message from an older release may lack the last arguments; the function has
        defaults for these."""
        module, _, function = self.work.partition(":")
        values = [(each, _from_wire(each, value)) for each, value in zip(self.sent, received, strict=False)]
        named = {each.name: value for each, value in values if each.kind is Parameter.KEYWORD_ONLY}
        if self.is_for_node:
            named["node"] = settings.NODE_NAME
        unnamed = [value for each, value in values if each.kind is not Parameter.KEYWORD_ONLY]
        getattr(import_module(module), function)(*unnamed, **named)


TASKS: Final[dict[str, Task[...]]] = {}


def task(name: str, work: str, *, queue: str | Callable[[str], str]) -> Callable[[Callable[P, None]], Task[P]]:
    """Declare a task and register it with Celery. `work` is the function that does the work, as "module:function"."""

    def declare(declared: Callable[P, None]) -> Task[P]:
        declared_task = Task(declared, name, work, queue)

        def run(*received: Any) -> None:
            declared_task.run(*received)

        shared_task(name=name)(run)
        TASKS[name] = declared_task
        return declared_task

    return declare


def _to_wire(value: Any) -> Any:
    return str(value) if isinstance(value, uuid.UUID) else value


def _from_wire(declared: Parameter, value: Any) -> Any:
    return uuid.UUID(value) if declared.annotation is uuid.UUID else value


def _send(name: str, *args: Any, queue: str, delay: float = 0.0) -> None:
    try:
        current_app.send_task(name, args=args, queue=queue, countdown=delay or None, ignore_result=True)
    except (OSError, OperationalError, RedisError) as error:  # periodic tasks enqueue it again
        logger.warning("enqueue_failed", task=name, queue=queue, error=repr(error))
