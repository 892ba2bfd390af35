"""Create, change and remove the agent documents of the site, a team or a project."""

from collections.abc import Container
from typing import Final

from django.db import IntegrityError, transaction
from django.utils import timezone

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import BadInput, Missing, Stale
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.http.etags import require_version
from agentsite.tenancy import audit
from agentsite.tenancy.available_models import menu_of
from agentsite.tenancy.models import User
from sessions_app.agent.overrides import AgentDocument, name_problem
from sessions_app.agents import known_models
from sessions_app.model_endpoints import ModelNotOffered, require_tools
from sessions_app.models import Agent
from tools_app.policies.scopes import PolicyScope, find_scope, require_edit

MAX_AGENTS_PER_SCOPE: Final = 200  # every step loads and merges all of them
MAX_AUDITED_PROMPT_CHARACTERS: Final = 2_000  # the agent's row keeps the whole prompt


def create_agent(*, actor: User, place: PolicyScope, name: str, document: AgentDocument) -> Agent:
    """Store an agent's document in a scope. It defines a new agent, or overrides an existing one.

    The overridden agent is built in or belongs to a wider scope. Raises Stale if the scope already has a document for
    this name.
    """
    require_edit(actor, place)
    name = name.strip()
    if problem := name_problem(name):
        raise BadInput(f"The agent name '{name[:60]}' is not valid: {problem}.", fields={"name": problem})
    _check(document, place)
    try:
        with sqlite_write_lock(), transaction.atomic():
            if Agent.objects.filter(place=place.key).count() >= MAX_AGENTS_PER_SCOPE:
                raise BadInput(
                    f"At most {MAX_AGENTS_PER_SCOPE} agents can be defined here.", hint="Remove an agent first."
                )
            row = Agent.objects.create(
                place=place.key,
                team_id=place.team_id if place.kind == "team" else None,
                project_id=place.project_id,
                name=name,
                document=document.set_fields(),
                changed_by=actor,
                changed_at=timezone.now(),
            )
            _audit(actor, place, row, "agent.created")
    except IntegrityError:
        raise Stale(f"An agent '{name}' is already defined here.", hint="Change the existing agent.") from None
    return row


def change_agent(
    *,
    actor: User,
    agent: Agent,
    document: AgentDocument,
    base_version: int | None = None,
    versions: Container[str] | None = None,
) -> Agent:
    """Merge the document's fields into the agent's stored document; a field that is null removes the override.

    `base_version` is the version that the actor has read; raises Stale if it is not the current one. `versions` are
    accepted versions from the request's `If-Match`; raises Changed if the current version is not among them.
    """
    place = scope_of_agent(actor, agent)
    _check(document, place)
    with sqlite_write_lock(), transaction.atomic():
        row = Agent.objects.select_for_update().filter(pk=agent.pk).first()
        if row is None:
            raise Missing("This agent no longer exists.")
        require_version(versions, str(row.version))
        if base_version is not None and base_version != row.version:
            raise Stale(
                f"Somebody else changed this agent: its version is now {row.version}.",
                code=ErrorCode.STALE_AGENT,
                hint="Load the new version, then apply your changes to it.",
            )
        set_fields = document.set_fields()
        kept = {name: value for name, value in row.document.items() if name not in document.model_fields_set}
        row.document, row.version = kept | set_fields, row.version + 1
        row.changed_by, row.changed_at = actor, timezone.now()
        row.save(update_fields=["document", "version", "changed_by", "changed_at"])
        _audit(actor, place, row, "agent.changed")
    return row


def remove_agent(*, actor: User, agent: Agent) -> None:
    """Delete the agent's document. A built-in agent gets its original definition back; any other agent no longer
    exists."""
    place = scope_of_agent(actor, agent)
    with sqlite_write_lock(), transaction.atomic():
        if not Agent.objects.filter(pk=agent.pk).delete()[0]:
            raise Missing("This agent no longer exists.")
        _audit(actor, place, agent, "agent.removed")


def scope_of_agent(actor: User, agent: Agent) -> PolicyScope:
    """Return the scope (site, team or project) of the agent's document. Raises NotAllowed if the actor may not edit
    agents of this scope."""
    place = find_scope(actor, agent.place)
    require_edit(actor, place)
    return place


def _check(document: AgentDocument, place: PolicyScope) -> None:
    known = known_models(place.team_id) if document.model else []
    if document.model and document.model not in known:
        raise BadInput(
            f"This site does not offer the model '{document.model[:60]}'.",
            hint=f"Choose one of {', '.join(known[:20])}, or leave the model empty to use the session's.",
            fields={"model": "not offered"},
        )
    if document.model:
        _check_tools(document.model, place)


def _check_tools(model: str, place: PolicyScope) -> None:
    try:
        require_tools(menu_of(place.team_id).models[model])
    except ModelNotOffered as error:
        raise BadInput(error.message, hint=error.hint, fields={"model": "cannot call tools"}) from None


def _audit(actor: User, place: PolicyScope, row: Agent, action: str) -> None:
    document = dict(row.document)
    if len(document.get("prompt", "")) > MAX_AUDITED_PROMPT_CHARACTERS:
        document["prompt"] = f"{document['prompt'][:MAX_AUDITED_PROMPT_CHARACTERS]} (the rest is not shown)"
    data = {"place": place.key, "name": row.name, "version": row.version, "document": document}
    audit.record(
        team_id=place.team_id,
        actor=actor,
        action=action,
        subject=row.public_id,
        data=data,
        project_id=place.project_id,
    )
