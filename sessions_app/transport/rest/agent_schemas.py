"""API schemas of agents: the overrides of one scope, and the effective agent after merging all scopes."""

from datetime import datetime
from typing import Any

from ninja import Field, Schema

from agentsite.http.request_body import RequestBody
from sessions_app.agent.definitions import AgentDefinition, Mode, Origin, Source
from sessions_app.agent.overrides import AgentDocument
from sessions_app.events import schema, views
from sessions_app.models import Agent
from sessions_app.transport.rest.policy_schemas import LayerView, PreferenceView
from tools_app.permission.model import Rule


class AgentView(Schema):
    """A summary of a built-in agent."""

    name: str
    description: str
    mode: Mode


class AgentPage(Schema):
    items: list[AgentView]


class AgentSourceView(Schema):
    """One source that contributes to an agent. `id` is the row to edit (empty for files and built-in agents), `path`
    the file in the workspace, `fields` the names of the fields that it sets. If several sources set a field, the last
    one wins."""

    origin: Origin
    id: str
    path: str
    fields: list[str]

    @classmethod
    def of(cls, source: Source) -> "AgentSourceView":
        return cls(origin=source.origin, id=source.id, path=source.path, fields=list(source.fields))


class EffectiveAgentView(Schema):
    """An agent after merging all sources. `permission` are the rules that people wrote, `file_permission` the rules in
    files of the repository, which can only make rules stricter. Both lists are in order and come after the built-in
    rules. `selectable`: people may choose the agent for a session. `callable`: other agents may start it, and so may
    people with `@name`. `problems` are sentences about settings that do not apply here."""

    name: str
    description: str
    mode: Mode
    model: str
    variant: str
    prompt: str
    temperature: float | None
    top_p: float | None
    steps: int
    color: str
    hidden: bool
    disabled: bool
    options: dict[str, Any]
    permission: list[schema.RuleView]
    file_permission: list[schema.RuleView]
    built_in: bool
    selectable: bool
    callable: bool
    sources: list[AgentSourceView]
    problems: list[str]

    @classmethod
    def of(cls, agent: AgentDefinition) -> "EffectiveAgentView":
        plain = {
            name: getattr(agent, name)
            for name in (
                "name", "description", "mode", "model", "variant", "prompt", "temperature", "top_p", "steps", "color",
                "hidden", "disabled",
            )
        }  # fmt: skip
        return cls(
            **plain,
            options=dict(agent.options),
            permission=rule_views(agent.rules),
            file_permission=rule_views(agent.file_rules),
            built_in=agent.is_built_in,
            selectable=agent.is_selectable,
            callable=agent.is_callable,
            sources=[AgentSourceView.of(source) for source in agent.sources],
            problems=list(agent.problems),
        )


class EffectiveAgents(Schema):
    """The agents of a scope. `default` is the agent of a session that names none (empty if unknown). `models` are the
    models that an agent may use. `problems` lists invalid agent files of the repository. `can_edit`: you may change
    agents of this scope."""

    items: list[EffectiveAgentView]
    default: str
    models: list[str]
    problems: list[str]
    can_edit: bool


class SessionAgents(Schema):
    """The agents of one session. `current` is the agent that works in it. `callable` are the names of the agents that
    the current agent may start; people may start them with `@name`. `problems` lists invalid agent files of the
    repository."""

    items: list[EffectiveAgentView]
    current: str
    callable: list[str]
    problems: list[str]


class AgentExplanation(Schema):
    """The rules and tools that an agent would have in a session: the layers in the order in which they apply, the tools
    that its model is offered, and the agents that it may start."""

    agent: EffectiveAgentView
    model: str
    preferences: list[PreferenceView]
    limits: list[LayerView]
    tools: list[str]
    hidden_tools: list[str]
    callable: list[str]


class AgentRowView(Schema):
    """An agent as one scope overrides it: `place` is "site", or the id of a team or project. Fields of `document` that
    are null are not overridden."""

    id: str
    place: str
    name: str
    document: AgentDocument
    version: int
    changed_by: schema.PersonView | None
    changed_at: datetime
    created_at: datetime
    can_edit: bool

    @classmethod
    def of(cls, row: Agent, *, can_edit: bool) -> "AgentRowView":
        return cls(
            id=row.public_id,
            place=row.place,
            name=row.name,
            document=AgentDocument.model_validate(row.document),
            version=row.version,
            changed_by=views.person(row.changed_by),
            changed_at=row.changed_at,
            created_at=row.created_at,
            can_edit=can_edit,
        )


class NewAgent(RequestBody):
    name: str = Field(min_length=1, max_length=64)
    document: AgentDocument


class AgentChange(RequestBody):
    """Changes of an agent. Only the fields that are present are changed; null resets a field."""

    document: AgentDocument
    base_version: int | None = Field(default=None, ge=1)


def rule_views(rules: tuple[Rule, ...]) -> list[schema.RuleView]:
    return [schema.RuleView(permission=rule.permission, pattern=rule.pattern, action=rule.action) for rule in rules]
