"""Merge the overrides of several sources into agent definitions. Pure.

Later sources win, field by field: built-in < published defaults < site < team < person < files of the repository <
project < session. Rules are appended in the same order instead of replaced. Rules that no admin has reviewed, such as
those from files, are kept separate.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from sessions_app.agent.built_in import BUILT_IN
from sessions_app.agent.definitions import VARIANTS, AgentDefinition, Origin, Source
from tools_app.permission.model import Rule

ORDER: Final[tuple[Origin, ...]] = ("remote", "site", "team", "person", "file", "project", "session")
UNTRUSTED: Final[frozenset[Origin]] = frozenset({"remote", "person", "file", "session"})
"""Levels whose rules no admin has reviewed, so they can only make rules stricter."""

_REPLACED_FIELDS: Final = (
    "description", "mode", "model", "variant", "prompt", "temperature", "top_p", "steps", "color", "hidden",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class AgentOverrides:
    """The overrides of one source for one agent. `fields` has the same form as the result of `AgentDocument.overrides`;
    the rules are in `rules`."""

    origin: Origin
    name: str
    fields: Mapping[str, Any]
    rules: tuple[Rule, ...] = ()
    id: str = ""
    path: str = ""
    problems: tuple[str, ...] = field(default=())


def merge_agents(overrides: Iterable[AgentOverrides]) -> dict[str, AgentDefinition]:
    """Return every agent by name, including disabled ones: the built-in agents first, the others sorted by name."""
    agents = dict(BUILT_IN)
    for one in sorted(overrides, key=lambda each: ORDER.index(each.origin)):
        agents[one.name] = _apply(agents.get(one.name) or _empty(one.name), one)
    added = sorted(name for name in agents if name not in BUILT_IN)
    return {name: agents[name] for name in (*BUILT_IN, *added)}


def usable_agents(agents: Mapping[str, AgentDefinition]) -> dict[str, AgentDefinition]:
    return {name: agent for name, agent in agents.items() if not agent.disabled}


def resolve_models(agents: Mapping[str, AgentDefinition], known: Iterable[str]) -> dict[str, AgentDefinition]:
    """Return the agents with a problem added for each model that the site does not offer and each unknown variant.

    An agent whose model this site does not offer uses the session's model.
    """
    models = frozenset(known)
    return {name: _resolve_model(agent, models) for name, agent in agents.items()}


def _resolve_model(agent: AgentDefinition, known: frozenset[str]) -> AgentDefinition:
    problems = list(agent.problems)
    if agent.model and agent.model not in known:
        problems.append(f"The model '{agent.model}' is not offered by this site; the session's model is used.")
    if agent.variant and agent.variant not in VARIANTS:
        problems.append(f"The variant '{agent.variant}' is not known; there are {', '.join(VARIANTS)}.")
    model = agent.model if agent.model in known else ""
    return replace(agent, model=model, problems=tuple(problems)) if problems else agent


def _empty(name: str) -> AgentDefinition:
    """Return an empty definition for an agent. If no source sets its mode, people can choose it and agents can call it,
    as in OpenCode."""
    return AgentDefinition(name=name, description="", mode="all", prompt="", sources=())


def _apply(agent: AgentDefinition, one: AgentOverrides) -> AgentDefinition:
    plain = {name: one.fields[name] for name in _REPLACED_FIELDS if name in one.fields}
    names = tuple(one.fields) + (("permission",) if one.rules else ())
    return replace(
        agent,
        **plain,
        disabled=one.fields.get("disable", agent.disabled),
        options={**agent.options, **one.fields.get("options", {})},
        rules=agent.rules if one.origin in UNTRUSTED else (*agent.rules, *one.rules),
        file_rules=(*agent.file_rules, *one.rules) if one.origin in UNTRUSTED else agent.file_rules,
        sources=(*agent.sources, Source(one.origin, one.id, one.path, names)),
        problems=(*agent.problems, *one.problems),
    )
