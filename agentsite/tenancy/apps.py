from django.apps import AppConfig
from django.conf import settings


class TenancyConfig(AppConfig):
    name = "agentsite.tenancy"
    label = "tenancy"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        if settings.LOADS_WEB_APPS:
            from agentsite.tenancy.accounts import audit_receivers, signal_receivers

            audit_receivers.connect()
            signal_receivers.connect()
