from django.apps import AppConfig


class SessionsConfig(AppConfig):
    name = "sessions_app"
    verbose_name = "Sessions"

    def ready(self) -> None:
        from agentsite.tenancy.revisions import watch
        from sessions_app import subscribers
        from sessions_app.models import Agent, Grant, Session, Workspace

        watch(Agent, "team_id", "project_id")
        watch(Grant, "session_id", "team_id", "project_id")
        watch(Session, "id", only=("rules", "inherited"))
        watch(Workspace, "id", only=("project_files", "project_agents", "skills"))
        subscribers.connect()
