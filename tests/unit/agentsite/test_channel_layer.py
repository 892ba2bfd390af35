from typing import Any

from channels_redis.core import RedisChannelLayer
from django.conf import settings

CONFIG: Any = settings.CHANNEL_LAYERS["default"]["CONFIG"]


def test_an_idle_socket_outlives_the_layers_own_wait_for_news() -> None:
    assert CONFIG["hosts"][0]["socket_timeout"] > RedisChannelLayer.brpop_timeout


def test_a_busy_turn_does_not_overflow_a_reader() -> None:
    assert CONFIG["capacity"] >= 2000
