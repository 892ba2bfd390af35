"""ExitStates: what is known of the shell's state after a command has succeeded or failed."""

from collections.abc import Collection
from dataclasses import dataclass

from tools_app.permission.shell.state import State, merged


@dataclass(frozen=True, slots=True)
class ExitStates:
    """The states after success and after failure. None: the command does not end that way."""

    success: State | None
    failure: State | None

    def after(self, before: State) -> State:
        """Return what is known after the command, however it ended; `before` if it never ends."""
        return merged(self.success, self.failure) or before


def or_not_run(outcome: ExitStates, redirections: Collection[object], state: State) -> ExitStates:
    """Add the case that a redirection fails, so that its command does not run and `state` stays."""
    return ExitStates(outcome.success, merged(outcome.failure, state)) if redirections else outcome


def either(first: ExitStates, second: ExitStates) -> ExitStates:
    """Return what is known if one of two commands ran, and it is not known which."""
    return ExitStates(merged(first.success, second.success), merged(first.failure, second.failure))
