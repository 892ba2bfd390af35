from django.urls import path

from sessions_app.transport.ws.me_consumer import MeConsumer
from sessions_app.transport.ws.session_consumer import SessionConsumer

websocket_urlpatterns = [
    path("ws/sessions/<str:session_id>", SessionConsumer.as_asgi()),
    path("ws/me", MeConsumer.as_asgi()),
]
