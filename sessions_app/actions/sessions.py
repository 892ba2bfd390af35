"""Create, change and delete sessions."""

import uuid
from collections.abc import Container, Mapping, Sequence
from copy import copy
from typing import Any

from django.db import transaction

from agentsite.base.errors import BadInput, Stale
from agentsite.http.etags import require_version, version_tag
from agentsite.tenancy.access import require
from agentsite.tenancy.actions.projects import require_usable_project
from agentsite.tenancy.models import Project, User
from agentsite.tenancy.roles import Act
from sessions_app.actions.configurations import session_document
from sessions_app.actions.workspaces import create_workspace, require_usable
from sessions_app.agent.definitions import AgentDefinition, selectable
from sessions_app.agent.merging import usable_agents
from sessions_app.agents import all_agents, default_agent, document_agents, effective_agents
from sessions_app.configuration.folders import MAX_FOLDERS, BadFolder, read_folder, with_parents
from sessions_app.events import views
from sessions_app.events.log import session_write
from sessions_app.model_endpoints import ModelNotOffered, chosen_model, efforts_of, model_for
from sessions_app.models import Message, Session, SharedWith, Turn, Workspace
from sessions_app.models.session import MAX_LABEL, MAX_LABELS, stored_labels
from sessions_app.policy import session_layers
from sessions_app.queueing import enqueue_summary, enqueue_workspace
from sessions_app.webhooks.outbox import queue_session_deleted
from tools_app.permission.layers import inherited_by_child


def create_session(
    *,
    actor: User,
    project: Project,
    title: str = "",
    agent: str = "",
    model: str = "",
    effort: str = "",
    workspace: Workspace | None = None,
    new_workspace: bool = False,
    ref: str = "",
    shared_with: str = SharedWith.TEAM,
    config: Mapping[str, Any] | None = None,
    folder: str = "",
) -> Session:
    """Create a session in the given workspace, a new one, or the project's first, and start the container. A private
    session is visible only to its starter, until they share it (`actions.audience`).

    With `ref`, a branch, tag or commit, the workspace is a new one that starts from it. Raises Stale if the project has
    no repository. `config` is a configuration document for this session alone. `folder` is the folder of the workspace
    that the session is about, "" for its root."""
    require(actor, Act.PROMPT, team_id=project.team_id)
    require_usable_project(project)
    if workspace is not None and ref.strip():
        raise BadInput(
            "An existing workspace has already started, so it cannot start from another branch.",
            fields={"ref": "only for a new workspace"},
        )
    rows = Workspace.objects.filter(project=project).exclude(state=Workspace.State.REMOVING).order_by("id")
    first = rows.first()
    configuration, folder = session_document(config), _checked_folder(folder)
    around = Session(
        project=project, workspace=workspace or first or Workspace(project=project), created_by=actor,
        configuration=configuration, folder=folder, model=model,
    )  # fmt: skip
    by_default, documents = not agent, document_agents(around)
    agents = usable_agents(all_agents(project=project, workspace=around.workspace, folder=folder, documents=documents))
    agent = agent or (config or {}).get("default_agent") or default_agent(around, agents)
    check_agent(agent, agents)
    if model:
        check_model(around, model)
    if effort:
        check_effort(around, effort, agents[agent])
    with transaction.atomic():
        if workspace is None and not new_workspace and not ref.strip():
            workspace = first
        workspace = workspace or create_workspace(actor=actor, project=project, ref=ref)
        require_usable(workspace)
        if folder:
            _add_folder(workspace, folder)
        row = Session.objects.create(
            project=project, workspace=workspace, title=title.strip()[:200], agent=agent, model=model, effort=effort,
            created_by=actor, shared_with=SharedWith(shared_with), configuration=configuration, folder=folder,
            agent_by_default=by_default,
        )  # fmt: skip
        _emit_created(row)
        node = workspace.node
        transaction.on_commit(lambda: enqueue_workspace(row.workspace_id, node=node))
    return row


def _checked_folder(text: str) -> str:
    try:
        return read_folder(text)
    except BadFolder as error:
        raise BadInput(str(error), fields={"folder": "is not a folder of a workspace"}) from error


def _add_folder(workspace: Workspace, folder: str) -> None:
    """Add a folder to the folders of a workspace whose configuration files are read.

    Raises BadInput if the workspace has too many such folders.
    """
    row = Workspace.objects.select_for_update().get(pk=workspace.pk)
    workspace.folders = sorted({*row.folders, *with_parents(folder)} - {""})
    if len(workspace.folders) > MAX_FOLDERS:
        raise BadInput(
            f"Sessions of one workspace can be opened in at most {MAX_FOLDERS} folders, counting those above them.",
            fields={"folder": "too many folders"},
            hint="Open the session in a new workspace.",
        )
    workspace.save(update_fields=["folders"])


def add_child_session(parent: Session, row: Session) -> None:
    """Save the new session `row` as a child of `parent`, with the parent's workspace, audience, limits and
    configuration. Reads `parent.project` and `parent.workspace`."""
    row.project, row.workspace, row.parent = parent.project, parent.workspace, parent
    row.depth = parent.depth + 1
    row.root_id, row.shared_with = parent.root_id or parent.pk, parent.shared_with
    row.inherited, row.configuration, row.folder = bounds_for_child(parent), parent.configuration, parent.folder
    row.save(force_insert=True)
    _emit_created(row)


def bounds_for_child(parent: Session) -> list[dict[str, Any]]:
    """Return the limits that `parent` passes to the sessions of its sub-agents, in the format of
    `Session.inherited`."""
    layers = inherited_by_child(*session_layers(parent))
    return [{"name": layer.name, "rules": [rule.as_dict() for rule in layer.rules]} for layer in layers]


def tighten_child(child: Session, parent: Session) -> None:
    """Add the current limits of the parent session to the child session, before a sub-agent continues its work."""
    fresh = [layer for layer in bounds_for_child(parent) if layer not in child.inherited]
    if fresh:
        child.inherited = [*child.inherited, *fresh]
        child.save(update_fields=["inherited"])


def version_of_session(session: Session) -> str:
    return version_tag(session.title, session.agent, session.model, session.effort, session.archived, session.labels)


def update_session(
    *,
    actor: User,
    session: Session,
    title: str | None = None,
    agent: str | None = None,
    model: str | None = None,
    effort: str | None = None,
    archived: bool | None = None,
    labels: Sequence[str] | None = None,
    versions: Container[str] | None = None,
) -> Session:
    """Rename or label the session, choose another agent, model or effort for the next step, or archive it. Only the
    starter and admins may rename or archive. Raises Stale when archiving a session with an open turn, Changed if the
    session's version is not among `versions`."""
    require(actor, Act.PROMPT, team_id=session.project.team_id)
    if session.created_by_id != actor.pk and (title is not None or archived is not None):
        require(actor, Act.MANAGE_SESSIONS, team_id=session.project.team_id)
    if agent is not None:
        check_agent(agent, effective_agents(session))
    if model:
        check_model(session, model)
    if effort:
        changed = _as_changed(session, agent, model)
        check_effort(changed, effort, effective_agents(session).get(changed.agent))
    with session_write(session.id) as write:
        row = write.session
        require_version(versions, version_of_session(row))
        if archived and is_at_work(row):
            raise Stale(
                "A turn is still running in this session.", hint="Stop the turn first, then archive the session."
            )
        row.title = row.title if title is None else title.strip()[:200]
        row.agent = row.agent if agent is None else agent
        if agent is not None and row.agent_by_default:
            row.agent_by_default = False
            row.save(update_fields=["agent_by_default"])
        row.model = row.model if model is None else model
        row.effort = row.effort if effort is None else effort
        row.archived = row.archived if archived is None else archived
        row.labels = row.labels if labels is None else stored_labels(checked_labels(labels))
        write.session_changed()
    return write.session


def checked_labels(labels: Sequence[str]) -> list[str]:
    """Return the labels without spaces around them and without repeats. Raises BadInput if one cannot be used."""
    found = list(dict.fromkeys(label.strip() for label in labels))
    if len(found) > MAX_LABELS:
        raise BadInput("A session has too many labels.", fields={"labels": f"at most {MAX_LABELS}"})
    if any(not label or len(label) > MAX_LABEL or not label.isprintable() for label in found):
        raise BadInput(
            "A label cannot be used.", fields={"labels": f"each one line with 1 to {MAX_LABEL} visible characters"}
        )
    return found


def delete_session(*, actor: User, session: Session) -> None:
    """Delete the conversation and log of the session and its sub-agents; the workspace and its files stay. Only the
    starter and admins may do so."""
    if session.created_by_id != actor.pk:
        require(actor, Act.MANAGE_SESSIONS, team_id=session.project.team_id)
    require(actor, Act.PROMPT, team_id=session.project.team_id)
    with session_write(session.id) as write:
        if is_at_work(write.session):
            raise Stale(
                "A turn is still running in this session.", hint="Stop the turn first, then delete the session."
            )
        queue_session_deleted(write.session)
        write.session.delete()


def is_at_work(session: Session) -> bool:
    """Return whether the session or one of its sub-agents has an open turn. The sub-agent alone may be at work, because
    a person can prompt it directly."""
    level = [session.pk]
    while level:
        if Turn.objects.filter(session_id__in=level, state__in=Turn.OPEN).exists():
            return True
        level = list(Session.objects.filter(parent_id__in=level).values_list("id", flat=True))
    return False


def name_session(session_id: uuid.UUID, *, title: str) -> None:
    """Set the generated title of a session, unless somebody has named the session."""
    with session_write(session_id) as write:
        if title and not write.session.title:
            write.session.title = title[:200]
            write.session_changed()


def ask_for_summary(*, actor: User, session: Session) -> None:
    """Enqueue the task that writes a short summary of the session's work, billed to the actor. The result arrives as a
    change of the session."""
    require(actor, Act.PROMPT, team_id=session.project.team_id)
    if not Message.objects.filter(session=session, role=Message.Role.ASSISTANT).exists():
        raise Stale("This session has no messages to summarize yet.", hint="Send a message first.")
    enqueue_summary(session.pk, payer_id=actor.pk)


def summarize_session(session_id: uuid.UUID, *, summary: str) -> None:
    with session_write(session_id, related=("created_by",)) as write:
        write.session.summary = summary
        write.session_changed()


def _emit_created(row: Session) -> None:
    with session_write(row.id) as write:
        write.emit("session.created", views.session(row).model_copy(update={"last_seq": 1}))
    row.last_seq = write.session.last_seq


def check_agent(agent: str, agents: Mapping[str, AgentDefinition]) -> None:
    """Raise BadInput unless people may select this agent for a session."""
    if agent not in agents or not agents[agent].is_selectable:
        names = ", ".join(selectable(agents.values()))
        raise BadInput(f"There is no agent '{agent[:60]}'; there are {names}.", fields={"agent": "unknown"})


def check_model(session: Session, model: str) -> None:
    try:
        chosen_model(session, model)
    except ModelNotOffered as error:
        raise BadInput(error.message, fields={"model": "is not offered here"}, hint=error.hint) from None


def check_effort(session: Session, effort: str, agent: AgentDefinition | None) -> None:
    """Raise BadInput unless the model that the agent uses in the session supports this reasoning effort."""
    model = model_for(session, agent)
    taken = efforts_of(session, model)
    if effort in taken:
        return
    name = model[:200]
    if taken:
        text = f"The model '{name}' takes the reasoning efforts {', '.join(taken)}, not '{effort}'."
    else:
        text = f"The model '{name}' takes no reasoning effort, as far as this site knows."
    raise BadInput(text, fields={"effort": "is not taken by the model"}, hint="Leave it out, or choose another model.")


def _as_changed(session: Session, agent: str | None, model: str | None) -> Session:
    changed = copy(session)
    changed.agent = session.agent if agent is None else agent
    changed.model = session.model if model is None else model
    return changed
