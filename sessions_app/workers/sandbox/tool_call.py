"""Run one tool call: what the sandbox worker does between acquiring the call's lease and storing its result."""

import time
import uuid
from collections import deque
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import structlog
from django.db import InterfaceError, OperationalError
from django.db.models import Q
from django.utils import timezone

from agentsite.base import metrics
from agentsite.base.background import background
from agentsite.base.errors import Missing
from agentsite.base.ids import to_public
from sandbox.errors import LimitReached, SandboxError, SandboxLost, SandboxRefused, SandboxUnavailable
from sandbox.limits import LimitHit
from sandbox.ports import Runtime, SandboxState
from sessions_app.actions.calls import (
    INTERRUPTED,
    LEASE,
    CallResult,
    HeldCall,
    RulesChanged,
    acquire_call,
    call_hash,
    complete_call,
    fail_turn_of,
    find_call,
    postpone_call,
    refuse_call,
    save_live_output,
    save_progress,
)
from sessions_app.actions.decisions import CallDecision
from sessions_app.actions.inner_calls import make_inner_calls, outcomes_of
from sessions_app.actions.repeated_calls import repetition_needs
from sessions_app.actions.sub_agents import start_child
from sessions_app.actions.turns import LeaseLost
from sessions_app.actions.waiting_calls import ask_permission, ask_questions
from sessions_app.actions.workspaces import claim_workspace
from sessions_app.agents import is_selectable
from sessions_app.events.publish import publish_delta
from sessions_app.models import PermissionRequest, Session, ToolCall, Workspace
from sessions_app.models.transitions import renew_lease
from sessions_app.policy import judge_needs, session_policies
from sessions_app.revisions import WORKSPACE_COLUMNS, refresh_configuration
from sessions_app.toolset import offer_context, session_catalogue
from sessions_app.workers.sandbox import deployment as this_node
from sessions_app.workers.sandbox.attachments import SessionFiles
from sessions_app.workers.sandbox.container_start import (
    note_limit,
    note_lost,
    note_lost_call,
    record_failed,
    runtime_for_call,
)
from sessions_app.workers.sandbox.judging import make_judge
from sessions_app.workers.sandbox.mentions import needs_of_mentioned_agents
from sessions_app.workers.sandbox.project_files import refresh_project_files
from sessions_app.workers.sandbox.project_skills import refresh_skills
from sessions_app.workers.sandbox.tool_memory import DatabaseMemory
from sessions_app.workers.shared.lease import Keeper, run_with_keeper
from tools_app import chain
from tools_app.gate import denial_text, need_from_dict, uncovered
from tools_app.spec import AwaitAnswer, AwaitCalls, AwaitChild, PermissionNeed, ToolContext, ToolError, ToolResult
from tools_app.text import clean, clean_value

RETRY_DELAYS: Final = (1.0, 2.0, 4.0)  # seconds between attempts to reach a sandbox; then the turn ends with an error
OUR_FAULT: Final = "The call failed on our side; it may have run partly. Go on in another way, and tell the user."
MAX_QUEUED_LIMITS: Final = 20  # of one call that wait to be published
LIVE_LIMIT: Final = 200_000  # characters of live output shown while the call runs; the result shows the end of it

logger = structlog.get_logger(__name__)


def execute(call_id: uuid.UUID, *, node: str) -> None:
    """Run the call until it ends or waits for a person. Harmless if another worker already runs it."""
    held = find_call(call_id, token=uuid.uuid4().hex, now=timezone.now())
    if held is None or not _is_here(held.session.workspace, node):
        return
    try:
        _attempt(held)
    except (Missing, LeaseLost):
        _end_processes_if_stopped(held)


def _is_here(workspace: Workspace, node: str) -> bool:
    """Return whether the workspace is, or now becomes, this node's and has its files in place."""
    if not workspace.seeded or workspace.state == Workspace.State.REMOVING:
        return False
    return workspace.node == node or (not workspace.node and claim_workspace(workspace.id, node=node) is not None)


def _attempt(held: HeldCall) -> None:
    began = timezone.now()
    try:
        _CallRun(held).run()
    except SandboxLost:
        metrics.SANDBOX_LOST.inc()
        note_lost(held.session.workspace_id, session_id=held.row.session_id, since=began)
        refuse_call(held, INTERRUPTED)
    except SandboxUnavailable as error:
        _sandbox_unavailable(held, error)
    except SandboxError as error:
        refuse_call(held, error.message)
    except (LeaseLost, Missing, OperationalError, InterfaceError):  # the database is away: `recover` tries again
        raise
    except Exception as error:  # otherwise it would be retried for ever
        logger.error("call_failed", call=held.row.public_id, exc_info=error)
        refuse_call(held, OUR_FAULT)


def _sandbox_unavailable(held: HeldCall, error: SandboxUnavailable) -> None:
    record_failed(held.session.workspace_id, error)
    if held.row.attempts < len(RETRY_DELAYS):
        postpone_call(held, delay=RETRY_DELAYS[held.row.attempts])
        return
    hint = "Nothing is lost. When the sandbox engine runs again, send another message to go on."
    fail_turn_of(held, error={"code": error.code, "message": error.message, "hint": hint})


def _end_processes_if_stopped(held: HeldCall) -> None:
    """End the call's processes if a person stopped it. If another worker has taken it over, leave them running."""
    state = ToolCall.objects.values_list("state", flat=True).filter(pk=held.row.pk).first()
    if state not in ToolCall.OPEN:
        abort_in_sandbox(held.session.workspace, held.row.public_id)
    logger.info("call_dropped", call=held.row.public_id, state=state)


def abort_in_sandbox(workspace: Workspace, call_id: str) -> None:
    """End the processes of a call. If the sandbox cannot be reached, no processes are running."""
    try:
        if background.run(this_node.deployment().poll(workspace.public_id)).state == SandboxState.RUNNING:
            background.run(this_node.runtime_of(workspace).abort(call_id))
    except SandboxError as error:
        logger.warning("abort_failed", call=call_id, error=error.message)


class _CallRun:
    """One attempt to run a call whose lease this worker holds."""

    def __init__(self, held: HeldCall) -> None:
        self._held = held
        self._workspace = held.session.workspace
        self._keeper = CallKeeper(held)
        self._tools = session_catalogue(held.session)

    def run(self) -> None:
        tool = self._tools.find(self._held.row.tool)
        given_up = self._held.row.attempts >= len(RETRY_DELAYS)
        if self._held.was_started and tool is not None and (given_up or not tool.repeatable):
            refuse_call(self._held, tool.interrupted or INTERRUPTED)
            return
        ctx = self._context(self._reach())
        try:
            prepared = background.run(
                run_with_keeper(
                    chain.prepare(self._held.row.tool, self._held.row.raw_arguments, ctx, self._tools), self._keeper
                )
            )
        except ToolError as error:
            refuse_call(self._held, error.message)
            return
        if self._may_run(prepared):
            self._run(prepared, ctx)

    def _reach(self) -> Runtime:
        runtime = runtime_for_call(self._workspace)
        if not self._held.session.baseline:
            self._record_baseline(runtime)
        before = _configured(self._workspace)
        refresh_project_files(self._workspace, runtime)
        refresh_skills(self._workspace, runtime)
        if _configured(self._workspace) != before:
            refresh_configuration(self._held.session)
        return runtime

    def _record_baseline(self, runtime: Runtime) -> None:
        """Record the workspace's files before the first change. If there are too many files, the call still runs, and
        the next call tries again."""
        try:
            snapshot = background.run(runtime.snapshot())
        except (SandboxRefused, LimitReached) as error:
            logger.warning("baseline_failed", session=str(self._held.session.pk), error=error.message)
            return
        Session.objects.filter(pk=self._held.session.pk, baseline="").update(baseline=snapshot)

    def _context(self, runtime: Runtime) -> ToolContext:
        row = self._held.row
        offer = offer_context(self._held.session, row.message.model, row.turn.output_schema)
        return ToolContext(
            session_id=to_public("ses", row.session_id),
            message_id=to_public("msg", row.message_id),
            call_id=row.public_id,
            agent=self._held.session.agent,
            runtime=runtime,
            memory=DatabaseMemory(row.session_id),
            files=SessionFiles(row.session_id),
            progress=self._keeper.progress,
            limit=self._keeper.limit,
            judge=make_judge(self._held.session),
            model=offer.model,
            agents=offer.agents,
            settings=offer.settings,
            output_schema=offer.output_schema,
            outcomes=outcomes_of(row),
        )

    def _may_run(self, prepared: chain.Prepared) -> bool:
        """Check the permissions of the call by the rules in force when its lease is acquired. Return False if it was
        refused, waits for a person, or its lease was lost."""
        while True:
            try:
                return self._is_admitted(prepared)
            except RulesChanged:
                refresh_configuration(self._held.session)

    def _is_admitted(self, prepared: chain.Prepared) -> bool:
        policies = session_policies(self._held.session)
        needs = (*prepared.needs, *repetition_needs(self._held.row))
        decided = CallDecision(judge_needs(self._held.session, needs), needs, policies.versions)
        if decided.verdict.action == "deny":
            refuse_call(self._held, denial_text(decided.verdict), decision=decided)
            return False
        if decided.verdict.action == "ask":
            answers = self._answers()
            if not _is_covered(answers, decided, needs_of_mentioned_agents(self._held.row, decided.verdict, policies)):
                ask_permission(self._held, title=prepared.title, decided=decided, policies=policies)
                return False
            decided = replace(decided, answered=tuple(answer.public_id for answer in answers))
        return acquire_call(self._held, decision=decided, title=prepared.title)

    def _answers(self) -> list[PermissionRequest]:
        """Return the permission requests with which people approved exactly this call."""
        yes = (PermissionRequest.State.ONCE, PermissionRequest.State.ALWAYS)
        bound = call_hash(self._held.row, self._workspace.id)
        return list(PermissionRequest.objects.filter(call=self._held.row, call_hash=bound, state__in=yes))

    def _run(self, prepared: chain.Prepared, ctx: ToolContext) -> None:
        began, outcome = time.monotonic(), "failed"
        try:
            result = self._run_with_keeper(chain.run(prepared, ctx))
        except ToolError as error:
            if error.lost:
                note_lost_call(self._held.row)
            refuse_call(self._held, error.message)
            outcome = "refused"
        except AwaitAnswer as wait:
            ask_questions(self._held, [dict(question) for question in wait.questions])
            outcome = "asked"
        except AwaitChild as wait:
            start_child(self._held, wait)
            outcome = "delegated"
        except AwaitCalls as wait:
            make_inner_calls(self._held, wait.calls, title=wait.title)
            outcome = "waits"
        else:
            self._complete(result)
            metrics.count_kill(result.metadata.get("end"))
            outcome = "completed"
        finally:
            metrics.TOOL_CALLS.labels(self._held.row.tool, outcome).observe(time.monotonic() - began)

    def _complete(self, result: ToolResult) -> None:
        agent = result.switch_agent
        if agent and not is_selectable(self._held.session, agent):
            refuse_call(self._held, f"There is no agent '{agent}' in this session. Continue without it.")
            return
        complete_call(self._held, _outcome_of(result))

    def _run_with_keeper(self, work: Coroutine[Any, Any, ToolResult]) -> ToolResult:
        try:
            return background.run(run_with_keeper(work, self._keeper))
        finally:
            self._keeper.note_limits()


def _configured(workspace: Workspace) -> tuple[Any, ...]:
    """Return what the session's configuration takes from the workspace's files."""
    return tuple(getattr(workspace, name) for name in WORKSPACE_COLUMNS)


def _outcome_of(result: ToolResult) -> CallResult:
    answer = result.metadata.get("value") if result.final else None
    return CallResult(result.title, result.output, result.metadata, result.attachments, answer, result.switch_agent)


def _is_covered(
    answers: Sequence[PermissionRequest], decided: CallDecision, asked_for: Sequence[PermissionNeed]
) -> bool:
    """Return whether the call needs no more than what people approved or requested themselves."""
    approved = [*asked_for, *(need_from_dict(need) for answer in answers for need in answer.needs)]
    return not uncovered(decided.verdict.asked, approved)


class CallKeeper(Keeper):
    """Publishes and saves the live output of a call, publishes the limits that it reaches, and renews its lease."""

    def __init__(self, held: HeldCall) -> None:
        self._held = held
        self._limits: deque[LimitHit] = deque(maxlen=MAX_QUEUED_LIMITS)
        self._output = ""
        self._told = 0
        self._saved = 0
        self._news: dict[str, Any] = {}

    def progress(
        self, *, title: str | None = None, output: str | None = None, metadata: Mapping[str, Any] | None = None
    ) -> None:
        if output and len(self._output) < LIVE_LIMIT:
            self._output += output
        news = {"title": title and clean(title)[:400], "metadata": metadata and clean_value(metadata)}
        self._news = {**self._news, **{name: value for name, value in news.items() if value is not None}}

    def limit(self, hit: LimitHit) -> None:
        self._limits.append(hit)

    def note_limits(self) -> None:
        """Publish each reached limit once, at the next save or when the call ends."""
        while self._limits:
            hit = self._limits.popleft()
            note_limit(self._held.row, hit)

    async def publish_progress(self) -> None:
        if len(self._output) > self._told:
            added = self._output[self._told :]
            publish_delta(
                self._held.row.session_id,
                target="call",
                public_id=self._held.row.public_id,
                offset=self._told,
                text=added,
            )
            self._told += len(added)

    def save(self) -> None:
        self.note_limits()
        if self._news:
            news, self._news = self._news, {}
            save_progress(self._held, news)
        if len(self._output) > self._saved:
            self._saved = len(self._output)
            save_live_output(self._held.row.pk, token=self._held.token, text=self._output)

    def check_lease(self) -> None:
        if not ToolCall.objects.filter(self._held_by_us(), pk=self._held.row.pk).exists():
            raise LeaseLost

    def _held_by_us(self) -> Q:
        """Return the filter for a call that this worker holds: leased by it, or not leased by anybody while its
        permissions are checked."""
        return Q(state=ToolCall.State.PENDING) | Q(state=ToolCall.State.RUNNING, lease_token=self._held.token)

    def renew(self) -> None:
        row = self._held.row
        if row.lease_token != self._held.token:
            self.check_lease()
        elif not renew_lease(
            ToolCall, row.pk, token=row.lease_token, state=ToolCall.State.RUNNING, until=timezone.now() + LEASE
        ):
            raise LeaseLost
