"""Several places say something about an agent; this puts it together. Pure.

Order, later wins, field by field: built in < site < team < files of the repository < project. Rules are not replaced
but added, in the same order, and those of files stand apart, since nobody checked them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from sessions_app.agent.built_in import BUILT_IN
from sessions_app.agent.definitions import AgentDefinition, Origin, Source
from sessions_app.agent.options import VARIANTS
from tools_app.permission.model import Rule

ORDER: Final[tuple[Origin, ...]] = ("site", "team", "file", "project")
_PLAIN: Final = (
    "description", "mode", "model", "variant", "prompt", "temperature", "top_p", "steps", "color", "hidden",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Said:
    """What one place says about one agent: `fields` as in `AgentDocument.said`, without the rules."""

    origin: Origin
    name: str
    fields: Mapping[str, Any]
    rules: tuple[Rule, ...] = ()
    id: str = ""
    path: str = ""
    problems: tuple[str, ...] = field(default=())


def merge_agents(said: Iterable[Said]) -> dict[str, AgentDefinition]:
    """Every agent by name, also those that are disabled; the built-in ones first, the others by name."""
    agents = dict(BUILT_IN)
    for one in sorted(said, key=lambda each: ORDER.index(each.origin)):
        agents[one.name] = _add(agents.get(one.name) or _empty(one.name), one)
    added = sorted(name for name in agents if name not in BUILT_IN)
    return {name: agents[name] for name in (*BUILT_IN, *added)}


def usable_agents(agents: Mapping[str, AgentDefinition]) -> dict[str, AgentDefinition]:
    return {name: agent for name, agent in agents.items() if not agent.disabled}


def resolve_models(agents: Mapping[str, AgentDefinition], known: Iterable[str]) -> dict[str, AgentDefinition]:
    """Agents that want a model which this site does not have work with the session's, and say so."""
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
    """As other programs have it, an agent that does not say its mode can be both chosen and called."""
    return AgentDefinition(name=name, description="", mode="all", prompt="", sources=())


def _add(agent: AgentDefinition, one: Said) -> AgentDefinition:
    plain = {name: one.fields[name] for name in _PLAIN if name in one.fields}
    names = tuple(one.fields) + (("permission",) if one.rules else ())
    return replace(
        agent,
        **plain,
        disabled=one.fields.get("disable", agent.disabled),
        options={**agent.options, **one.fields.get("options", {})},
        rules=agent.rules if one.origin == "file" else (*agent.rules, *one.rules),
        file_rules=(*agent.file_rules, *one.rules) if one.origin == "file" else agent.file_rules,
        sources=(*agent.sources, Source(one.origin, one.id, one.path, names)),
        problems=(*agent.problems, *one.problems),
    )
