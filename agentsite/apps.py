from django.apps import AppConfig
from django.conf import settings

from agentsite.base.environment import ProcessRole

_SERVING = (ProcessRole.WEB, ProcessRole.AGENT, ProcessRole.SANDBOX, ProcessRole.BEAT)


class SiteConfig(AppConfig):
    """The site itself: what it refuses to start with."""

    name = "agentsite"
    label = "agentsite"

    def ready(self) -> None:
        from agentsite import celery  # noqa: F401 - whoever sends a task sends it with our application
        from agentsite.checks import refuse_unsafe_settings

        if settings.ROLE in _SERVING:
            refuse_unsafe_settings()
