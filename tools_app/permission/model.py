"""The values of the permission engine: rules, layers of rules, requests and decisions."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

Action = Literal["allow", "ask", "deny"]

_ACTIONS: Final[Mapping[str, Action]] = {"allow": "allow", "ask": "ask", "deny": "deny"}

STRICTNESS: Final[Mapping[str, int]] = {"allow": 0, "ask": 1, "deny": 2}

_HOME_VARIABLE: Final = re.compile(r"\$HOME(?![A-Za-z0-9_])")


class BadRule(ValueError):
    """A rule that means nothing; the message names the place and what may stand there."""


@dataclass(frozen=True, slots=True)
class Rule:
    """`permission` and `pattern` are wildcards, see `wildcard.match`."""

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
    """Where rules come from, in the words shown to people ("defaults", "team", "grants").

    Among the preferences a layer that `tightens_only` cannot make a decision looser than the layers before it did,
    but for requests that one of `may_loosen` (permission, pattern) matches.
    """

    name: str
    rules: tuple[Rule, ...]
    tightens_only: bool = False
    may_loosen: tuple[tuple[str, str], ...] = ()

    def __init__(
        self,
        name: str,
        rules: Sequence[Rule],
        *,
        tightens_only: bool = False,
        may_loosen: Sequence[tuple[str, str]] = (),
    ) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "rules", tuple(rules))
        object.__setattr__(self, "tightens_only", tightens_only)
        object.__setattr__(self, "may_loosen", tuple(may_loosen))


@dataclass(frozen=True, slots=True)
class Request:
    """One thing that somebody wants to do: `pattern` is a concrete path, command or name, never a wildcard."""

    permission: str
    pattern: str


@dataclass(frozen=True, slots=True)
class Match:
    """One rule that speaks about a request, and where it comes from."""

    rule: Rule
    layer: str
    limit: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """`rule` and `layer` decided; both are None when no rule spoke and the request is asked for that reason.

    `trace` holds the other rules that matched, weakest first: what would have decided had `rule` not been there.
    """

    action: Action
    rule: Rule | None
    layer: str | None
    trace: tuple[Match, ...] = ()


def rules_from_config(config: Mapping[str, str | Mapping[str, str]], *, home: str) -> tuple[Rule, ...]:
    """The rules of a `permission` block, in its order. A string stands for the pattern `*`.

    `~`, `~/...` and `$HOME` at the start of a pattern become `home`. Raises BadRule.
    """
    rules: list[Rule] = []
    for permission, value in config.items():
        patterns = {"*": value} if isinstance(value, str) else value
        if not isinstance(patterns, Mapping):
            raise BadRule(f"{permission}: expected an action or an object of pattern and action, got {value!r}.")
        for pattern, action in patterns.items():
            rules.append(Rule(permission, expand_home(pattern, home), _action(permission, pattern, action)))
    return tuple(rules)


def expand_home(pattern: str, home: str) -> str:
    if pattern == "~" or pattern.startswith("~/"):
        return home + pattern[1:]
    if found := _HOME_VARIABLE.match(pattern):
        return home + pattern[found.end() :]
    return pattern


def _action(permission: str, pattern: str, value: object) -> Action:
    if isinstance(value, str) and value in _ACTIONS:
        return _ACTIONS[value]
    raise BadRule(f"{permission} {pattern!r}: {value!r} is not one of allow, ask, deny.")
