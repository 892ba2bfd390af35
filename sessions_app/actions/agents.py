"""Every write of what the site, a team or a project says about an agent."""

from collections.abc import Container
from typing import Any, Final

from django.db import IntegrityError, transaction
from django.utils import timezone

from agentsite.base.errors import BadInput, Missing, Stale
from agentsite.base.sqlite_lock import writers_turn
from agentsite.http.etags import require_edition
from agentsite.tenancy import audit
from sessions_app.agent.overrides import AgentDocument, name_problem
from sessions_app.agents import known_models
from sessions_app.models import Agent
from tools_app.policies.scopes import PolicyScope, find_scope, require_edit

MOST_AGENTS: Final = 200  # of one place: all of them are put together for every step
LONGEST_AUDITED: Final = 2_000  # characters of a prompt; the row keeps all of it


def create_agent(*, actor: Any, place: PolicyScope, name: str, document: AgentDocument) -> Agent:
    """Say something about the agent of this name, which may be a new one, a built-in one or one of a place above.
    Raises Stale when the place says something about it already."""
    require_edit(actor, place)
    name = name.strip()
    if problem := name_problem(name):
        raise BadInput(f"An agent cannot be called '{name[:60]}': {problem}.", fields={"name": problem})
    _check(document, place)
    try:
        with writers_turn(), transaction.atomic():
            if Agent.objects.filter(place=place.key).count() >= MOST_AGENTS:
                raise BadInput(f"There are {MOST_AGENTS} agents here already.", hint="Remove one first.")
            row = Agent.objects.create(
                place=place.key,
                team_id=place.team_id if place.kind == "team" else None,
                project_id=place.project_id,
                name=name,
                document=document.said(),
                changed_by=actor,
                changed_at=timezone.now(),
            )
            _audit(actor, place, row, "agent.created")
    except IntegrityError:
        raise Stale(f"There is an agent '{name}' here already.", hint="Change that one.") from None
    return row


def change_agent(
    *,
    actor: Any,
    agent: Agent,
    document: AgentDocument,
    base_version: int | None = None,
    editions: Container[str] | None = None,
) -> Agent:
    """The fields that the document names replace those of the same name; a field that it sets to null says nothing any
    more. `base_version` is the version that the actor looked at: Stale when it is not the present one. `editions`
    are versions, too: Changed when none of them is."""
    place = place_of_agent(actor, agent)
    _check(document, place)
    with writers_turn(), transaction.atomic():
        row = Agent.objects.select_for_update().filter(pk=agent.pk).first()
        if row is None:
            raise Missing("This agent is not there any more.")
        require_edition(editions, str(row.version))
        if base_version is not None and base_version != row.version:
            raise Stale(
                f"Somebody else changed this agent meanwhile: it is at version {row.version} now.",
                code="stale_agent",
                hint="Look at what they changed, then save again on top of it.",
            )
        said = document.said()
        kept = {name: value for name, value in row.document.items() if name not in document.model_fields_set}
        row.document, row.version = kept | said, row.version + 1
        row.changed_by, row.changed_at = actor, timezone.now()
        row.save(update_fields=["document", "version", "changed_by", "changed_at"])
        _audit(actor, place, row, "agent.changed")
    return row


def remove_agent(*, actor: Any, agent: Agent) -> None:
    """What the place says about the agent is forgotten: a built-in agent is then as before, another is gone."""
    place = place_of_agent(actor, agent)
    with writers_turn(), transaction.atomic():
        if not Agent.objects.filter(pk=agent.pk).delete()[0]:
            raise Missing("This agent is not there any more.")
        _audit(actor, place, agent, "agent.removed")


def place_of_agent(actor: Any, agent: Agent) -> PolicyScope:
    """Where the row stands. Raises NotAllowed when the actor may not change things there."""
    place = find_scope(actor, agent.place)
    require_edit(actor, place)
    return place


def _check(document: AgentDocument, place: PolicyScope) -> None:
    known = known_models(place.team_id) if document.model else []
    if document.model and document.model not in known:
        raise BadInput(
            f"This site does not offer the model '{document.model[:60]}'.",
            hint=f"Choose one of {', '.join(known[:20])}, or leave it to the session.",
            fields={"model": "not offered"},
        )


def _audit(actor: Any, place: PolicyScope, row: Agent, action: str) -> None:
    document = dict(row.document)
    if len(document.get("prompt", "")) > LONGEST_AUDITED:
        document["prompt"] = f"{document['prompt'][:LONGEST_AUDITED]} (the rest is not shown)"
    data = {"place": place.key, "name": row.name, "version": row.version, "document": document}
    audit.record(
        team_id=place.team_id,
        actor=actor,
        action=action,
        subject=row.public_id,
        data=data,
        project_id=place.project_id,
    )
