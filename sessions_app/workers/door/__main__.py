"""Run the door of this node: `python -m sessions_app.workers.door`, with AGENTSITE_ROLE=door."""

import asyncio
import resource
import signal
from contextlib import suppress
from typing import Final

import django

TASKS_DELAY: Final = 1.0
"""Seconds after its start after which the door also runs tasks, such as requests to forges: connections that already
wait come first."""


async def _serve_until_terminated() -> None:
    from django.conf import settings

    from sessions_app.workers.door.serving import serve
    from sessions_app.workers.door.tasks import DoorTasks

    loop = asyncio.get_running_loop()
    serving = asyncio.create_task(serve(settings.WORKSPACES_DIR))
    loop.call_later(TASKS_DELAY, DoorTasks(f"door@{settings.NODE_NAME}").start)
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, serving.cancel)
    await serving


def main() -> None:
    django.setup()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with suppress(asyncio.CancelledError):
        asyncio.run(_serve_until_terminated())


if __name__ == "__main__":
    main()
