from django.apps import AppConfig
from django.conf import settings


class TenancyConfig(AppConfig):
    name = "agentsite.tenancy"
    label = "tenancy"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        if settings.SERVES_PEOPLE:
            from agentsite.tenancy.accounts import following, log

            log.connect()
            following.connect()
