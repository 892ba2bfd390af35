"""What holds after a command."""

from dataclasses import dataclass

from tools_app.permission.shell.state import State, merged


@dataclass(frozen=True, slots=True)
class Outcome:
    """The state after success, and after failure; None: that does not happen."""

    good: State | None
    bad: State | None

    def after(self, before: State) -> State:
        return merged(self.good, self.bad) or before


def either(first: Outcome, second: Outcome) -> Outcome:
    return Outcome(merged(first.good, second.good), merged(first.bad, second.bad))
