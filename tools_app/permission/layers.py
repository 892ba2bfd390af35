"""How the layers that `engine.decide` reads are put together.

Preferences, weakest first: defaults < site < team < agent < agent of a project file < project < project file <
session < grants. Limits stand beside them: the enforced rules of site, team and project, and what an agent may never
do.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from tools_app.permission import presets
from tools_app.permission.model import Layer, Rule
from tools_app.permission.wildcard import match

_READ_ONLY_BASH: Final = (
    Rule("bash", "*", "deny"),
    *(Rule("bash", command, "allow") for command in presets.READ_ONLY_COMMANDS),
)
_NO_TOOLS: Final = (Rule("*", "*", "deny"),)
_LOOKING: Final = ("read", "glob", "grep", "list", "lsp", "skill", "batch")
_FETCHING: Final = ("webfetch", "websearch", "codesearch", "external_directory", "egress", "doom_loop")

_NO_ENTERING: Final = Rule("plan_enter", "*", "deny")
_NO_LEAVING: Final = Rule("plan_exit", "*", "deny")
_NO_SWITCHING: Final = (_NO_ENTERING, _NO_LEAVING)

AGENT_LIMITS: Final[Mapping[str, tuple[Rule, ...]]] = {
    "build": (_NO_LEAVING,),
    "plan": (_NO_ENTERING, Rule("edit", "*", "deny"), *_READ_ONLY_BASH),
    "explore": (
        *_NO_TOOLS,
        *(Rule(permission, "*", "allow") for permission in (*_LOOKING, *_FETCHING)),
        *_READ_ONLY_BASH,
    ),
    "general": (*_NO_SWITCHING, Rule("todowrite", "*", "deny"), Rule("todoread", "*", "deny")),
    "title": _NO_TOOLS,
    "summary": _NO_TOOLS,
    "compaction": _NO_TOOLS,
}
"""What an agent may never do. Limits, not only preferences: an "always" that somebody gave to build must not open
plan. An allow among them sets no limit, and leaves the question to the preferences. An agent that is not listed may
not switch between planning and building."""

AGENT_RULES: Final[Mapping[str, tuple[Rule, ...]]] = {
    "plan": AGENT_LIMITS["plan"],
    "general": AGENT_LIMITS["general"],
}
"""The agents' own preferences."""


@dataclass(frozen=True, slots=True)
class AgentRules:
    """What one agent brings along: `own` are its preferences, `bounds` what it may never do; `from_files` is what the
    repository says of it, which may only tighten, and `file_bounds` what that denies."""

    name: str
    own: tuple[Rule, ...] = ()
    bounds: tuple[Rule, ...] = ()
    from_files: tuple[Rule, ...] = ()
    file_bounds: tuple[Rule, ...] = ()


@lru_cache(maxsize=512)  # the same rules are the same objects again, which the engine's indexes are found by
def agent_rules(name: str, own: tuple[Rule, ...] = (), from_files: tuple[Rule, ...] = ()) -> AgentRules:
    """`own` is what people who may have written about the agent, on top of what is built in. What it denies becomes a
    bound, so that no grant given to another agent opens it; what it allows takes a built-in bound away."""
    given = (*AGENT_LIMITS.get(name, _NO_SWITCHING), *own)
    return AgentRules(
        name,
        own=(*AGENT_RULES.get(name, ()), *own),
        bounds=_denies(name, given).rules,
        from_files=from_files,
        file_bounds=_denies(name, from_files).rules,
    )


def rules_of_nobody(name: str) -> AgentRules:
    """An agent that is not there any more may do nothing."""
    return AgentRules(name, bounds=_NO_TOOLS)


def preferences(
    *,
    agent: str | AgentRules,
    preset: str = presets.DEFAULT,
    site: Sequence[Rule] = (),
    team: Sequence[Rule] = (),
    project: Sequence[Rule] = (),
    project_file: Sequence[Rule] = (),
    may_loosen: Sequence[tuple[str, str]] = (),
    session: Sequence[Rule] = (),
    grants: Sequence[Rule] = (),
) -> tuple[Layer, ...]:
    """The layers that a call of this agent is decided by; empty ones are left out. A name stands for an agent about
    which nobody said anything.

    `project_file` comes with the repository, so it may only tighten, but for what `may_loosen` names.
    """
    rules = _rules_of(agent)
    file = Layer("project file", project_file, tightens_only=True, may_loosen=may_loosen)
    of_file = Layer(f"agent {rules.name} of a file", rules.from_files, tightens_only=True, may_loosen=may_loosen)
    return (
        *_layers(
            ("defaults", presets.rules(preset)),
            ("site", site),
            ("team", team),
            (f"agent {rules.name}", rules.own),
        ),
        *((of_file,) if rules.from_files else ()),
        *_layers(("project", project)),
        *((file,) if project_file else ()),
        *_layers(("session", session), ("grants", grants)),
    )


def limits(
    *,
    agent: str | AgentRules,
    site: Sequence[Rule] = (),
    team: Sequence[Rule] = (),
    project: Sequence[Rule] = (),
    inherited: Sequence[Layer] = (),
) -> tuple[Layer, ...]:
    """What no preference can loosen: enforced rules, the bounds of the agent, and what a child session got from its
    parent."""
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
    """The limits that a sub-agent's session gets from its parent's: the parent's limits, and its denies.

    In what comes of the preferences asking counts as allowing, so as a limit it denies what they deny and says nothing
    about the rest: an allow or an ask of the parent never reaches the child. A layer that only tightens becomes a limit
    of its own, together with the layers after it, which may overrule it.
    """
    loosening = (rule for layer in preferences for rule in _loosening_rules(layer))
    own = [_denies("parent session", loosening)]
    for place, layer in enumerate(preferences):
        if layer.tightens_only:
            later = (rule for other in preferences[place + 1 :] for rule in _loosening_rules(other))
            own.append(_denies(f"parent session: {layer.name}", (*layer.rules, *later)))
    theirs = (Layer(f"parent: {layer.name}", layer.rules) for layer in limits)
    return (*theirs, *(layer for layer in own if layer.rules))


def _loosening_rules(layer: Layer) -> tuple[Rule, ...]:
    """The rules of a layer that overrule the layers before it in whatever they say."""
    if not layer.tightens_only:
        return layer.rules
    return tuple(rule for rule in layer.rules if any(_covers(pair, rule) for pair in layer.may_loosen))


def _covers(pair: tuple[str, str], rule: Rule) -> bool:
    """Whether everything that the rule matches is matched by the pair too; False when that is not plain."""
    return _covers_pattern(pair[0], rule.permission) and _covers_pattern(pair[1], rule.pattern)


def _covers_pattern(wide: str, narrow: str) -> bool:
    """A star in the narrow pattern can only be matched by a star of the wide one, unless that holds a `?`."""
    texts = (narrow, narrow[:-2]) if narrow.endswith(" *") else (narrow,)
    return wide == narrow or ("?" not in wide and all(match(text, wide) for text in texts))


def _denies(name: str, rules: Iterable[Rule]) -> Layer:
    """A limit that denies what the rules deny and nothing else; empty when they deny nothing."""
    softened = [rule if rule.action == "deny" else Rule(rule.permission, rule.pattern, "allow") for rule in rules]
    return Layer(name, softened if any(rule.action == "deny" for rule in softened) else ())


def _layers(*named: tuple[str, Sequence[Rule]]) -> tuple[Layer, ...]:
    return tuple(Layer(name, rules) for name, rules in named if rules)
