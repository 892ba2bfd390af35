"""Choose the agent of sessions for which nobody chose one, after the files of their workspace have been read.

A new session gets the default agent at once. If its workspace or its folder is new, the files that can define another
default are read later, before the first step.
"""

from sessions_app.agents import default_agent, effective_agents
from sessions_app.events import views
from sessions_app.events.log import session_write
from sessions_app.models import Message, Session, Turn, Workspace


def choose_default_agents(workspace: Workspace) -> None:
    """Set the agent of sessions to their default agent, which the workspace's files may have changed: sessions in the
    workspace without a finished step and for which nobody chose an agent."""
    rows = Session.objects.filter(workspace=workspace, agent_by_default=True, parent=None)
    for session in rows.select_related("project", "workspace"):
        agent = default_agent(session, effective_agents(session))
        if agent and agent != session.agent:
            _change_agent(session, agent)


def _change_agent(session: Session, agent: str) -> None:
    """Change the session's agent to the default agent, unless somebody has chosen an agent or the session has finished
    a step."""
    with session_write(session.pk) as write:
        has_worked = Turn.objects.filter(session=write.session, step_count__gt=0).exists()
        if not write.session.agent_by_default or has_worked:
            return
        write.session.agent = agent
        write.session_changed()
        for message in Message.objects.filter(session=write.session):
            message.agent = agent
            message.save(update_fields=["agent"])
            write.emit("message.updated", views.message(message))
