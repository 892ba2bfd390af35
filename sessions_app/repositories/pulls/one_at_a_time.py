"""Let only one request at a time open the pull request of a branch.

The door asks whether the forge has a pull request before it opens one. Of two requests at once, neither would find one,
and not every forge refuses to open the second. The lock is in the site's cache, so all doors see it. The holder extends
it regularly, so the lock of a killed door expires soon, and the next request then finds the pull request that the
killed one opened.
"""

import asyncio
import hashlib
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

from django.core.cache import cache
from redis.exceptions import RedisError

from sessions_app.repositories.forges.port import ForgeError

KEPT: Final = 8.0  # seconds without an extension
EXTENDED_EVERY: Final = 2.0  # seconds
PAUSE: Final = 0.1  # seconds between attempts
TIMEOUT_SECONDS: Final = 20.0  # a request is answered within 40
LONGEST: Final = 30.0  # seconds for the work itself
BUSY: Final = "The pull request of {branch} is being opened or updated by somebody else just now."
AGAIN: Final = "Try again in a moment."


@asynccontextmanager
async def one_at_a_time(clone_url: str, branch: str) -> AsyncIterator[None]:
    """Wait until no other request works on the pull request of a branch, and hold the lock during the block. Raises
    ForgeError."""
    key = "pull-request:" + hashlib.sha256(f"{clone_url}\0{branch}".encode()).hexdigest()
    owner = uuid.uuid4().hex
    await _take(key, owner, branch)
    extending = asyncio.create_task(_extend(key))
    try:
        async with asyncio.timeout(LONGEST):
            yield
    except TimeoutError:
        raise ForgeError("address", "The forge takes too long to answer.", AGAIN) from None
    finally:
        extending.cancel()
        with suppress(OSError, RedisError):
            if await cache.aget(key) == owner:
                await cache.adelete(key)


async def _take(key: str, owner: str, branch: str) -> None:
    deadline = time.monotonic() + TIMEOUT_SECONDS
    try:
        while not await cache.aadd(key, owner, KEPT):
            if time.monotonic() > deadline:
                raise ForgeError("busy", BUSY.format(branch=branch), AGAIN)
            await asyncio.sleep(PAUSE)
    except (OSError, RedisError):
        raise ForgeError("busy", "The site's cache does not answer just now.", AGAIN) from None


async def _extend(key: str) -> None:
    while True:
        await asyncio.sleep(EXTENDED_EVERY)
        with suppress(OSError, RedisError):
            await cache.atouch(key, KEPT)
