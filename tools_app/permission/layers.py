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
    session: Sequence[Rule] = (),
    grants: Sequence[Rule] = (),
) -> tuple[Layer, ...]:
    """The layers that a call of this agent is decided by; empty ones are left out."""
    return _layers(
        ("defaults", presets.rules(preset)),
        ("site", site),
        ("team", team),
        (f"agent {agent}", AGENT_RULES.get(agent, ())),
        ("project", project),
        ("project file", project_file),
        ("session", session),
        ("grants", grants),
    )


def limits(
    *, agent: str, site: Sequence[Rule] = (), team: Sequence[Rule] = (), project: Sequence[Rule] = ()
) -> tuple[Layer, ...]:
    """What no preference can loosen: enforced rules, and the bounds of the built-in agents."""
    return _layers(
        ("site limits", site),
        ("team limits", team),
        ("project limits", project),
        (f"agent {agent}", AGENT_LIMITS.get(agent, ())),
    )


def _layers(*named: tuple[str, Sequence[Rule]]) -> tuple[Layer, ...]:
    return tuple(Layer(name, rules) for name, rules in named if rules)
