"""The URL routes of the WebSockets."""

from typing import Any, cast

from django.urls import path, re_path

from sessions_app.transport.ws.base import NOT_FOUND
from sessions_app.transport.ws.me_consumer import MeConsumer
from sessions_app.transport.ws.session_consumer import SessionConsumer
from sessions_app.transport.ws.terminal_consumer import TerminalConsumer


async def close_unknown(_scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Close a WebSocket whose address does not exist, with the same code as for a session that does not exist."""
    await receive()
    await send({"type": "websocket.accept"})
    await send({"type": "websocket.close", "code": NOT_FOUND})


websocket_urlpatterns = [
    path("ws/sessions/<str:session_id>", SessionConsumer.as_asgi()),
    path("ws/sessions/<str:session_id>/terminals/<str:terminal_id>", TerminalConsumer.as_asgi()),
    path("ws/me", MeConsumer.as_asgi()),
    re_path("", cast("Any", close_unknown)),  # Django expects a view
]
