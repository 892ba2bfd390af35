"""Execute tool calls: the part of the sandbox worker between finding due calls and storing their results.

The calls of one answer run side by side. They share the data that is read once (the session, its rules, the state of
the workspace's files), the transaction that acquires their leases, and, for results that are available at the same
time, the transactions that store them. In all other respects calls are independent: if one fails or waits, the others
continue.
"""

import asyncio
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from functools import partial
from typing import Any, Final, TypeVar

import structlog
from django.db import close_old_connections
from django.utils import timezone

from agentsite.base.background import background
from sandbox.errors import LimitReached, SandboxRefused
from sandbox.ports import Runtime
from sessions_app.actions.calls import (
    AdmittedCall,
    CallResult,
    HeldCall,
    RulesChanged,
    acquire_calls,
    complete_calls,
    find_call,
    find_calls,
)
from sessions_app.actions.setups import SETUP_TOOL
from sessions_app.actions.workspaces import claim_workspace
from sessions_app.models import Session, Workspace
from sessions_app.revisions import WORKSPACE_COLUMNS, refresh_configuration
from sessions_app.workers.sandbox import deployment as this_node
from sessions_app.workers.sandbox.container_start import restart_container
from sessions_app.workers.sandbox.project_files import refresh_project_files
from sessions_app.workers.sandbox.tool_call import CallRun
from tools_app.chain import Prepared
from tools_app.spec import ToolContext, ToolResult

MAX_TOGETHER: Final = 16  # calls of one answer that run at the same time
T = TypeVar("T")
R = TypeVar("R")

logger = structlog.get_logger(__name__)


def execute_call(call_id: uuid.UUID, *, node: str) -> None:
    """Run a call until it ends or waits. Harmless if another worker already runs it."""
    held = find_call(call_id, token=uuid.uuid4().hex, now=timezone.now())
    if held is not None:
        _execute([held], node)


def execute_answer(message_id: uuid.UUID, *, node: str) -> None:
    """Run those calls of an answer that no worker is running, until each of them ends or waits."""
    _execute(find_calls(message_id, token=uuid.uuid4().hex, now=timezone.now()), node)


def _execute(held: Sequence[HeldCall], node: str) -> None:
    """Run calls of one session, all of which share one `Session` object. If the database could not store a call's
    result, raises OperationalError or InterfaceError after all calls have ended."""
    if not held or not _is_here(held[0].session.workspace, node):
        return
    calls = [CallRun(each) for each in held]
    _run(_admitted(_prepared([call for call in calls if call.attempt(call.is_due)])))
    for call in calls:
        if call.database_error is not None:
            raise call.database_error


def _is_here(workspace: Workspace, node: str) -> bool:
    """Return whether this node may run calls of the workspace: its files are in place, and it belongs to this node. A
    workspace without a node is assigned to this node."""
    if not workspace.seeded or workspace.state == Workspace.State.REMOVING:
        return False
    return workspace.node == node or (not workspace.node and claim_workspace(workspace.id, node=node) is not None)


class _PreparedRun:
    """A call with its context and its checked arguments."""

    def __init__(self, call: CallRun, ctx: ToolContext, prepared: Future[Prepared]) -> None:
        self.call = call
        self.ctx = ctx
        self.prepared = prepared


def _prepared(calls: Sequence[CallRun]) -> list[_PreparedRun]:
    """Connect to the sandbox, check the arguments of all calls concurrently, and wait for the results of these
    checks."""
    if not calls:
        return []
    changes_files = any(call.held.row.tool != SETUP_TOOL for call in calls)
    reached = _outcome_of(partial(_reach, calls[0].held.session, is_baseline_due=changes_files))
    found = [(call, call.attempt(partial(_context, call, reached))) for call in calls]
    made = [(call, ctx) for call, ctx in found if ctx is not None]
    started = [_PreparedRun(call, ctx, background.start(call.prepare(ctx))) for call, ctx in made]
    wait([each.prepared for each in started])
    return started


def _context(call: CallRun, reached: Future[Runtime]) -> ToolContext:
    return call.context(reached.result())


def _outcome_of(work: Callable[[], T]) -> Future[T]:
    """Call `work` and return its outcome (a result or an exception) as a future, which several calls can read."""
    outcome: Future[T] = Future()
    try:
        outcome.set_result(work())
    except Exception as error:
        logger.info("not_reached", exc_info=error)
        outcome.set_exception(error)
    return outcome


def _reach(session: Session, *, is_baseline_due: bool) -> Runtime:
    """Return the workspace's runtime, and read changed configuration files of the workspace first. With
    `is_baseline_due`, record the baseline of the session's changes: not before set-up has run, because set-up's files
    are not changes of the session. Raises SandboxUnavailable."""
    workspace = session.workspace
    is_running = workspace.state == Workspace.State.RUNNING
    runtime = this_node.runtime_of(workspace) if is_running else restart_container(workspace)
    if is_baseline_due and not session.baseline:
        _record_baseline(session, runtime)
    before = _configured(workspace)
    refresh_project_files(workspace, runtime)
    if _configured(workspace) != before:
        refresh_configuration(session)
    return runtime


def _record_baseline(session: Session, runtime: Runtime) -> None:
    """Record the workspace's files before the session's first change. If there are too many files, the call still runs,
    and the next call tries again."""
    try:
        snapshot = background.run(runtime.snapshot())
    except (SandboxRefused, LimitReached) as error:
        logger.warning("baseline_failed", session=str(session.pk), error=error.message)
        return
    Session.objects.filter(pk=session.pk, baseline="").update(baseline=snapshot)


def _configured(workspace: Workspace) -> tuple[Any, ...]:
    """Return the values of the workspace's columns on which a session's configuration depends. Comparing them shows
    whether it changed."""
    return tuple(getattr(workspace, name) for name in WORKSPACE_COLUMNS)


def _admitted(runs: Sequence[_PreparedRun]) -> list[_PreparedRun]:
    """Check the permissions of the calls by the rules in force when their leases are acquired. Return the calls whose
    leases this worker has; the others were refused, wait for a person, or were ended."""
    while runs:
        judged = [(run, run.call.attempt(partial(run.call.admit, run.prepared))) for run in runs]
        admitted = {id(each.held): (run, each) for run, each in judged if each is not None}
        runs = [run for run, _ in admitted.values()]
        try:
            acquired = _in_one_transaction(list(admitted.values()), _acquire)
        except RulesChanged:
            refresh_configuration(runs[0].call.held.session)
            continue
        if acquired is None:
            return [each for run in runs for each in _admitted([run])]
        return [admitted[id(held)][0] for held in acquired]
    return []


def _acquire(admitted: Sequence[tuple[_PreparedRun, AdmittedCall]]) -> list[HeldCall]:
    return acquire_calls([each for _, each in admitted])


def _run(runs: Sequence[_PreparedRun]) -> None:
    """Run the tools of the calls concurrently, and store each result when its call has ended."""
    together = asyncio.Semaphore(MAX_TOGETHER)
    working = {background.start(_work(run, together)): run for run in runs}
    while working:
        done, _ = wait(working, return_when=FIRST_COMPLETED)
        ended = [(working.pop(future), future) for future in done]
        results = [(run, run.call.attempt(partial(run.call.result_of, future))) for run, future in ended]
        completed = [(run, result) for run, result in results if result is not None]
        if _in_one_transaction(completed, _complete) is None:
            for each in completed:
                _in_one_transaction([each], _complete)


async def _work(run: _PreparedRun, together: asyncio.Semaphore) -> ToolResult:
    return await run.call.work(run.prepared.result(), run.ctx, together)


def _complete(results: Sequence[tuple[_PreparedRun, CallResult]]) -> list[HeldCall]:
    return complete_calls([(run.call.held, result) for run, result in results])


def _in_one_transaction(
    calls: Sequence[tuple[_PreparedRun, R]], change: Callable[[Sequence[tuple[_PreparedRun, R]]], list[HeldCall]]
) -> list[HeldCall] | None:
    """Call `change` for all calls in one transaction, and return the calls that were changed. If `change` fails for
    several calls, the transaction is rolled back and None is returned: the caller then repeats this for each call
    alone, so that one call cannot affect the others. Raises RulesChanged."""
    if not calls:
        return []
    if len(calls) == 1:
        return calls[0][0].call.attempt(partial(change, calls)) or []
    try:
        return change(calls)
    except RulesChanged:
        raise
    except Exception as error:
        logger.warning("calls_changed_one_by_one", exc_info=error)
        close_old_connections()
        return None
