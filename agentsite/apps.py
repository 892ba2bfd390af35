from django.apps import AppConfig
from django.conf import settings

from agentsite.base.environment import ProcessRole

_SERVER_ROLES = (ProcessRole.WEB, ProcessRole.AGENT, ProcessRole.SANDBOX, ProcessRole.BEAT, ProcessRole.DOOR)


class SiteConfig(AppConfig):
    """The site's Django app. It registers the Celery application and checks the settings at startup."""

    name = "agentsite"
    label = "agentsite"

    def ready(self) -> None:
        from agentsite import celery  # noqa: F401 - sets the default Celery application, which sends all tasks
        from agentsite.checks import refuse_unsafe_settings

        if settings.ROLE in _SERVER_ROLES:
            refuse_unsafe_settings()
