"""Find the rules that may ask about or deny a path below a folder, and the strictest of these rules."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tools_app.permission.below import TooComplex, path_below
from tools_app.permission.model import STRICTNESS, Decision, Layer, Rule
from tools_app.permission.wildcard import match

DEFAULTS = "defaults"
"""The name of the layer with the preset's rules."""


@dataclass(frozen=True, slots=True)
class Guard:
    """A rule that asks about or denies some path below a folder. `rule` is None if no rule matches such a path."""

    rule: Rule | None
    layer: str | None
    limit: bool = False

    @property
    def action(self) -> str:
        return self.rule.action if self.rule else "ask"

    @property
    def pattern(self) -> str:
        return self.rule.pattern if self.rule else "*"

    @property
    def is_preset(self) -> bool:
        """True if the rule comes with the preset, and nobody wrote it for this site, team or project."""
        return self.layer == DEFAULTS and not self.limit

    @property
    def decision(self) -> Decision:
        return Decision(self.rule.action if self.rule else "ask", self.rule, self.layer)


@lru_cache(maxsize=1024)
def guards_below(
    permission: str, folder: str, preferences: tuple[Layer, ...], limits: tuple[Layer, ...] = (), *, name: str = "*",
    flat: bool = False,
) -> tuple[Guard, ...]:  # fmt: skip
    """Return the rules that ask about or deny a path below `folder` whose name matches the glob `name`.

    With `flat`, only for paths directly in the folder. A rule that later, looser rules cover completely is left out.
    """
    guards = list(_of_preferences(permission, folder, preferences, name, flat=flat))
    for layer in limits:
        rules = _rules_for(permission, layer)
        for index, rule in enumerate(rules):
            if _is_alive(rule, rules[index + 1 :], folder, name, flat=flat):
                guards.append(Guard(rule, layer.name, limit=True))
    return tuple(guards)


def weighed_with_folder(decision: Decision, folder: str) -> bool:
    """Return whether `decision` asks because of a rule that matches the folder itself.

    Such a rule, like `ask edit *`, was already applied when the folder was judged; a person's decision about the
    folder also covers the files below it.
    """
    pattern = decision.rule.pattern if decision.rule else "*"
    return decision.action == "ask" and match(folder, pattern)


def _of_preferences(permission: str, folder: str, layers: Sequence[Layer], name: str, *, flat: bool) -> Iterator[Guard]:
    ordered = [(layer, _rules_for(permission, layer)) for layer in layers]
    for position, (layer, rules) in enumerate(ordered):
        # a layer that only tightens may not lift the rules of earlier layers
        later = [rule for other, its in ordered[position + 1 :] if not other.tightens_only for rule in its]
        for index, rule in enumerate(rules):
            if _is_alive(rule, [*rules[index + 1 :], *later], folder, name, flat=flat):
                yield Guard(rule, layer.name)
    every = [rule for layer, rules in ordered if not layer.tightens_only for rule in rules]
    if _is_alive(Rule(permission, "*", "ask"), every, folder, name, flat=flat, everything=True):
        yield Guard(None, None)


def _rules_for(permission: str, layer: Layer) -> list[Rule]:
    return [rule for rule in layer.rules if match(permission, rule.permission)]


def _is_alive(
    rule: Rule, later: Sequence[Rule], folder: str, name: str, *, flat: bool, everything: bool = False
) -> bool:
    """Return whether `rule` asks about or denies a path that no later, looser rule matches.

    Later rules that are as strict need not be considered, because they decide at least as strictly.
    """
    if rule.action == "allow":
        return False
    looser = [other.pattern for other in later if everything or STRICTNESS[other.action] < STRICTNESS[rule.action]]
    try:
        return path_below(rule.pattern, folder, unless=tuple(dict.fromkeys(looser)), name=name, flat=flat) is not None
    except TooComplex:
        return True
