"""How the demo model is served: starlette on uvicorn, both already there, together 0.25 s and 14 MB more than
a bare asyncio loop; an HTTP parser of our own would save less than it costs."""

import uvicorn

from deploy.demo_model.app import DemoModel


def make_server(model: DemoModel, *, host: str = "127.0.0.1", port: int = 0) -> uvicorn.Server:
    """Connections are kept for longer than any client keeps them, so that none is closed under a request."""
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
