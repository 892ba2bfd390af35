"""What is known at one place of a text: the folders it may be in, and the variables whose values are plain."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from tools_app.permission.shell.words import Environment, Value

MOST_FOLDERS: Final = 8
MOST_VARIABLES: Final = 50
MOST_VALUES: Final = 8


@dataclass(frozen=True, slots=True)
class State:
    """`folders` empty: nobody knows where. A variable without a value in `variables` is not known."""

    folders: tuple[str, ...]
    home: str | None
    variables: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)

    def environment(self) -> Environment:
        return Environment(self.variables, self.folders, self.home)

    def moved(self, folders: tuple[str, ...]) -> "State":
        return replace(self, folders=folders if len(folders) <= MOST_FOLDERS else ())

    def lost(self) -> "State":
        """The same with every variable and the folder unknown."""
        return State((), None, dict.fromkeys(self.variables, ()))

    def lost_variables(self) -> "State":
        """What another shell knows: it has only what was exported."""
        return State(self.folders, self.home, dict.fromkeys(self.variables, ()))

    def assigned(self, name: str, values: tuple[Value, ...]) -> "State":
        if name == "HOME":
            return replace(self, home=None, variables={**self.variables, name: ()})
        kept = values if len(values) <= MOST_VALUES else ()
        if name not in self.variables and len(self.variables) >= MOST_VARIABLES:
            return self
        return replace(self, variables={**self.variables, name: kept})


def merged(first: State | None, second: State | None) -> State | None:
    """What is known when either may be the case; None stands for "never comes here"."""
    if first is None or second is None or first == second:
        return first or second
    folders = tuple(dict.fromkeys((*first.folders, *second.folders))) if first.folders and second.folders else ()
    names = {*first.variables, *second.variables}
    variables = {name: _either(first.variables.get(name), second.variables.get(name)) for name in names}
    home = first.home if first.home == second.home else None
    return State(folders if len(folders) <= MOST_FOLDERS else (), home, variables)


def without_differences(first: State, second: State) -> State:
    """`first` with everything unknown that is something else in `second`."""
    changed = {name for name, values in first.variables.items() if second.variables.get(name, ()) != values}
    return State(
        first.folders if first.folders == second.folders else (),
        first.home if first.home == second.home else None,
        {name: () if name in changed else values for name, values in first.variables.items()},
    )


def _either(first: tuple[Value, ...] | None, second: tuple[Value, ...] | None) -> tuple[Value, ...]:
    if not first or not second:
        return ()
    values = tuple(dict.fromkeys((*first, *second)))
    return values if len(values) <= MOST_VALUES else ()
