"""Run the door of this node: `python -m sessions_app.workers.door`, with AGENTSITE_ROLE=door."""

import asyncio
import resource
import signal
from contextlib import suppress

import django


async def _serve_until_terminated() -> None:
    from django.conf import settings

    from sessions_app.workers.door.serving import serve
    from sessions_app.workers.door.tasks import DoorTasks

    DoorTasks(f"door@{settings.NODE_NAME}").start()
    serving = asyncio.create_task(serve(settings.WORKSPACES_DIR))
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, serving.cancel)
    await serving


def main() -> None:
    django.setup()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with suppress(asyncio.CancelledError):
        asyncio.run(_serve_until_terminated())


if __name__ == "__main__":
    main()
