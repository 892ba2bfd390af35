"""ExitStates: the known state of the shell after a command has succeeded, and after it has failed."""

from collections.abc import Collection
from dataclasses import dataclass

from tools_app.permission.shell.state import State, merged


@dataclass(frozen=True, slots=True)
class ExitStates:
    """The states after success and after failure. None means that the command does not end that way."""

    success: State | None
    failure: State | None

    def after(self, before: State) -> State:
        """Return the known state after the command, whether it succeeded or failed; `before` if it never ends."""
        return merged(self.success, self.failure) or before


def or_not_run(outcome: ExitStates, redirections: Collection[object], state: State) -> ExitStates:
    """Return `outcome` with one more failure: a redirection fails, so the command does not run and `state` remains."""
    return ExitStates(outcome.success, merged(outcome.failure, state)) if redirections else outcome


def either(first: ExitStates, second: ExitStates) -> ExitStates:
    """Return the known state after one of two commands, if it is not known which one ran."""
    return ExitStates(merged(first.success, second.success), merged(first.failure, second.failure))
