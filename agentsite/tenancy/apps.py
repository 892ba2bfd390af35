from django.apps import AppConfig
from django.conf import settings
from django.db.models.signals import post_migrate


class TenancyConfig(AppConfig):
    name = "agentsite.tenancy"
    label = "tenancy"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from agentsite.tenancy import revisions
        from agentsite.tenancy.models import ModelChoice, Provider

        revisions.watch(ModelChoice, "team_id", "project_id")
        revisions.watch(Provider, "team_id")
        post_migrate.connect(revisions.create_triggers, sender=self, dispatch_uid="tenancy.revisions")
        if settings.LOADS_WEB_APPS:
            from agentsite.tenancy.accounts import audit_receivers, signal_receivers

            audit_receivers.connect()
            signal_receivers.connect()
