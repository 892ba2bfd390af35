"""What holds after a command."""

from collections.abc import Collection
from dataclasses import dataclass

from tools_app.permission.shell.state import State, merged


@dataclass(frozen=True, slots=True)
class Outcome:
    """The state after success, and after failure; None: that does not happen."""

    good: State | None
    bad: State | None

    def after(self, before: State) -> State:
        return merged(self.good, self.bad) or before


def or_not_run(outcome: Outcome, redirections: Collection[object], state: State) -> Outcome:
    """Where a redirection fails, what it belongs to does not run at all."""
    return Outcome(outcome.good, merged(outcome.bad, state)) if redirections else outcome


def either(first: Outcome, second: Outcome) -> Outcome:
    return Outcome(merged(first.good, second.good), merged(first.bad, second.bad))
