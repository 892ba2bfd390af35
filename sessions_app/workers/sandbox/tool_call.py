"""Run one tool call: its phases from the check of its arguments to its result. `execution` runs them in order."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import cache, partial
from typing import Any, Final, TypeVar

import structlog
from asgiref.sync import sync_to_async
from django.db import InterfaceError, OperationalError, close_old_connections
from django.utils import timezone

from agentsite.base import metrics
from agentsite.base.background import background
from agentsite.base.errors import Missing
from agentsite.base.ids import to_public
from sandbox.errors import SandboxError, SandboxLost, SandboxUnavailable
from sandbox.ports import Runtime, SandboxState
from sessions_app.actions.calls import (
    INTERRUPTED,
    AdmittedCall,
    CallResult,
    HeldCall,
    RulesChanged,
    call_hash,
    fail_turn_of,
    postpone_call,
    refuse_call,
)
from sessions_app.actions.decisions import CallDecision, repetition_needs
from sessions_app.actions.inner_calls import make_inner_calls, outcomes_of
from sessions_app.actions.patches import keep_patch
from sessions_app.actions.refused_hosts import note_refused_hosts
from sessions_app.actions.sub_agents import start_child
from sessions_app.actions.turns import LeaseLost
from sessions_app.actions.waiting_calls import ask_permission, ask_questions
from sessions_app.agents import is_selectable
from sessions_app.models import PermissionRequest, Session, ToolCall, Workspace
from sessions_app.policy import current_layers, session_policies
from sessions_app.repositories.authors import commit_identity
from sessions_app.repositories.pulls.actions import push_branch_of
from sessions_app.revisions import person_of, refresh_configuration
from sessions_app.toolset import offer_context, session_catalogue
from sessions_app.variables.given import GivenVariables, masks_of, note_use, uses_to_note, variables_of_call
from sessions_app.workers.sandbox import deployment as this_node
from sessions_app.workers.sandbox.call_keeper import CallKeeper, changes_of_call, keep_changes, patch_of
from sessions_app.workers.sandbox.container_start import note_lost, note_lost_call, record_failed
from sessions_app.workers.sandbox.mcp_servers import SessionServers
from sessions_app.workers.sandbox.memory_notes import SessionNotes
from sessions_app.workers.sandbox.mentions import needs_of_mentioned_resources, needs_of_people
from sessions_app.workers.sandbox.pull_requests import SessionPullRequests
from sessions_app.workers.sandbox.run_again import needs_of_run_before
from sessions_app.workers.sandbox.services import services_for_commands
from sessions_app.workers.sandbox.session_stores import DatabaseMemory, SessionFiles
from sessions_app.workers.sandbox.setup_runs import WorkspaceSetup
from sessions_app.workers.sandbox.stored_skills import stored_files
from sessions_app.workers.shared.lease import run_with_keeper
from tools_app import chain
from tools_app.gate import SessionPathRules, denial_text, judge, need_from_dict, uncovered
from tools_app.masking import NO_MASKS
from tools_app.spec import Action, PermissionNeed, ToolContext, ToolError, ToolResult
from tools_app.suspension import AwaitAnswer, AwaitCalls, AwaitChild, AwaitPermission

RETRY_DELAYS: Final = (1.0, 2.0, 4.0)  # seconds between attempts to reach a sandbox; then the turn ends with an error
OUR_FAULT: Final = "The call failed on our side; it may have run partly. Go on in another way, and tell the user."
ALLOWED_NOW: Final = "({} is allowed now. Run the command again if it needs it.)"
T = TypeVar("T")

logger = structlog.get_logger(__name__)


class CallRun:
    """One attempt to run a call. Its phases are, in order: `is_due`, `prepare`, `admit`, `work` and `result_of`.

    All phases run under `attempt`, except the coroutines `prepare` and `work`. `admit` gets the future of `prepare`,
    and `result_of` gets the future of `work`; both raise the exception of the future that they get.
    """

    def __init__(self, held: HeldCall) -> None:
        self.held = held
        self.database_error: Exception | None = None
        """The error that kept the database from storing the state of the call. `recover` tries the call again."""
        self._row = held.row
        self._began_at = timezone.now()
        self._keeper = CallKeeper(held)
        self._person = person_of(held.row.turn, held.person_revision)
        self._tools = session_catalogue(held.session, self._person)
        self._seconds = 0.0
        self._masks = NO_MASKS
        self._runtime: Runtime | None = None
        self._patch: dict[str, Any] | None = None

    def attempt(self, phase: Callable[[], T]) -> T | None:
        """Run a phase of the call and return the phase's result. If it fails, return None; depending on the error, the
        call is ended, retried later, or left to another worker."""
        try:
            return self._attempt(phase)
        except (LeaseLost, Missing):
            if _end_processes_if_stopped(self.held) and self._runtime is not None and self._runtime.may_have_changed:
                keep_changes(self._row, self._masks)
        except (OperationalError, InterfaceError) as error:  # the database is away: other calls go on
            self.database_error = error
            close_old_connections()
        return None

    def _attempt(self, phase: Callable[[], T]) -> T | None:
        try:
            return phase()
        except SandboxLost:
            metrics.SANDBOX_LOST.inc()
            note_lost(self.held.session.workspace_id, session_id=self._row.session_id, since=self._began_at)
            refuse_call(self.held, INTERRUPTED)
        except SandboxUnavailable as error:
            _sandbox_unavailable(self.held, error)
        except SandboxError as error:
            refuse_call(self.held, self._masks.mask(error.message))
        except (LeaseLost, Missing, OperationalError, InterfaceError, RulesChanged):
            raise
        except Exception as error:  # otherwise it would be retried for ever
            logger.error("call_failed", call=self._row.public_id, exc_info=error)
            refuse_call(self.held, OUR_FAULT)
        return None

    def is_due(self) -> bool:
        """Return whether the call may run now. A call that a dead worker had started and that must not run again is
        ended, and False is returned."""
        tool = self._tools.find(self._row.tool)
        given_up = self._row.attempts >= len(RETRY_DELAYS)
        if self.held.was_started and tool is not None and (given_up or not tool.repeatable):
            refuse_call(self.held, tool.interrupted or INTERRUPTED)
            keep_changes(self._row, masks_of(self.held.session.project))
            return False
        return True

    def context(self, runtime: Runtime) -> ToolContext:
        """Return the context that the tool gets. From now on, secrets are masked in everything that the call
        publishes."""
        row = self._row
        given = variables_of_call(self.held.session, row.turn, self.held.person_revision)
        self._masks = given.masks
        self._keeper.mask_with(given.masks)
        self._runtime = runtime.recording(row.public_id, to_public("ses", row.session_id))
        offer = offer_context(self.held.session, row.message.model, row.turn.output_schema)
        return ToolContext(
            session_id=to_public("ses", row.session_id),
            message_id=to_public("msg", row.message_id),
            call_id=row.public_id,
            agent=self.held.session.agent,
            runtime=self._runtime,
            memory=partial(DatabaseMemory, row.session_id),
            files=partial(SessionFiles, row.session_id),
            setup=partial(WorkspaceSetup, row.session.workspace, runtime, call=row),
            pulls=partial(SessionPullRequests, row, runtime),
            notes=partial(SessionNotes, row),
            stored_skill=stored_files,
            session_branch=partial(sync_to_async(push_branch_of, thread_sensitive=False), row.session),
            mcp=cache(partial(SessionServers, row, self.held.session, runtime, self._person, row.message.model)),
            progress=self._keeper.progress,
            limit=self._keeper.limit,
            judge=_judge_of(self.held.session),
            path_rules=_path_rules_of(self.held.session),
            model=offer.model,
            agents=offer.agents,
            settings=offer.settings,
            output_schema=offer.output_schema,
            masks=given.masks,
            variables=_variables_for(
                self.held, given, commit_identity(row.turn.started_by_id, row.session.project_id), runtime
            ),
            outcomes=outcomes_of(row) if "calls" in row.metadata else (),
        )

    async def prepare(self, ctx: ToolContext) -> chain.Prepared:
        """Check the arguments of the call and collect the permissions that it needs. Raises ToolError."""
        prepared = chain.prepare(self._row.tool, self._row.raw_arguments, ctx, self._tools)
        return await run_with_keeper(prepared, self._keeper)

    def admit(self, prepared: Future[chain.Prepared]) -> AdmittedCall | None:
        """Check the permissions of a prepared call. Return None if it was refused or now waits for a person."""
        try:
            call = prepared.result()
        except ToolError as error:
            refuse_call(self.held, self._masks.mask(error.message))
            return None
        policies = session_policies(self.held.session)
        needs = (*call.needs, *repetition_needs(self._row))
        decided = CallDecision(judge(needs, *current_layers(self.held.session)), needs, policies.versions)
        if decided.verdict.action == "deny":
            refuse_call(self.held, denial_text(decided.verdict), decision=decided)
            return None
        if decided.verdict.action == "ask":
            answers = self._answers()
            unasked = [
                *needs_of_people(self._row, decided.verdict, policies),
                *needs_of_mentioned_resources(self._row, decided.verdict, policies),
                *needs_of_run_before(self._row, decided.verdict),
            ]
            if not _is_covered(answers, decided, unasked):
                ask_permission(self.held, title=call.title, decided=decided, policies=policies)
                return None
            decided = replace(decided, answered=tuple(answer.public_id for answer in answers))
        return AdmittedCall(self.held, decided, call.title)

    def _answers(self) -> list[PermissionRequest]:
        """Return the permission requests of this call that people approved, if the call has not changed since."""
        yes = (PermissionRequest.State.ONCE, PermissionRequest.State.ALWAYS)
        bound = call_hash(self._row, self.held.session.workspace_id)
        return list(PermissionRequest.objects.filter(call=self._row, call_hash=bound, state__in=yes))

    async def work(self, prepared: chain.Prepared, ctx: ToolContext, together: asyncio.Semaphore) -> ToolResult:
        """Run the tool as soon as the semaphore `together` is free, while a keeper renews the lease. Raises ToolError,
        AwaitAnswer, AwaitChild, AwaitCalls, LeaseLost and SandboxError."""
        return await run_with_keeper(self._work(prepared, ctx, together), self._keeper)

    async def _work(self, prepared: chain.Prepared, ctx: ToolContext, together: asyncio.Semaphore) -> ToolResult:
        async with together:
            began = time.monotonic()
            try:
                return await chain.run(prepared, ctx)
            finally:
                self._seconds = time.monotonic() - began
                self._patch = patch_of(await changes_of_call(ctx.runtime, self._row.public_id), self._masks)

    def result_of(self, work: Future[ToolResult]) -> CallResult | None:
        """Return the result to store. Returns None if the call was refused, or waits for a person, a sub-agent or inner
        calls; its changes in the workspace are stored already in this case."""
        result = None
        try:
            result = self._result_of(work)
        finally:
            if result is None and self._patch is not None:
                keep_patch(self._row, self._patch)
        return result

    def _result_of(self, work: Future[ToolResult]) -> CallResult | None:
        outcome = "failed"
        try:
            self._keeper.note_limits()
            result = work.result()
        except ToolError as error:
            if error.lost:
                note_lost_call(self._row)
            refuse_call(self.held, self._masks.mask(error.message), metadata=error.metadata)
            outcome = "refused"
        except AwaitAnswer as wait:
            ask_questions(self.held, [dict(question) for question in wait.questions])
            outcome = "asked"
        except AwaitChild as wait:
            start_child(self.held, wait)
            outcome = "delegated"
        except AwaitCalls as wait:
            make_inner_calls(self.held, wait.calls, title=wait.title)
            outcome = "waits"
        except AwaitPermission as wait:
            outcome = "asked"
            note_refused_hosts(self._row, wait.result.refused)
            return self._ask_afterwards(wait)
        else:
            if (end := result.metadata.get("end")) in metrics.KILL_REASONS:
                metrics.KILLS.labels(end).inc()
            if result.refused:
                note_refused_hosts(self._row, result.refused)
            outcome = "completed"
            return self._completed(result)
        finally:
            metrics.TOOL_CALLS.labels(self._row.tool, outcome).observe(self._seconds)
        return None

    def _ask_afterwards(self, wait: AwaitPermission) -> CallResult | None:
        """Ask people to allow the access that was refused to a call while it ran, and make the call wait for the
        decision. Returns the call's result instead if the rules allow or deny the access by now, or nobody can be
        asked."""
        session = self.held.session
        refresh_configuration(session)
        policies = session_policies(session)
        decided = CallDecision(judge(wait.needs, *current_layers(session)), wait.needs, policies.versions)
        done = wait.result
        if decided.verdict.action == "allow" or _is_covered(self._answers(), decided, ()):
            return self._completed(
                replace(
                    done,
                    output=f"{done.output}\n\n{ALLOWED_NOW.format(', '.join(need.patterns[0] for need in wait.needs))}",
                )
            )
        ran = {"title": done.title[:400], "output": done.output, "metadata": dict(done.metadata)}
        if decided.verdict.action == "ask" and ask_permission(
            self.held, title=wait.title, decided=decided, policies=policies, ran=ran
        ):
            return None
        return self._completed(done)

    def _completed(self, result: ToolResult) -> CallResult | None:
        agent = result.switch_agent
        if agent and not is_selectable(self.held.session, agent):
            refuse_call(self.held, f"There is no agent '{agent}' in this session. Continue without it.")
            return None
        answer = result.metadata.get("value") if result.final else None
        return CallResult(
            result.title, result.output, result.metadata, result.attachments, answer, agent, patch=self._patch
        )


def _sandbox_unavailable(held: HeldCall, error: SandboxUnavailable) -> None:
    record_failed(held.session.workspace_id, error)
    if held.row.attempts < len(RETRY_DELAYS):
        postpone_call(held, delay=RETRY_DELAYS[held.row.attempts])
        return
    hint = "Nothing is lost. When the sandbox engine runs again, send another message to go on."
    fail_turn_of(held, error={"code": error.code, "message": error.message, "hint": hint})


def _end_processes_if_stopped(held: HeldCall) -> bool:
    """Return whether the call is no longer open because a person stopped it, and end its processes in that case. If
    another worker has taken the call over, leave the processes running."""
    state = ToolCall.objects.values_list("state", flat=True).filter(pk=held.row.pk).first()
    if state not in ToolCall.OPEN:
        abort_in_sandbox(held.session.workspace, held.row.public_id)
    logger.info("call_dropped", call=held.row.public_id, state=state)
    return state not in ToolCall.OPEN


def abort_in_sandbox(workspace: Workspace, call_id: str) -> None:
    """End the processes of a call. Does nothing if the sandbox is not running; an error is only logged."""
    try:
        if background.run(this_node.deployment().poll(workspace.public_id)).state == SandboxState.RUNNING:
            background.run(this_node.runtime_of(workspace).abort(call_id))
    except SandboxError as error:
        logger.warning("abort_failed", call=call_id, error=error.message)


def _is_covered(
    answers: Sequence[PermissionRequest], decided: CallDecision, asked_for: Sequence[PermissionNeed]
) -> bool:
    """Return whether people have approved every permission about which the rules ask: in the permission requests
    `answers`, or by requesting the action themselves (`asked_for`)."""
    approved = [*asked_for, *(need_from_dict(need) for answer in answers for need in answer.needs)]
    return not uncovered(decided.verdict.asked, approved)


def _judge_of(session: Session) -> Callable[[Sequence[PermissionNeed]], Awaitable[Action]]:
    """Return a function that decides about needed permissions by the current rules. It is called on the background
    loop; its queries run in a thread."""

    def judge_now(needs: Sequence[PermissionNeed]) -> Action:
        refresh_configuration(session)
        return judge(needs, *current_layers(session)).action

    async def decide(needs: Sequence[PermissionNeed]) -> Action:
        return await sync_to_async(judge_now, thread_sensitive=False)(needs)

    return decide


def _variables_for(
    held: HeldCall, given: GivenVariables, identity: Mapping[str, str], runtime: Runtime
) -> Callable[[], Awaitable[Mapping[str, str]]]:
    """Return a coroutine function that returns the environment variables for the call's commands. It also starts the
    services that commands need, and stores that the variables were used (in a thread, every few minutes)."""

    async def use() -> Mapping[str, str]:
        if due := uses_to_note(given, held.session.workspace_id):
            await sync_to_async(note_use, thread_sensitive=False)(due, held.session.workspace_id)
        services: Mapping[str, str] = {}
        if held.session.workspace.setup.get("services"):
            services = await services_for_commands(held.session.workspace, runtime)
        return {**services, **identity, **given.values}

    return use


def _path_rules_of(session: Session) -> Callable[[], Awaitable[SessionPathRules]]:
    """Return a coroutine function that returns the session's path rules, as of the time when the session was loaded.
    Rules that are added later are applied when the call is admitted."""

    def load() -> SessionPathRules:
        return SessionPathRules(*current_layers(session))

    return sync_to_async(load, thread_sensitive=False)
