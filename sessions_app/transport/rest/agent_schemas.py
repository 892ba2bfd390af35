"""The shapes of agents: what places say about them, and what they are when it is all put together."""

from datetime import datetime
from typing import Any, Literal

from ninja import Field, Schema

from sessions_app.agent.definitions import AgentDefinition, Mode, Source
from sessions_app.agent.overrides import AgentDocument
from sessions_app.events import schema, views
from sessions_app.models import Agent
from sessions_app.transport.rest.policy_schemas import LayerView, PreferenceView
from tools_app.permission.model import Rule


class AgentView(Schema):
    """An agent that comes with every site, in short."""

    name: str
    description: str
    mode: Mode


class AgentPage(Schema):
    items: list[AgentView]


class AgentSourceView(Schema):
    """Who says something about an agent: `id` is the row to edit ("" for files and what is built in), `path` the file
    in the workspace; `fields` are the names of what it says, of which the last source that has one decides."""

    origin: Literal["built-in", "site", "team", "project", "file"]
    id: str
    path: str
    fields: list[str]

    @classmethod
    def of(cls, source: Source) -> "AgentSourceView":
        return cls(origin=source.origin, id=source.id, path=source.path, fields=list(source.fields))


class EffectiveAgentView(Schema):
    """An agent as it works. `permission` are the rules that people wrote, `file_permission` those of the repository,
    which only tighten; both in order, on top of what is built in. `selectable`: a person may work with it;
    `callable`: another agent may call it, and people with `@name`. `problems` are sentences about what was said and
    does not apply here. `can_edit` is about the place whose agents were asked for."""

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
    """`default` is who works in a session that names nobody ("" where that is not known), `models` are those that an
    agent may ask for, `problems` say what in the repository is no agent and why, `can_edit` whether the person may
    change agents of this place."""

    items: list[EffectiveAgentView]
    default: str
    models: list[str]
    problems: list[str]
    can_edit: bool


class SessionAgents(Schema):
    """Of one session: `current` works in it, `callable` are the names that `@name` calls and its agent may call,
    `problems` say what in the repository is no agent and why."""

    items: list[EffectiveAgentView]
    current: str
    callable: list[str]
    problems: list[str]


class AgentExplanation(Schema):
    """What one agent would be bound by in a session: the layers in the order in which they are read, the tools that
    its model is told about, and the agents that it may call."""

    agent: EffectiveAgentView
    model: str
    preferences: list[PreferenceView]
    limits: list[LayerView]
    tools: list[str]
    hidden_tools: list[str]
    callable: list[str]


class AgentRowView(Schema):
    """What one place says about an agent: a field that is null says nothing. `place` is "site", or the id of a team or
    project."""

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


class NewAgent(Schema):
    name: str = Field(min_length=1, max_length=64)
    document: AgentDocument


class AgentChange(Schema):
    """Of the document only the fields that are named are changed; null takes what was said back."""

    document: AgentDocument
    base_version: int | None = Field(default=None, ge=1)


def rule_views(rules: tuple[Rule, ...]) -> list[schema.RuleView]:
    return [schema.RuleView(permission=rule.permission, pattern=rule.pattern, action=rule.action) for rule in rules]
