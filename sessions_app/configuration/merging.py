"""Merge the settings of all levels into one configuration, with the source of every value. Pure.

Levels are given from the weakest to the strongest. A later value replaces an earlier one, but some lists are joined.
Values that do not apply replace nothing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from sessions_app.configuration.keys import JOINED, Path
from sessions_app.configuration.reading import Setting, Source

_ORDERED: Final = "permission"
"""The key whose order decides: the last rule that matches wins, so a value that is set again moves to the end."""


@dataclass(frozen=True, slots=True)
class Effective:
    """The effective value of one key. `sources` are the levels that contributed to a joined list.

    `overridden` are the settings that the value replaced, the strongest last.
    """

    setting: Setting
    sources: tuple[Source, ...]
    overridden: tuple[Setting, ...] = ()


@dataclass(frozen=True, slots=True)
class Merged:
    """A merged configuration: the values in force, and the settings that do not apply."""

    effective: dict[Path, Effective] = field(default_factory=dict)
    unapplied: tuple[Setting, ...] = ()

    def value(self, *path: str) -> Any:
        """Return the value in force of a key; None if the key has no value."""
        found = self.effective.get(path)
        return None if found is None else found.setting.value

    def below(self, *path: str) -> dict[str, Any]:
        """Return the settings below a key as nested dicts: {} if there are none, or if the key itself has a value."""
        tree: dict[str, Any] = {}
        for each in self.effective.values():
            steps = each.setting.path
            if len(steps) > len(path) and steps[: len(path)] == path:
                _put(tree, steps[len(path) :], each.setting.value)
        return tree

    @property
    def tree(self) -> dict[str, Any]:
        """Return all values in force as one configuration document."""
        return self.below()


def merge(levels: Iterable[Sequence[Setting]]) -> Merged:
    """Merge the settings of the levels, which are given from the weakest to the strongest."""
    found: dict[Path, Effective] = {}
    unapplied: list[Setting] = []
    for settings in levels:
        for setting in settings:
            if setting.status == "applied":
                _add(found, setting)
            else:
                unapplied.append(setting)
    return Merged(found, tuple(unapplied))


def _add(found: dict[Path, Effective], setting: Setting) -> None:
    replaced = _replaced(found, setting.path)
    before = found.get(setting.path)
    if before is not None and setting.path in JOINED and isinstance(before.setting.value, list):
        found[setting.path] = _joined(before, setting)
        return
    if before is not None:
        replaced = [*replaced, *before.overridden, before.setting]
        if setting.path[0] == _ORDERED:
            del found[setting.path]
    if setting.path in JOINED:
        setting = replace(setting, value=_without_doubles(setting.value))
    found[setting.path] = Effective(setting, (setting.source,), tuple(replaced))


def _joined(before: Effective, setting: Setting) -> Effective:
    """Return the value of a list setting with the entries of weaker levels first, without duplicates."""
    joined = _without_doubles([*before.setting.value, *setting.value])
    reason = " ".join(dict.fromkeys(filter(None, (before.setting.reason, setting.reason))))
    return Effective(
        replace(setting, value=joined, reason=reason), (*before.sources, setting.source), before.overridden
    )


def _without_doubles(entries: Iterable[Any]) -> list[Any]:
    kept: list[Any] = []
    known: set[str] = set()
    for entry in entries:
        mark = repr(entry)
        if mark not in known:
            known.add(mark)
            kept.append(entry)
    return kept


def _replaced(found: dict[Path, Effective], path: Path) -> list[Setting]:
    """Remove values that cannot be in force together with a value at `path`, such as `formatter: false` with
    `formatter.prettier`, and return their settings."""
    above = [path[:length] for length in range(1, len(path)) if path[:length] in found]
    below = [each for each in found if len(each) > len(path) and each[: len(path)] == path] if len(path) == 1 else []
    removed = [found.pop(each) for each in (*above, *below)]
    return [setting for each in removed for setting in (*each.overridden, each.setting)]


def _put(tree: dict[str, Any], path: Path, value: Any) -> None:
    for step in path[:-1]:
        inner = tree.setdefault(step, {})
        if not isinstance(inner, dict):
            return
        tree = inner
    tree[path[-1]] = value
