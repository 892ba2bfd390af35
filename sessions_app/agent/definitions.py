"""Agent definitions: all data that distinguish one agent from another, and the options that an agent may pass to its
model's provider. Pure.

Only the listed options are passed on: an unknown option could send the request, and the key, to another address.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from sessions_app.llm.port import EFFORTS
from tools_app.permission.layers import AgentRules, agent_rules
from tools_app.permission.model import Rule

Mode = Literal["primary", "subagent", "all"]
Origin = Literal["built-in", "site", "team", "project", "file", "remote", "person", "session"]

DEFAULT_STEPS: Final = 100
MAX_STEPS: Final = 1000
VARIANTS: Final = EFFORTS
_LEVELS: Final = ("low", "medium", "high")


def _one_of(*allowed: str) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and value in allowed


def _between(low: float, high: float) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high


def _integer_between(low: int, high: int) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _is_stop(value: Any) -> bool:
    texts = [value] if isinstance(value, str) else value
    return isinstance(texts, list) and 0 < len(texts) <= 4 and all(isinstance(one, str) and one for one in texts)


ACCEPTED_OPTIONS: Final[Mapping[str, Callable[[Any], bool]]] = {
    "reasoning_effort": _one_of(*VARIANTS),
    "verbosity": _one_of(*_LEVELS),
    "max_tokens": _integer_between(1, 10_000_000),
    "seed": _integer_between(-(2**63), 2**63 - 1),
    "top_k": _integer_between(1, 10_000),
    "stop": _is_stop,
    "presence_penalty": _between(-2, 2),
    "frequency_penalty": _between(-2, 2),
    "parallel_tool_calls": lambda value: isinstance(value, bool),
}
"""Names in the chat-completions format, and a validator for each value."""

OPTION_ALIASES: Final[Mapping[str, str]] = {
    "reasoningEffort": "reasoning_effort",
    "textVerbosity": "verbosity",
    "maxTokens": "max_tokens",
    "maxOutputTokens": "max_tokens",
    "max_completion_tokens": "max_tokens",
    "topK": "top_k",
    "stopSequences": "stop",
    "presencePenalty": "presence_penalty",
    "frequencyPenalty": "frequency_penalty",
    "parallelToolCalls": "parallel_tool_calls",
}


def unusable_options(options: Mapping[str, Any]) -> list[str]:
    """Return, for each option that cannot be passed on to a provider, a sentence without a full stop that says so."""
    problems = []
    for name, value in options.items():
        fits = ACCEPTED_OPTIONS.get(_official(name))
        if fits is None:
            problems.append(f"the option '{name[:60]}' is not passed on to providers")
        elif not fits(value):
            problems.append(f"the option '{name[:60]}' cannot have this value")
    return problems


def request_options(options: Mapping[str, Any], variant: str = "") -> dict[str, Any]:
    """Return an agent's options for the request to the provider, under their chat-completions names. A variant sets the
    reasoning effort, unless an option sets it."""
    effort = {"reasoning_effort": variant} if variant in VARIANTS else {}
    named = {_official(name): value for name, value in options.items()}
    return effort | {
        name: value for name, value in named.items() if name in ACCEPTED_OPTIONS and ACCEPTED_OPTIONS[name](value)
    }


def _official(name: str) -> str:
    return OPTION_ALIASES.get(name, name)


@dataclass(frozen=True, slots=True)
class Source:
    """One source of an agent's definition. `id` is the id of its row ("agt_..."), `path` the path of its file in the
    workspace; `fields` are the names of the fields that it sets."""

    origin: Origin
    id: str = ""
    path: str = ""
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AgentDefinition:
    """An agent after merging. `prompt` is the agent's own part of the system prompt. `model` "" means the session's
    model. `steps` is the maximum number of model calls in a turn, and `options` are passed to the provider (see
    `ACCEPTED_OPTIONS`). `hidden` agents are not shown to people; `disabled` agents cannot be used at all.

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
        """Return whether other agents may start this agent as a sub-agent. Hidden agents can be started by name."""
        return self.mode != "primary" and not self.disabled

    @property
    def permissions(self) -> AgentRules:
        return agent_rules(self.name, self.rules, self.file_rules)


def selectable(agents: Iterable[AgentDefinition]) -> list[str]:
    return [agent.name for agent in agents if agent.is_selectable]


def callable_descriptions(agents: Iterable[AgentDefinition]) -> dict[str, str]:
    """Return {name: description} of the agents that may be called as sub-agents and are not hidden, to describe them to
    the model of another agent."""
    return {agent.name: agent.description for agent in agents if agent.is_callable and not agent.hidden}
