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
    """Return `outcome`, with `state` as another possible state after a failure: if a redirection fails, the command
    does not run."""
    return ExitStates(outcome.success, merged(outcome.failure, state)) if redirections else outcome


def either(first: ExitStates, second: ExitStates) -> ExitStates:
    """Return exit states that are true for either of two commands, because it is not known which of the two ran."""
    return ExitStates(merged(first.success, second.success), merged(first.failure, second.failure))
