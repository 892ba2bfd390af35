"""Agent definitions: the data with which the same loop runs every agent. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from tools_app.permission.layers import AgentRules, agent_rules
from tools_app.permission.model import Rule

Mode = Literal["primary", "subagent", "all"]
Origin = Literal["built-in", "site", "team", "project", "file"]

DEFAULT_STEPS: Final = 100
MAX_STEPS: Final = 1000


@dataclass(frozen=True, slots=True)
class Source:
    """One source of a definition. `id` is the row's ("agt_..."), `path` the file's in the workspace; `fields` are the
    names of the fields that it sets."""

    origin: Origin
    id: str = ""
    path: str = ""
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AgentDefinition:
    """An agent after merging. `prompt` is the agent's own part of the system prompt. `model` "" means the session's
    model, `steps` is the maximum of model calls in a turn, and `options` are passed to the provider (see
    `agent.options`). `hidden` agents are not shown to people; `disabled` agents cannot be used at all.

    `rules` were written by authorized people. `file_rules` came with the repository and can only make rules stricter.
    `problems` are sentences about settings that do not apply here.
    """

    name: str
    description: str
    mode: Mode
    prompt: str
    model: str = ""
    variant: str = ""
    temperature: float | None = None
    top_p: float | None = None
    steps: int = DEFAULT_STEPS
    color: str = ""
    hidden: bool = False
    disabled: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    rules: tuple[Rule, ...] = ()
    file_rules: tuple[Rule, ...] = ()
    sources: tuple[Source, ...] = (Source("built-in"),)
    problems: tuple[str, ...] = ()

    @property
    def is_built_in(self) -> bool:
        return any(source.origin == "built-in" for source in self.sources)

    @property
    def is_selectable(self) -> bool:
        """Return whether a person may choose the agent for a session."""
        return self.mode != "subagent" and not self.hidden and not self.disabled

    @property
    def is_callable(self) -> bool:
        """Return whether another agent may start it. Hidden agents can be started by name."""
        return self.mode != "primary" and not self.disabled

    @property
    def permissions(self) -> AgentRules:
        return agent_rules(self.name, self.rules, self.file_rules)


def selectable(agents: Iterable[AgentDefinition]) -> list[str]:
    return [agent.name for agent in agents if agent.is_selectable]


def callable_descriptions(agents: Iterable[AgentDefinition]) -> dict[str, str]:
    """Return the descriptions by name, as another agent's model reads them."""
    return {agent.name: agent.description for agent in agents if agent.is_callable and not agent.hidden}
