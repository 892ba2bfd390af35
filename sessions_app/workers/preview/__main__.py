"""Run the preview server: `python -m sessions_app.workers.preview`, with AGENTSITE_ROLE=preview."""

import asyncio
import signal
from contextlib import suppress

import django


async def _serve_until_terminated() -> None:
    from django.conf import settings

    from agentsite.base.preview_address import framing_origins
    from sessions_app.workers.preview.serving import PreviewServer

    server = PreviewServer(settings.PREVIEW_URL, framing_origins(settings.SITE_URL))
    serving = asyncio.create_task(server.serve(settings.SITE_HOST, settings.PREVIEW_PORT))
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, serving.cancel)
    await serving


def main() -> None:
    django.setup()
    with suppress(asyncio.CancelledError):
        asyncio.run(_serve_until_terminated())


if __name__ == "__main__":
    main()
