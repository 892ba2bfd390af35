"""Which tests run in which lane of `make test`; `make test-all` runs everything everywhere.

A lane is one run of pytest in the Makefile. Two decisions are made here, by module, so that both can be read at once:
which tests show something on a second database, and which contract tests depend on how requests reach the runner.
`sampled` is the third one: tests that ask many similar questions ask some of them in `make test`.
"""

import os
from collections.abc import Sequence
from typing import Final, TypeVar

import pytest

ON_POSTGRES: Final = os.environ.get("AGENTSITE_TEST_DB") == "postgres"
EVERYTHING: Final = "AGENTSITE_TEST_ALL" in os.environ
Case = TypeVar("Case")
DATABASE_FIXTURES: Final = frozenset({"db", "transactional_db", "django_db_setup"})

BOTH_DATABASES: Final = frozenset(
    {
        # locks, and races that a row lock or a unique constraint decides
        "test_answers_given_once", "test_at_once", "test_budgets_at_once", "test_cascade", "test_edits_that_collide",
        "test_order", "test_permissions_at_once", "test_permissions_binding", "test_policies_at_once",
        "test_removed_at_once", "test_turn", "test_grants", "test_members", "test_socket_tickets", "test_idempotency",
        # leases, recovery and housekeeping, which find rows by time and state
        "test_lost_node", "test_poison", "test_queueing", "test_recover_load", "test_recovery", "test_replay",
        "test_sub_agents_recovery", "test_waiting_load", "test_deletion", "test_workspace_deletion", "test_expiry",
        "test_node_heartbeat", "test_housekeeping", "test_reminders", "test_mail",
        # SQL that we write ourselves, aggregates, full-text search, JSON columns, sorting and pagination
        "test_budgets", "test_budgets_together", "test_provider_keys", "test_usage_rest", "test_search", "test_audit",
        "test_audit_cut", "test_asking_lists", "test_sessions_listed_and_exported", "test_odd_times", "test_policies",
        "test_visibility", "test_encryption", "test_webhooks", "test_backup", "test_forks", "test_prepared",
        "test_costs", "test_revisions", "test_calls_together", "test_conversation_pages",
    }
)  # fmt: skip
"""Modules of the PostgreSQL lane. Everything else asks the ORM for the same rows on both databases."""

STREAM_MODULES: Final = frozenset({"test_archive", "test_run"})
"""Contract tests that also run through the stream transport: large bodies, long streams, calls that are stopped."""


def sampled(cases: Sequence[Case], *, every: int, start: int = 0) -> list[Case]:
    """Return each `every`-th case, the same ones in each run; in `make test-all`, all.

    A test with two dimensions passes the index in the first one as `start`, so that all of the second are used.
    """
    return list(cases) if EVERYTHING else list(cases[start % every :: every])


def select(items: list[pytest.Item]) -> list[pytest.Item]:
    """Return the items of this lane."""
    if ON_POSTGRES:
        return [item for item in items if _shows_something_on_postgres(item)]
    return items if EVERYTHING else [item for item in items if not _repeats_another_transport(item)]


def _shows_something_on_postgres(item: pytest.Item) -> bool:
    uses = item.get_closest_marker("django_db") or not DATABASE_FIXTURES.isdisjoint(getattr(item, "fixturenames", ()))
    return (
        bool(uses) and item.get_closest_marker("one_database") is None and (EVERYTHING or _is_of(item, BOTH_DATABASES))
    )


def _repeats_another_transport(item: pytest.Item) -> bool:
    return "docker-stream" in item.name and not _is_of(item, STREAM_MODULES)


def _is_of(item: pytest.Item, modules: frozenset[str]) -> bool:
    return item.path.stem in modules
