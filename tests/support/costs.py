"""The exact costs of the site's frequent operations: SQL statements, transactions, messages and bytes, the same in each
run.

`tests/integration/sessions_app/test_costs.py` holds the site to these numbers on both databases. `write_table`, which
`manage.py shell` can call, makes the table on docs/performance.md from them.
"""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import pytest
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper

from sessions_app.events.publish import publisher
from sessions_app.models import Session, SessionEvent
from tests.support.lanes import ON_POSTGRES
from tests.support.session_site import SessionSite

PAGE: Final = Path(__file__).parents[2] / "docs" / "performance.md"
BEGIN, END = "<!-- costs -->", "<!-- end of costs -->"
CONTROL: Final = re.compile(r"(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)", re.IGNORECASE)
VARYING: Final = (
    (re.compile(r'"\d{4}-\d\d-\d\dT[^"]*"'), '"time"'),
    (re.compile(r"_[0-9a-f]{32}"), "_id"),
    (re.compile(r"\d+"), "0"),
)
"""Values that differ between runs, and their replacements: times, ids, and numbers, which test names contain too."""


@dataclass(frozen=True, slots=True)
class Cost:
    """The costs of one operation. `statements` counts SQL statements, except those that begin and end transactions;
    `on_postgres` counts additional statements on PostgreSQL, which lock the team. `published` counts messages to the
    channel layer, `tasks` messages to the broker; `event_bytes` is the size of the stored events as JSON, with
    `VARYING` replaced."""

    statements: int
    transactions: int = 0
    tasks: int = 0
    published: int = 0
    event_bytes: int = 0
    on_postgres: int = 0


COSTS: Final[Mapping[str, Cost]] = {
    "step": Cost(17, transactions=3, tasks=1, published=2, event_bytes=1705, on_postgres=2),
    "step with a budget": Cost(19, transactions=3, tasks=1, published=2, event_bytes=1707, on_postgres=2),
    "call": Cost(18, transactions=2, tasks=1, published=2, event_bytes=1193),
    "waiting call": Cost(19, transactions=1, published=2, event_bytes=2199),
    "answer": Cost(21, transactions=1, tasks=1, published=2, event_bytes=2245),
    "last step": Cost(23, transactions=3, published=2, event_bytes=1472, on_postgres=2),
    "hello": Cost(17),
    "event": Cost(0, published=1),
}
"""Costs of each kind of work, which `DESCRIPTIONS` describes."""

DESCRIPTIONS: Final[Mapping[str, str]] = {
    "step": "a step of a turn, in the agent worker: read the request's parts, one model call, store one tool call",
    "step with a budget": "the same for a priced model under one budget",
    "call": "a tool call that is allowed at once, in the sandbox worker: judge, run, store the result",
    "waiting call": "a tool call that a person is asked about, up to the question",
    "answer": "a person's answer to it, over REST",
    "last step": "the step that ends the turn",
    "hello": "the first frame of a socket: rights and snapshot",
    "event": "one event of another process to one viewer",
}


@dataclass
class Meter:
    """Counts of the statements, transactions, messages and tasks of all threads of this process during a block."""

    statements: list[str] = field(default_factory=list)
    transactions: int = 0
    tasks: int = 0
    published: int = 0
    event_bytes: int = 0

    @property
    def cost(self) -> Cost:
        return Cost(len(self.statements), self.transactions, self.tasks, self.published, self.event_bytes)


@contextmanager
def metered(site: SessionSite, session: Session, patch: pytest.MonkeyPatch) -> Iterator[Meter]:
    """Measure the costs of a block that works on `session`."""
    events = SessionEvent.objects.filter(session=session).order_by("-seq")
    last, sent = events.values_list("seq", flat=True).first() or 0, _sent(site)
    with counted(patch) as meter:
        yield meter
    meter.tasks = _sent(site) - sent
    stored = events.filter(seq__gt=last).values_list("data", flat=True)
    meter.event_bytes = sum(len(_unvarying(json.dumps(data))) for data in stored)


def _unvarying(text: str) -> str:
    for pattern, same in VARYING:
        text = pattern.sub(same, text)
    return text


def _sent(site: SessionSite) -> int:
    return len(site.pump.waiting) + len(site.pump.done)


@contextmanager
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[Meter]:
    """Count SQL statements, transactions and published messages of all threads during the block."""
    meter = Meter()
    wrapper: Any = BaseDatabaseWrapper
    execute, commit, send = CursorWrapper.execute, wrapper._commit, publisher.send

    def counted_execute(cursor: Any, sql: str, params: Any = None) -> Any:
        if not CONTROL.match(sql):
            meter.statements.append(sql)
        return execute(cursor, sql, params)

    def counted_commit(connection: Any) -> Any:
        meter.transactions += 1
        return commit(connection)

    def counted_send(group: str, message: dict[str, Any]) -> None:
        meter.published += 1
        send(group, message)

    with monkeypatch.context() as patch:
        patch.setattr(CursorWrapper, "execute", counted_execute)
        patch.setattr(wrapper, "_commit", counted_commit)
        patch.setattr(publisher, "send", counted_send)
        yield meter


def expected(name: str) -> Cost:
    """Return the entry of `COSTS` with this name, with the additional statements included if the tests run on
    PostgreSQL."""
    cost = COSTS[name]
    more = cost.on_postgres if ON_POSTGRES else 0
    return replace(cost, statements=cost.statements + more, on_postgres=0)


def _columns(cost: Cost) -> tuple[int, ...]:
    return cost.statements, cost.on_postgres, cost.transactions, cost.tasks, cost.published, cost.event_bytes


def table() -> str:
    """Return the table of costs in docs/performance.md as Markdown."""
    titles = ("what", "statements", "more on PostgreSQL", "transactions", "tasks", "published", "bytes of events")
    head = f"| {' | '.join(titles)} |\n| --- |{' ---: |' * (len(titles) - 1)}\n"
    lines = [f"| {DESCRIPTIONS[name]} | {' | '.join(map(str, _columns(cost)))} |" for name, cost in COSTS.items()]
    return head + "\n".join(lines)


def write_table() -> None:
    """Write the table of costs into docs/performance.md."""
    page = PAGE.read_text()
    start, rest = page.split(BEGIN)
    PAGE.write_text(f"{start}{BEGIN}\n{table()}\n{END}{rest.split(END)[1]}")
