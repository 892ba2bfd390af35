"""Pushes that a person has approved with a button, kept until the door has carried out the pushes.

Approvals are kept in the cache for a short time. If one is lost, the push is refused, and the person presses the button
again.
"""

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from typing import Final

from django.core.cache import cache
from redis.exceptions import RedisError

from tools_app.network.git.judging import DecidedPush

KEPT_SECONDS: Final = 150


@contextmanager
def decided_push(workspace_id: uuid.UUID, push: DecidedPush) -> Iterator[None]:
    """Make the door accept exactly the push `push` of the workspace while the block runs, because a person decided it.
    Rules that deny the push still apply."""
    try:
        with suppress(OSError, RedisError):
            cache.set(_key(workspace_id), asdict(push), KEPT_SECONDS)
        yield
    finally:
        with suppress(OSError, RedisError):
            cache.delete(_key(workspace_id))


def decided_pushes(workspace_id: uuid.UUID) -> Sequence[DecidedPush]:
    """Return the push that a person has just approved, if there is one."""
    try:
        found = cache.get(_key(workspace_id))
    except (OSError, RedisError):
        return ()
    return (DecidedPush(**found),) if found else ()


def _key(workspace_id: uuid.UUID) -> str:
    return f"push:{workspace_id}"
