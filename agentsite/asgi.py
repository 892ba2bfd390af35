"""The ASGI application: HTTP requests go to the static files, the MCP server or Django, WebSockets to Channels if their
origin is allowed."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agentsite.settings")

import django
from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter
from django.conf import settings
from django.urls import resolve

django.setup(set_prefix=False)

from agentsite.base.environment import ProcessRole
from agentsite.base.garbage import spare_loaded
from agentsite.http.body_limit import BodyLimit
from agentsite.http.built_files import BuiltFiles
from agentsite.http.handler import RequestHandler
from agentsite.mcp_server.application import McpServer
from sessions_app.transport.ws.origin import OriginGuard
from sessions_app.transport.ws.routing import websocket_urlpatterns

application = ProtocolTypeRouter(
    {
        "http": BodyLimit(BuiltFiles(McpServer(RequestHandler()))),
        "websocket": OriginGuard(AuthMiddlewareStack(URLRouter(websocket_urlpatterns))),
    }
)

if settings.ROLE is ProcessRole.WEB:  # not in a test, which imports this module late
    resolve("/api/v1/me")  # loads all routes
    spare_loaded()
