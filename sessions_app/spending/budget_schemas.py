"""API schemas of budgets. Amounts are strings of US dollars, so that clients do not round them."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Literal, Self

from ninja import Field
from pydantic import model_validator

from agentsite.base.ids import to_public
from agentsite.http.request_body import RequestBody
from agentsite.tenancy.access import can
from agentsite.tenancy.roles import Act
from sessions_app.events import schema, views
from sessions_app.models import Budget
from sessions_app.spending.admission import window_end
from sessions_app.spending.ledger import roll_over

Scope = Literal["team", "project", "person", "session"]
Period = Literal["day", "week", "month", "total"]
UnknownPrices = Literal["refuse", "allow", "assume"]
Money = Annotated[Decimal, Field(ge=0, max_digits=14, decimal_places=6, examples=["25.00"])]
Tokens = Annotated[int, Field(ge=1, le=10_000_000)]


class BudgetView(schema.View):
    """A budget. `spent` and `reserved` are the sums of the period from `window_start` to `window_end` (null: no end);
    `left` is the remainder. `reserved` belongs to running calls, which release the part that they do not use.
    `unpriced_calls` is the number of calls without a known price. `target_name` is a display name; `can_edit`: you may
    change the budget."""

    id: str
    team_id: str
    team_name: str
    scope: Scope
    target: str
    target_name: str
    period: Period
    limit: str
    currency: Literal["USD"]
    hard: bool
    unknown_prices: UnknownPrices
    assumed_input: str | None
    assumed_output: str | None
    max_output: int | None
    spent: str
    reserved: str
    left: str
    unpriced_calls: int
    window_start: datetime
    window_end: datetime | None
    version: int
    changed_by: schema.PersonView | None
    changed_at: datetime
    can_edit: bool

    @classmethod
    def of(cls, row: Budget, *, reader: Any, now: datetime) -> Self:
        roll_over(row, now)
        return cls(
            id=row.public_id,
            team_id=to_public("tea", row.team_id),
            team_name=row.team.name,
            scope=row.scope,
            target=row.target,
            target_name=_target_name(row),
            period=row.period,
            limit=_text(row.limit),
            currency="USD",
            hard=row.hard,
            unknown_prices=row.unknown_prices,
            assumed_input=None if row.assumed_input is None else _text(row.assumed_input),
            assumed_output=None if row.assumed_output is None else _text(row.assumed_output),
            max_output=row.max_output,
            spent=_text(row.spent),
            reserved=_text(row.reserved),
            left=_text(max(row.limit - row.spent - row.reserved, Decimal(0))),
            unpriced_calls=row.unpriced_calls,
            window_start=row.window_start,
            window_end=window_end(row.period, row.window_start),
            version=row.version,
            changed_by=views.person(row.changed_by),
            changed_at=row.changed_at,
            can_edit=can(reader, Act.MANAGE_BUDGETS, team_id=row.team_id),
        )


class NewBudget(RequestBody):
    """A new budget. `target` is the id of the project, person or root session; a team's budget has none. A hard budget
    blocks calls that do not fit; other budgets only notify. `unknown_prices` says whether models without a known price
    are refused, allowed (and only counted), or counted at assumed dollars per million tokens; a hard budget refuses
    them by default. `max_output` limits the tokens of each answer."""

    scope: Scope
    target: str = Field(default="", max_length=64)
    period: Period
    limit: Money
    hard: bool = True
    unknown_prices: UnknownPrices | None = None
    assumed_input: Money | None = None
    assumed_output: Money | None = None
    max_output: Tokens | None = None

    def set_fields(self) -> dict[str, Any]:
        values = self.model_dump(exclude={"scope", "target"})
        return {**values, "unknown_prices": self.unknown_prices or ("refuse" if self.hard else "allow")}


class BudgetChange(RequestBody):
    """Changes of a budget; omitted fields stay unchanged. `base_version` is the version that you have read."""

    period: Period | None = None
    limit: Money | None = None
    hard: bool | None = None
    unknown_prices: UnknownPrices | None = None
    assumed_input: Money | None = None
    assumed_output: Money | None = None
    max_output: Tokens | None = None
    base_version: int | None = Field(default=None, ge=0, le=2**31 - 1)

    @model_validator(mode="after")
    def _says_what_is_needed(self) -> Self:
        for name in ("period", "limit", "hard", "unknown_prices"):
            if name in self.model_fields_set and getattr(self, name) is None:
                raise ValueError(f"'{name}' cannot be empty; leave it out to keep it")
        return self

    def changes(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.model_fields_set - {"base_version"}}


def _text(amount: Decimal) -> str:
    return f"{amount:.6f}"


def _target_name(row: Budget) -> str:
    match row.scope:
        case Budget.Scope.PROJECT if row.project:
            return row.project.name
        case Budget.Scope.PERSON if row.person:
            return row.person.name or row.person.email
        case Budget.Scope.SESSION if row.session:
            return row.session.title or "A session without a title"
    return row.team.name
