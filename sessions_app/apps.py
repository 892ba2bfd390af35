from django.apps import AppConfig


class SessionsConfig(AppConfig):
    name = "sessions_app"
    verbose_name = "Sessions"

    def ready(self) -> None:
        from django.conf import settings

        from agentsite.tenancy.revisions import watch, watch_own
        from sessions_app import revisions, subscribers
        from sessions_app.llm.prices import use_kept_file
        from sessions_app.models import (
            Agent,
            Configuration,
            Grant,
            McpServer,
            McpServerState,
            MemoryNote,
            ProjectRepository,
            Session,
            SkillPackage,
            Variable,
            Workspace,
        )
        from sessions_app.toolset import project_catalogue
        from tools_app.project_catalogue import use_project_catalogue

        watch(Agent, "team_id", "project_id")
        watch(Configuration, "team_id", "project_id", "person_id")
        watch(Grant, "session_id", "team_id", "project_id")
        watch(McpServer, "workspace_id", "person_id", "team_id", "project_id")
        watch(McpServerState, "workspace_id", "person_id", "team_id")
        watch(MemoryNote, "project_id")
        watch(SkillPackage, "team_id", "project_id", "person_id")
        watch(Variable, "team_id", "project_id", "person_id")
        watch(ProjectRepository, "project_id")
        watch_own(Session, revisions.SESSION_COLUMNS)
        watch_own(Workspace, revisions.WORKSPACE_COLUMNS)
        use_project_catalogue(project_catalogue)
        use_kept_file(settings.MODEL_TABLE_FILE)
        subscribers.connect()
