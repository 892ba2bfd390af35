"""State: the facts that are known at one point of a script about the working directory and about variables."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from tools_app.permission.shell.assignments import keeps_its_value
from tools_app.permission.shell.words import ANY_NAME, Environment, Value

MAX_FOLDERS: Final = 8  # possible working directories
MAX_VARIABLES: Final = 50
MAX_VALUES: Final = 8  # possible values of one variable


@dataclass(frozen=True, slots=True)
class State:
    """The known state of the shell at one point of a text."""

    folders: tuple[str, ...]
    """The possible working directories; empty if nothing is known."""
    home: str | None
    """The value of HOME; None if it is not known."""
    variables: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
    """The possible values of variables; empty if nothing is known about a variable."""

    def environment(self) -> Environment:
        return Environment(self.variables, self.folders, self.home)

    def in_folders(self, folders: tuple[str, ...]) -> "State":
        return replace(self, folders=folders if len(folders) <= MAX_FOLDERS else ())

    def unknown(self) -> "State":
        """Return a state in which all variables and the working directory are unknown."""
        return State((), None, dict.fromkeys((*self.variables, ANY_NAME), ()))

    def without_variables(self) -> "State":
        """Return the state for a new shell, with all variables unknown: the shell inherits only exported variables."""
        return State(self.folders, self.home, dict.fromkeys(self.variables, ()))

    def assigned(self, name: str, values: tuple[Value, ...]) -> "State":
        if name == "HOME":
            return replace(self, home=None, variables={**self.variables, name: ()})
        kept = values if len(values) <= MAX_VALUES and keeps_its_value(name) else ()
        if name not in self.variables and len(self.variables) >= MAX_VARIABLES:
            return replace(self, variables={**self.variables, ANY_NAME: ()})
        return replace(self, variables={**self.variables, name: kept})


def merged(first: State | None, second: State | None) -> State | None:
    """Return a state that covers two possible states: it has the values of both. None is an unreachable state."""
    if first is None or second is None or first == second:
        return first or second
    folders = tuple(dict.fromkeys((*first.folders, *second.folders))) if first.folders and second.folders else ()
    names = {*first.variables, *second.variables}
    variables = {name: _either(first.variables.get(name), second.variables.get(name)) for name in names}
    home = first.home if first.home == second.home else None
    return State(folders if len(folders) <= MAX_FOLDERS else (), home, variables)


def without_differences(first: State, second: State) -> State:
    """Return `first` without everything that differs in `second`."""
    changed = {name for name, values in first.variables.items() if second.variables.get(name, ()) != values}
    return State(
        first.folders if first.folders == second.folders else (),
        first.home if first.home == second.home else None,
        dict.fromkeys(second.variables, ())
        | {name: () if name in changed else values for name, values in first.variables.items()},
    )


def _either(first: tuple[Value, ...] | None, second: tuple[Value, ...] | None) -> tuple[Value, ...]:
    if not first or not second:
        return ()
    values = tuple(dict.fromkeys((*first, *second)))
    return values if len(values) <= MAX_VALUES else ()
