"""Mutants of the option tables: each mutant replaces one option by a milder form, so that the table judges less
strictly."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import ModuleType
from typing import Any, Final

from tests.contract.shell.mutants.sites import Mutants

INCOMPLETE: Final = frozenset({"JUDGED", "GLOBAL_JUDGED"})
"""Tables that other tables are made from."""


class _Watched(dict[str, Any]):
    """The options of one option table. If a mutation site of an option is left out, looking up the option returns a
    less strict version of it."""

    def __init__(self, name: str, options: Mapping[str, Any], mutants: Mutants) -> None:
        super().__init__(options)
        self._mutants = mutants
        self._milder = {
            option: [(f"{name} {option}: {how}", milder) for how, milder in _milder(judged)]
            for option, judged in options.items()
        }
        mutants.sites |= {site: None for sites in self._milder.values() for site, _ in sites}

    def __getitem__(self, option: str) -> Any:
        judged = super().__getitem__(option)
        return next((milder for site, milder in self._milder[option] if not self._mutants.keeps(site)), judged)

    def get(self, option: str, default: Any = None) -> Any:
        found = super().get(option, default)
        return found if found is default else self[option]


def watch(mutants: Mutants, modules: Iterable[ModuleType]) -> None:
    """Make every option in the tables of the modules a mutation site, so that a mutant can leave it out."""
    seen: set[int] = set()
    for module in modules:
        for name, value in vars(module).copy().items():
            if name in INCOMPLETE:
                continue
            for where, spec in _specs(f"{module.__name__.rpartition('.')[2]}.{name}", value):
                if id(spec) not in seen:
                    seen.add(id(spec))
                    object.__setattr__(spec, "options", _Watched(where, spec.options, mutants))


def _specs(where: str, value: Any) -> Iterator[tuple[str, Any]]:
    if type(value).__name__ == "ArgumentSpec":
        yield where, value
    elif isinstance(value, tuple):
        for each in value:
            yield from _specs(where, each)
    elif isinstance(value, Mapping) and not isinstance(value, _Watched):
        for key, each in value.items():
            yield from _specs(f"{where} {' '.join(key) if isinstance(key, tuple) else key}", each)


def _milder(option: Any) -> Iterator[tuple[str, Any]]:
    if option.runs:
        yield "runs nothing", replace(option, runs=False)
    if option.kind not in {None, "text"}:
        yield f"{option.kind} is text", replace(option, kind="text")
    if option.takes == "value":
        yield "takes no value", replace(option, takes="nothing", kind=None)
    if option.takes == "joined":
        yield "takes the next word", replace(option, takes="value")
    if not option.known:
        yield "is judged", replace(option, known=True)
