"""The Django app of the tools and their permissions."""

from django.apps import AppConfig


class ToolsAppConfig(AppConfig):
    name = "tools_app"
    verbose_name = "Tools and permissions"

    def ready(self) -> None:
        from agentsite.tenancy.revisions import watch
        from tools_app.models import PolicyVersion

        watch(PolicyVersion, "team_id", "project_id")
