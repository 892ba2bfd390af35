"""What a step used: tokens and cost, added to its session."""

from dataclasses import dataclass
from decimal import Decimal

from sessions_app.models import ModelCall, Session
from sessions_app.spending.reservations import Settlement, settle_call


@dataclass(frozen=True, slots=True)
class StepUsage:
    """Tokens and cost of a step. `limit` is the number of tokens at which the conversation is compacted, 0 if unknown.
    `settles` is the record of the model call to settle, and its outcome."""

    tokens: dict[str, int]
    cost: Decimal
    limit: int = 0
    settles: tuple[ModelCall, Settlement] | None = None


def add_usage(session: Session, spent: StepUsage) -> None:
    """Add tokens and cost to the session and settle the model call. A call that was already settled (its worker was
    taken for dead) is not added again."""
    if spent.settles is None or settle_call(*spent.settles):
        session.cost += spent.cost
    session.tokens = {name: session.tokens.get(name, 0) + count for name, count in spent.tokens.items()}
