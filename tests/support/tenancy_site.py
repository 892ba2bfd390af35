"""The world of the tenancy tests: groups of routes, two teams with their callers, and requests that are rolled back."""

import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import pytest
from django.db import connection, transaction
from pytest_django import DjangoDbBlocker

from agentsite.tenancy.roles import Act, Role
from tests.support.tenancy_callers import (
    Caller,
    caller_with,
    former_member,
    let_in,
    members_of,
    programs,
    strangers,
    unknown_callers,
)
from tests.support.tenancy_matrix import ROUTES
from tests.support.tenancy_requests import Operation, operations, seen
from tests.support.tenancy_route import Open
from tests.support.tenancy_world import (
    Tenant,
    everything,
    make_tenant,
    missing_ids,
    our_models,
    plant_canaries,
)

ALL: Final = operations()
KNOWN: Final = [operation for operation in ALL if operation.name in ROUTES]
PRIVATE: Final = [operation for operation in KNOWN if operation.row.needs is not Open.PUBLIC]
OF_ROWS: Final = [operation for operation in PRIVATE if operation.row_ids]
LISTS: Final = [one for one in PRIVATE if one.reads and not one.path_ids and not one.row.asks]
OF_TEAMS: Final = [operation for operation in OF_ROWS if isinstance(operation.row.needs, Act)]

LOOKS: Final = r'(?! SET "(?:last_used_at|last_login)" = \S+ WHERE)'
WRITES: Final = re.compile(rf'\s*(?:INSERT INTO|UPDATE|DELETE FROM) "(\w+)"{LOOKS}')
TABLES: Final = frozenset(model._meta.db_table for model in our_models())
AUDIT: Final = frozenset({"AuditEntry", "AuditChain"})
"""Models to which a read may add rows: those of the audit log, which the reader's team sees."""


@dataclass(frozen=True)
class World:
    """Two teams and their callers. `home` is the strangers' own team with its `members`; no stranger may see `foreign`.
    `before` are the responses of lists before the foreign team existed; `rows` are all rows of both teams."""

    home: Tenant
    members: dict[str, tuple[Role, bool, Caller]]
    foreign: Tenant
    missing: dict[str, str]
    outside: dict[str, Caller]
    unknown: dict[str, Caller]
    before: dict[tuple[str, str], Any]
    rows: dict[str, Any]


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[World]:
    """Create the two teams of the tenancy tests once for a module. Tests roll their changes back."""
    with django_db_blocker.unblock(), transaction.atomic():
        home = make_tenant()
        members, tokens = members_of(home), programs(home)
        outside = {**strangers(home), **{who: caller_with(issued) for who, issued in tokens.items()}}
        for caller in outside.values():
            caller.browser.get("/api/v1/me", headers=dict(caller.headers))  # so that all have been here before
        before = {(str(one), who): look(one, caller, home) for one in LISTS for who, caller in outside.items()}
        with transaction.atomic():
            foreign = _make_foreign(home)
        missing = missing_ids(foreign)
        let_in(tokens, foreign)
        outside["a removed member"] = former_member(foreign)
        unknown = unknown_callers(foreign)
        yield World(home, members, foreign, missing, outside, unknown, before, everything())
        transaction.set_rollback(True)


def _make_foreign(home: Tenant) -> Tenant:
    kept = {model: set(model._base_manager.values_list("pk", flat=True)) for model in our_models()}
    foreign = make_tenant()
    assert plant_canaries(but=kept) > 50
    return foreign


# --- looks ------------------------------------------------------------------------------------------------------------
@contextmanager
def undone() -> Iterator[None]:
    """Roll back all changes of the block."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@contextmanager
def changing_nothing(rows: Mapping[str, Any], *, but: Collection[str] = ()) -> Iterator[None]:
    """Roll back all changes of the block, and check that it changed no row except rows of the models in `but`. `rows`
    are all rows, as `everything` returned them before."""
    written: list[str] = []

    def watch(execute: Any, sql: str, *rest: Any) -> Any:
        found = WRITES.match(sql)
        if found and found[1] in TABLES:
            written.append(sql)
        return execute(sql, *rest)

    with undone():
        with connection.execute_wrapper(watch):
            yield
        changed = [name for name, now in everything().items() if now != rows[name]] if written else []
        assert not set(changed) - set(but), written


def look(operation: Operation, caller: Caller, tenant: Tenant) -> Any:
    with undone():
        return seen(operation.ask(caller, tenant.ids), asked={}, instead={})


Ids = Mapping[str, str]


def look_at_both(operation: Operation, caller: Caller, ids: Ids, missing: Ids, rows: Mapping[str, Any]) -> Any:
    """Request the operation for rows of the foreign team, and for ids that never existed. Return both responses, and
    check that neither request changed a row."""
    with changing_nothing(rows):
        answer = seen(operation.ask(caller, ids), asked=ids, instead=ids)
    with changing_nothing(rows):
        return answer, seen(operation.ask(caller, missing), asked=missing, instead=ids)
