from django.apps import AppConfig


class SiteConfig(AppConfig):
    """The site itself: system checks. Loaded only where people are served or commands are typed."""

    name = "agentsite"
    label = "agentsite"

    def ready(self) -> None:
        from agentsite import checks  # noqa: F401 - registers the checks
