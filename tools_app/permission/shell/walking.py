"""Walker: the methods of the script walker that the functions for shell builtins call."""

from typing import Protocol

from tools_app.permission.shell.record import Record
from tools_app.permission.shell.specs import ArgumentKind
from tools_app.permission.shell.state import State
from tools_app.permission.shell.words import Field


class Walker(Protocol):
    record: Record

    def touch(self, field: Field, kind: ArgumentKind, state: State, *, deep: bool = False) -> None: ...

    def nested(self, text: str, state: State) -> None:
        """Analyse a text that the shell runs."""

    def is_for_project(self, name: str, source: str, state: State) -> bool:
        """Record a variable that is only for the project's own code. Returns False for any other variable."""

    def value_names(self, name: str, source: str, state: State) -> None:
        """Record the files that the value of a variable may name."""

    def leave_loop(self, state: State) -> None:
        """Record that a loop may end, or begin its next iteration, in this state."""
