"""How the layers that `engine.decide` reads are put together.

Preferences, weakest first: defaults < site < team < agent < project < project file < session < grants.
Limits stand beside them: the enforced rules of site, team and project, and what an agent may never do.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from tools_app.permission import presets
from tools_app.permission.model import Layer, Rule

_READ_ONLY: Final = (
    Rule("edit", "*", "deny"),
    Rule("bash", "*", "deny"),
    *(Rule("bash", command, "allow") for command in presets.HARMLESS_COMMANDS),
)

AGENT_RULES: Final[Mapping[str, tuple[Rule, ...]]] = {"build": (), "plan": _READ_ONLY}

AGENT_LIMITS: Final[Mapping[str, tuple[Rule, ...]]] = {"plan": _READ_ONLY}
"""Limits, not only preferences: an "always" that somebody gave to build must not open plan."""


def preferences(
    *,
    agent: str,
    preset: str = presets.DEFAULT,
    site: Sequence[Rule] = (),
    team: Sequence[Rule] = (),
    project: Sequence[Rule] = (),
    project_file: Sequence[Rule] = (),
    may_loosen: Sequence[tuple[str, str]] = (),
    session: Sequence[Rule] = (),
    grants: Sequence[Rule] = (),
) -> tuple[Layer, ...]:
    """The layers that a call of this agent is decided by; empty ones are left out.

    `project_file` comes with the repository, so it may only tighten, but for what `may_loosen` names.
    """
    file = Layer("project file", project_file, tightens_only=True, may_loosen=may_loosen)
    return (
        *_layers(
            ("defaults", presets.rules(preset)),
            ("site", site),
            ("team", team),
            (f"agent {agent}", AGENT_RULES.get(agent, ())),
            ("project", project),
        ),
        *((file,) if project_file else ()),
        *_layers(("session", session), ("grants", grants)),
    )


def limits(
    *,
    agent: str,
    site: Sequence[Rule] = (),
    team: Sequence[Rule] = (),
    project: Sequence[Rule] = (),
    inherited: Sequence[Layer] = (),
) -> tuple[Layer, ...]:
    """What no preference can loosen: enforced rules, the bounds of the built-in agents, and what a child session got
    from its parent."""
    own = _layers(
        ("site limits", site),
        ("team limits", team),
        ("project limits", project),
        (f"agent {agent}", AGENT_LIMITS.get(agent, ())),
    )
    return (*own, *inherited)


def inherited_by_child(preferences: Sequence[Layer], limits: Sequence[Layer]) -> tuple[Layer, ...]:
    """The limits that a sub-agent's session gets from its parent's: the parent's limits, and its denies.

    The preferences become one layer in which asking counts as allowing, so as a limit it denies what they deny and
    says nothing about the rest: an allow or an ask of the parent never reaches the child.
    """
    denies = tuple(
        rule if rule.action == "deny" else Rule(rule.permission, rule.pattern, "allow")
        for layer in preferences
        for rule in layer.rules
    )
    own = (Layer("parent session", denies),) if any(rule.action == "deny" for rule in denies) else ()
    return (*(Layer(f"parent: {layer.name}", layer.rules) for layer in limits), *own)


def _layers(*named: tuple[str, Sequence[Rule]]) -> tuple[Layer, ...]:
    return tuple(Layer(name, rules) for name, rules in named if rules)
