from django.apps import AppConfig


class SessionsConfig(AppConfig):
    name = "sessions_app"
    verbose_name = "Sessions"

    def ready(self) -> None:
        from agentsite.tenancy.revisions import watch, watch_own
        from sessions_app import revisions, subscribers
        from sessions_app.models import Agent, Grant, ProjectRepository, Session, Variable, Workspace

        watch(Agent, "team_id", "project_id")
        watch(Grant, "session_id", "team_id", "project_id")
        watch(Variable, "team_id", "project_id", "person_id")
        watch(ProjectRepository, "project_id")
        watch_own(Session, revisions.SESSION_COLUMNS)
        watch_own(Workspace, revisions.WORKSPACE_COLUMNS)
        subscribers.connect()
