"""Data types of the permission engine: rules, layers of rules, requests and decisions."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

Action = Literal["allow", "ask", "deny"]

_ACTIONS: Final[Mapping[str, Action]] = {"allow": "allow", "ask": "ask", "deny": "deny"}

STRICTNESS: Final[Mapping[str, int]] = {"allow": 0, "ask": 1, "deny": 2}  # a higher number is stricter

_HOME_VARIABLE: Final = re.compile(r"\$HOME(?![A-Za-z0-9_])")


class BadRule(ValueError):
    """A rule is invalid. The message names the permission and pattern, and the values that are allowed."""


@dataclass(frozen=True, slots=True)
class Rule:
    """The action for requests that match `permission` and `pattern`, both wildcards (see `wildcard.match`)."""

    permission: str
    pattern: str
    action: Action

    def __post_init__(self) -> None:
        if self.action not in STRICTNESS:
            raise BadRule(f"{self.permission} {self.pattern!r}: {self.action!r} is not one of allow, ask, deny.")

    def as_dict(self) -> dict[str, str]:
        return {"permission": self.permission, "pattern": self.pattern, "action": self.action}


@dataclass(frozen=True, slots=True)
class Layer:
    """The rules of one source, in order. `name` is shown to people: "defaults", "team", "grants".

    A preference layer with `tightens_only` cannot make a decision looser than the layers before it, except for
    requests that match one of the (permission, pattern) pairs in `may_loosen`. If a preference layer has
    `runs_incomplete`, a command that cannot be read completely runs unasked where the rules allow every command.
    """

    name: str
    rules: tuple[Rule, ...]
    tightens_only: bool = False
    may_loosen: tuple[tuple[str, str], ...] = ()
    runs_incomplete: bool = False
    _hash: int = field(default=0, init=False, repr=False, compare=False)

    def __init__(
        self,
        name: str,
        rules: Sequence[Rule],
        *,
        tightens_only: bool = False,
        may_loosen: Sequence[tuple[str, str]] = (),
        runs_incomplete: bool = False,
    ) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "rules", tuple(rules))
        object.__setattr__(self, "tightens_only", tightens_only)
        object.__setattr__(self, "may_loosen", tuple(may_loosen))
        object.__setattr__(self, "runs_incomplete", runs_incomplete)
        object.__setattr__(self, "_hash", 0)

    def __hash__(self) -> int:
        """Return the hash, which is computed once: a layer of a preset has hundreds of rules."""
        if not self._hash:
            values = (self.name, self.rules, self.tightens_only, self.may_loosen, self.runs_incomplete)
            object.__setattr__(self, "_hash", hash(values))
        return self._hash


@dataclass(frozen=True, slots=True)
class Request:
    """A request for a decision by the rules. `pattern` is a concrete path, command or name, never a wildcard."""

    permission: str
    pattern: str


@dataclass(frozen=True, slots=True)
class Match:
    """A rule that matches a request, with the name of its layer. `limit`: the layer is a limit, not a preference."""

    rule: Rule
    layer: str
    limit: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """The action for a request, with the rule that decided it and the name of that rule's layer.

    `rule` and `layer` are None if no rule matched; the action is then "ask". `trace` holds the other rules that
    matched, weakest first, so that people see the decision that would apply without `rule`.
    """

    action: Action
    rule: Rule | None
    layer: str | None
    trace: tuple[Match, ...] = ()


def rules_from_config(config: Mapping[str, str | Mapping[str, str]], *, home: str) -> tuple[Rule, ...]:
    """Return the rules of a `permission` block, in its order. A plain action instead of an object means pattern `*`.

    `~`, `~/...` and `$HOME` at the start of a pattern are replaced by `home`. Raises BadRule.
    """
    rules: list[Rule] = []
    for permission, value in config.items():
        patterns = {"*": value} if isinstance(value, str) else value
        if not isinstance(patterns, Mapping):
            raise BadRule(f"{permission}: expected an action or an object of patterns with actions, got {value!r}.")
        for pattern, action in patterns.items():
            rules.append(Rule(permission, expand_home(pattern, home), _action(permission, pattern, action)))
    return tuple(rules)


def expand_home(pattern: str, home: str) -> str:
    """Replace `~` or `$HOME` at the start of `pattern` by `home`."""
    if pattern == "~" or pattern.startswith("~/"):
        return home + pattern[1:]
    if found := _HOME_VARIABLE.match(pattern):
        return home + pattern[found.end() :]
    return pattern


def _action(permission: str, pattern: str, value: object) -> Action:
    if isinstance(value, str) and value in _ACTIONS:
        return _ACTIONS[value]
    raise BadRule(f"{permission} {pattern!r}: {value!r} is not one of allow, ask, deny.")
