"""Assembly of the layers of rules that `engine.decide` reads.

Preferences, weakest first: defaults < site < team < agent < agent of a project file < project < project file <
session < grants. Limits are separate: the enforced rules of site, team and project, and the bounds of an agent.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from tools_app.permission import presets
from tools_app.permission.model import Layer, Rule
from tools_app.permission.wildcard import match

_READ_ONLY_BASH: Final = (
    Rule("interactive", "*", "deny"),
    Rule("browser", "*", "deny"),
    Rule("bash", "*", "deny"),
    *(Rule("bash", command, "allow") for command in presets.READ_ONLY_COMMANDS),
)
_NO_TOOLS: Final = (Rule("*", "*", "deny"),)
_READING: Final = ("read", "glob", "grep", "list", "lsp", "skill", "batch")
_FETCHING: Final = ("webfetch", "websearch", "codesearch", "external_directory", "egress", "doom_loop")

_NO_PLAN_ENTER: Final = Rule("plan_enter", "*", "deny")
_NO_PLAN_EXIT: Final = Rule("plan_exit", "*", "deny")
_NO_SWITCHING: Final = (_NO_PLAN_ENTER, _NO_PLAN_EXIT)

AGENT_LIMITS: Final[Mapping[str, tuple[Rule, ...]]] = {
    "build": (_NO_PLAN_EXIT,),
    "plan": (_NO_PLAN_ENTER, Rule("edit", "*", "deny"), Rule("pull_request", "*", "deny"), *_READ_ONLY_BASH),
    "explore": (
        *_NO_TOOLS,
        *(Rule(permission, "*", "allow") for permission in (*_READING, *_FETCHING)),
        *_READ_ONLY_BASH,
    ),
    "general": (*_NO_SWITCHING, Rule("todowrite", "*", "deny"), Rule("todoread", "*", "deny")),
    "title": _NO_TOOLS,
    "summary": _NO_TOOLS,
    "draft": _NO_TOOLS,
    "compaction": _NO_TOOLS,
}
"""Built-in limits by agent name. They are limits and not only preferences, because an "always" granted while `build`
ran must not loosen `plan`. An "allow" among them sets no limit: the preferences decide. An agent that is not listed may
not switch between planning and building."""

AGENT_RULES: Final[Mapping[str, tuple[Rule, ...]]] = {
    "plan": AGENT_LIMITS["plan"],
    "general": AGENT_LIMITS["general"],
}
"""Built-in preferences by agent name."""


@dataclass(frozen=True, slots=True)
class AgentRules:
    """The rules of one agent, as `agent_rules` assembles them."""

    name: str
    own: tuple[Rule, ...] = ()
    """Preferences: built-in ones, then those of people who may edit the agent."""
    bounds: tuple[Rule, ...] = ()
    """Limits: everything that the agent may never do."""
    from_files: tuple[Rule, ...] = ()
    """Preferences from the agent's file in the repository, which may only tighten."""
    file_bounds: tuple[Rule, ...] = ()
    """Limits: the denials in `from_files`."""


@lru_cache(maxsize=512)  # returns identical tuples for equal rules; the engine keys its indexes by identity
def agent_rules(name: str, own: tuple[Rule, ...] = (), from_files: tuple[Rule, ...] = ()) -> AgentRules:
    """Return the rules of an agent: the built-in rules and `own`, the rules of people who may edit the agent.

    Rules in `own` that deny become bounds too, so that a grant given to another agent cannot loosen them. Rules in
    `own` that allow remove a built-in bound.
    """
    given = (*AGENT_LIMITS.get(name, _NO_SWITCHING), *own)
    return AgentRules(
        name,
        own=(*AGENT_RULES.get(name, ()), *own),
        bounds=_denies(name, given).rules,
        from_files=from_files,
        file_bounds=_denies(name, from_files).rules,
    )


def rules_of_nobody(name: str) -> AgentRules:
    """Return the rules of an agent that no longer exists: everything is denied."""
    return AgentRules(name, bounds=_NO_TOOLS)


def preferences(
    *,
    agent: str | AgentRules,
    preset: str = presets.DEFAULT,
    incomplete_commands: presets.Incomplete | None = None,
    site: Sequence[Rule] = (),
    team: Sequence[Rule] = (),
    project: Sequence[Rule] = (),
    project_file: Sequence[Rule] = (),
    may_loosen: Sequence[tuple[str, str]] = (),
    session: Sequence[Rule] = (),
    grants: Sequence[Rule] = (),
) -> tuple[Layer, ...]:
    """Return the preference layers for tool calls of `agent`, weakest first, without empty layers.

    An agent that is given by name has its built-in rules only. `project_file` comes with the repository, so it can only
    make rules stricter, except where `may_loosen` permits more. If `incomplete_commands` is not given, the preset
    decides about incomplete commands.
    """
    rules = _rules_of(agent)
    file = Layer("project file", project_file, tightens_only=True, may_loosen=may_loosen)
    of_file = Layer(f"agent {rules.name} of a file", rules.from_files, tightens_only=True, may_loosen=may_loosen)
    runs_incomplete = (incomplete_commands or presets.incomplete_commands(preset)) == "allow"
    return (
        _of_preset(preset, runs_incomplete),
        *_layers(
            ("site", site),
            ("team", team),
            (f"agent {rules.name}", rules.own),
        ),
        *((of_file,) if rules.from_files else ()),
        *_layers(("project", project)),
        *((file,) if project_file else ()),
        *_layers(("session", session), ("grants", grants)),
    )


@cache
def _of_preset(preset: str, runs_incomplete: bool) -> Layer:
    return Layer("defaults", presets.rules(preset), runs_incomplete=runs_incomplete)


def limits(
    *,
    agent: str | AgentRules,
    site: Sequence[Rule] = (),
    team: Sequence[Rule] = (),
    project: Sequence[Rule] = (),
    inherited: Sequence[Layer] = (),
) -> tuple[Layer, ...]:
    """Return the limit layers, which no preference can loosen, without empty layers.

    They contain the limits of the site, team and project, the agent's own limits, and the limits that a sub-agent's
    session inherits.
    """
    rules = _rules_of(agent)
    own = _layers(
        ("site limits", site),
        ("team limits", team),
        ("project limits", project),
        (f"agent {rules.name}", rules.bounds),
        (f"agent {rules.name} of a file", rules.file_bounds),
    )
    return (*own, *inherited)


def _rules_of(agent: str | AgentRules) -> AgentRules:
    return agent_rules(agent) if isinstance(agent, str) else agent


def inherited_by_child(preferences: Sequence[Layer], limits: Sequence[Layer]) -> tuple[Layer, ...]:
    """Return the limits that a sub-agent's session inherits from its parent: the parent's limits, and its deny rules.

    The parent's preferences become a limit that contains only their denials, so an "allow" or "ask" of the parent is
    never passed on. A layer that only tightens becomes a limit of its own, together with the later layers that may
    loosen it.
    """
    loosening = (rule for layer in preferences for rule in _loosening_rules(layer))
    own = [_denies("parent session", loosening)]
    for index, layer in enumerate(preferences):
        if layer.tightens_only:
            later = (rule for other in preferences[index + 1 :] for rule in _loosening_rules(other))
            own.append(_denies(f"parent session: {layer.name}", (*layer.rules, *later)))
    theirs = (Layer(f"parent: {layer.name}", layer.rules) for layer in limits)
    return (*theirs, *(layer for layer in own if layer.rules))


def _loosening_rules(layer: Layer) -> tuple[Rule, ...]:
    """Return the rules of a layer that may overrule stricter rules of earlier layers."""
    if not layer.tightens_only:
        return layer.rules
    return tuple(rule for rule in layer.rules if any(_covers(pair, rule) for pair in layer.may_loosen))


def _covers(pair: tuple[str, str], rule: Rule) -> bool:
    """Return whether (permission, pattern) matches everything that `rule` matches; False if that is not certain."""
    return _covers_pattern(pair[0], rule.permission) and _covers_pattern(pair[1], rule.pattern)


def _covers_pattern(wide: str, narrow: str) -> bool:
    """Return whether `wide` matches every text that `narrow` matches; False if that is not certain.

    `narrow` is matched like a text, so a `*` in it is only matched by a `*` in `wide`, unless `wide` contains a `?`.
    """
    texts = (narrow, narrow[:-2]) if narrow.endswith(" *") else (narrow,)
    return wide == narrow or ("?" not in wide and all(match(text, wide) for text in texts))


def _denies(name: str, rules: Iterable[Rule]) -> Layer:
    """Return a limit that denies exactly what the rules deny; it has no rules if they deny nothing."""
    softened = [rule if rule.action == "deny" else Rule(rule.permission, rule.pattern, "allow") for rule in rules]
    return Layer(name, softened if any(rule.action == "deny" for rule in softened) else ())


def _layers(*named: tuple[str, Sequence[Rule]]) -> tuple[Layer, ...]:
    return tuple(Layer(name, rules) for name, rules in named if rules)
