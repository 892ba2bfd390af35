"""Select the tests of each lane of `make test`; `make test-all` runs everything everywhere.

A lane is one run of pytest in the Makefile. This module selects the tests that depend on PostgreSQL, and those among
them that also run on SQLite; the sandbox tests that depend on the transport to the runner, or on the container; some
cases of tests with many cases; and some tests of modules about one feature. `sampled` and `fewer` reduce tests with
many similar checks in `make test`.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final, TypeVar
from zlib import crc32

import pytest

ON_POSTGRES: Final = os.environ.get("AGENTSITE_TEST_DB") == "postgres"
EVERYTHING: Final = "AGENTSITE_TEST_ALL" in os.environ
Case = TypeVar("Case")
DATABASE_FIXTURES: Final = frozenset({"db", "transactional_db", "django_db_setup"})

POSTGRES_MODULES: Final = frozenset(
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
"""Modules of the PostgreSQL lane. All others make the same ORM queries on both databases."""

SQLITE_MODULES: Final = frozenset(
    {
        # different SQL on SQLite: JSON, dates, full-text search and sorting
        "test_search", "test_audit", "test_audit_cut", "test_asking_lists", "test_odd_times", "test_costs",
        "test_sessions_listed_and_exported", "test_usage_rest", "test_encryption", "test_visibility",
        # its one lock in place of row locks: writes side by side, a turn, an answer
        "test_at_once", "test_permissions_at_once", "test_answers_given_once", "test_edits_that_collide",
        "test_idempotency", "test_turn", "test_removed_at_once",
    }
)  # fmt: skip
"""Modules of the PostgreSQL lane that run on SQLite too. The others do so in `make test-all` only, because in
`make test` the sites of the browser lane cover waiting, kills and recovery on SQLite."""

STREAM_MODULES: Final = frozenset({"test_archive", "test_run"})
"""Contract tests that also run over the stream transport: large bodies, long streams and stopped calls."""


TABLE_FOLDERS: Final = (
    "tests/integration/agentsite/", "tests/integration/sessions_app/", "tests/integration/tenancy/",
    "tests/integration/tools_app/",
)  # fmt: skip
WHOLE_TABLES: Final = frozenset({"test_tenancy_matrix"})
"""Modules in these folders that select their own cases for `make test`."""
TABLE_CASES: Final = 6
TABLE_STEP: Final = 3
"""Of a test in these folders with at least `TABLE_CASES` cases, `make test` runs the first and one in `TABLE_STEP` of
the others, chosen by their names. Such cases are similar inputs, mostly refusals of one route. Fewer cases often test
different mechanisms, so all of them run."""

ANY_DEPLOYMENT_MODULES: Final = frozenset(
    {
        # what the runner calculates about files: the same program does it in a container
        "test_change_sets", "test_commits", "test_patches", "test_revert_edges", "test_reverts", "test_reviews",
        "test_search", "test_snapshots",
    }
)  # fmt: skip
"""Contract tests that `make test` runs fully in local sandboxes, and one in `TABLE_STEP` of them in a container."""
CONTAINER_MODULES: Final = frozenset({"test_boundary", "test_boundary_obstacles", "test_boundary_tools"})
"""Tests of the isolation of a container, of which `make test` runs one in `TABLE_STEP` in local sandboxes."""

FEATURE_MODULES: Final = frozenset(
    {
        # what a session shows and keeps
        "test_alternatives", "test_answer_files", "test_archives", "test_attachments", "test_attachments_and_models",
        "test_child_sessions", "test_context", "test_context_use", "test_diff", "test_downloads", "test_drafts",
        "test_explain", "test_files", "test_fork_files", "test_images", "test_inboxes", "test_memory",
        "test_notices", "test_presence", "test_push", "test_questions", "test_queued_prompts", "test_reverts",
        "test_reviews", "test_send_and_wait", "test_session_folders", "test_session_marks", "test_simulate",
        "test_structured_output", "test_sub_agents_people", "test_terminals", "test_undo_elsewhere", "test_uploads",
        # projects, workspaces and their configuration
        "test_agents", "test_commands", "test_comparisons", "test_configuration", "test_fetched_skills",
        "test_instruction_addresses", "test_own_formatters", "test_previews", "test_project_files",
        "test_published_defaults", "test_services", "test_setup", "test_stored_skills", "test_variables",
        "test_workspace_notes", "test_workspace_orders", "test_workspace_pages",
        # models and what they answer
        "test_doom_loop", "test_efforts", "test_fallback_models", "test_inner_calls", "test_model_table",
        "test_odd_answers", "test_provider_sign_in", "test_retry",
        # repositories, pull requests, MCP servers and tools
        "test_changes", "test_connections", "test_interactive", "test_language_servers", "test_lfs",
        "test_mcp_declared", "test_mcp_entrance", "test_mcp_forms", "test_mcp_local", "test_mcp_offerings",
        "test_mcp_remote", "test_mcp_server", "test_mcp_servers", "test_mcp_sign_in", "test_mcp_tools",
        "test_pull_requests", "test_repository_in_workspaces", "test_searching", "test_webfetch",
    }
)  # fmt: skip
"""Modules of integration tests that go through one feature. Of each, `make test` runs the first test and one in
`TABLE_STEP` of the others, chosen by their names; `make test-changed` runs all that belong to a change. Modules about
recovery, permissions, tenancy, budgets and the agent loop are never among them."""


def sampled(cases: Sequence[Case], *, every: int, start: int = 0) -> list[Case]:
    """Return every `every`-th case, at least one, with the same result in each run; all cases in `make test-all`.

    A test of all pairs of two lists passes the index in the first list as `start`, so that every item of the second
    list is used.
    """
    return list(cases) if EVERYTHING else list(cases[start % min(every, len(cases) or 1) :: every])


def fewer(number: int, *, default: int) -> int:
    """Return `number` in `make test-all`, else `default`. Use it for a number of repetitions or an amount."""
    return number if EVERYTHING else default


def select(items: list[pytest.Item]) -> list[pytest.Item]:
    """Return the items of this lane. Items that `make test` runs on PostgreSQL only, and items of features that `make
    test` skips, get a marker instead of being removed, so that they still run when they are selected by name."""
    _mark_other_tests_of_features(items)
    for item in items:
        if not _is_of(item, SQLITE_MODULES) and _is_in_the_postgres_lane(item):
            item.add_marker(pytest.mark.on_postgres)
    if ON_POSTGRES:
        return [item for item in _some_of_each_table(items) if _shows_something_on_postgres(item)]
    if EVERYTHING:
        return items
    return [
        item
        for item in _some_of_each_table(items)
        if not _repeats_another_transport(item) and not _repeats_another_deployment(item)
    ]


def _some_of_each_table(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """Return the items without the cases of large tables that only `make test-all` runs."""
    if EVERYTHING:
        return list(items)
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    left_out = {
        item
        for test, (_, *others) in cases.items()
        if test.startswith(TABLE_FOLDERS)
        and len(others) + 1 >= TABLE_CASES
        and Path(test.partition("::")[0]).stem not in WHOLE_TABLES
        for item in others
        if crc32(item.nodeid.encode()) % TABLE_STEP
    }
    return [item for item in items if item not in left_out]


def _mark_other_tests_of_features(items: Sequence[pytest.Item]) -> None:
    seen: set[Path] = set()
    for item in items:
        is_first = item.path not in seen
        seen.add(item.path)
        is_of_a_feature = "tests/integration/" in item.path.as_posix() and _is_of(item, FEATURE_MODULES)
        if is_of_a_feature and not is_first and crc32(item.nodeid.encode()) % TABLE_STEP:
            item.add_marker(pytest.mark.feature)


def _is_in_the_postgres_lane(item: pytest.Item) -> bool:
    return (
        "tests/integration/" in item.path.as_posix()
        and _is_of(item, POSTGRES_MODULES)
        and _shows_something_on_postgres(item)
        and not any(item.get_closest_marker(name) for name in ("docker", "bench"))
    )


def _shows_something_on_postgres(item: pytest.Item) -> bool:
    uses = item.get_closest_marker("django_db") or not DATABASE_FIXTURES.isdisjoint(getattr(item, "fixturenames", ()))
    return (
        bool(uses)
        and item.get_closest_marker("one_database") is None
        and (EVERYTHING or _is_of(item, POSTGRES_MODULES))
    )


def _repeats_another_transport(item: pytest.Item) -> bool:
    return "docker-stream" in item.name and not _is_of(item, STREAM_MODULES)


def _repeats_another_deployment(item: pytest.Item) -> bool:
    other = "docker" if _is_of(item, ANY_DEPLOYMENT_MODULES) else "local" if _is_of(item, CONTAINER_MODULES) else ""
    words = item.name.partition("[")[2].rstrip("]").split("-")
    return bool(other) and other in words and crc32(item.nodeid.encode()) % TABLE_STEP > 0


def is_left_out(path: Path) -> bool:
    """Return whether a file has no tests for this lane, so that it need not be imported."""
    return ON_POSTGRES and not EVERYTHING and path.stem.startswith("test_") and path.stem not in POSTGRES_MODULES


def _is_of(item: pytest.Item, modules: frozenset[str]) -> bool:
    return item.path.stem in modules
