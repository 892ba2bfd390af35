"""The HTTP server of the demo model: Starlette on uvicorn.

Both are dependencies of the site anyway. Compared with a bare asyncio loop they add 0.25 s of startup and 14 MB of
memory.
"""

import uvicorn

from deploy.demo_model.app import DemoModel


def make_server(model: DemoModel, *, host: str = "127.0.0.1", port: int = 0) -> uvicorn.Server:
    """Return a uvicorn server for this demo model; the caller runs it.

    Idle connections stay open for 75 s, longer than clients keep them, so that none is closed during a request.
    """
    log_level = "critical" if model.control else "warning"
    config = uvicorn.Config(
        model.app(),
        host=host,
        port=port,
        http="h11",
        ws="none",
        lifespan="off",
        loop="asyncio",
        access_log=False,
        log_level=log_level,
        timeout_keep_alive=75,
        timeout_graceful_shutdown=1,
    )
    return uvicorn.Server(config)
