"""Run one step of a turn: everything that the agent worker does between acquiring and releasing the turn's lease."""

import json
import random
import uuid
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

import structlog
from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.utils import timezone

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import Missing
from agentsite.base.ids import new_id
from sessions_app.actions.attachments import mark_attachments_refused
from sessions_app.actions.budget_stops import block_turn
from sessions_app.actions.compaction import cancel_compaction, prune_outputs, request_compaction
from sessions_app.actions.failed_steps import continue_with, fail_turn, retry_step
from sessions_app.actions.opening import model_of_command, take_opening
from sessions_app.actions.setups import SETUP_TOOL, is_setup_due, lines_about
from sessions_app.actions.turn_errors import agent_missing, too_many_steps
from sessions_app.actions.turns import LeaseLost, Step, begin_step, finish_step
from sessions_app.agent.answer import ModelAnswer
from sessions_app.agent.attachment_parts import suspected_files
from sessions_app.agent.built_in import COMPACTION
from sessions_app.agent.compaction import estimate_chat, estimate_since_answer
from sessions_app.agent.context import (
    AgentEnvironment,
    PromptBlock,
    SentPrompt,
    ToldNote,
    joined,
    last_step_message,
    prompt_blocks,
)
from sessions_app.agent.definitions import DEFAULT_STEPS, AgentDefinition, request_options
from sessions_app.agent.estimates import estimate_text
from sessions_app.agent.structured_output import INSTRUCTIONS, with_output_instructions
from sessions_app.agents import effective_agents
from sessions_app.configured import compaction_of, instructions_of
from sessions_app.llm.port import LlmBadRequest, LlmError, LlmOverflow, ModelRequest, ToolDefinition
from sessions_app.llm.retry import MAX_RETRIES, GiveUp, Retry, decide_retry
from sessions_app.memory.told import project_notes
from sessions_app.model_endpoints import (
    ModelNotOffered,
    effort_for,
    model_for,
    next_fallback,
    retries_of,
    session_traits,
)
from sessions_app.models import ModelCall, Session
from sessions_app.policy import network_mode
from sessions_app.repositories.told import told_repository
from sessions_app.revisions import TurnPerson, person_of
from sessions_app.spending.reservations import BudgetExceeded, StepUsage
from sessions_app.toolset import listed_skills, offered_tools
from sessions_app.variables.told import told_variables
from sessions_app.workers.agent.compaction import MAX_TRIES, summarize_conversation
from sessions_app.workers.agent.history import Conversation, history
from sessions_app.workers.agent.model_calls import metered_step
from sessions_app.workers.agent.provider_keys import endpoint_for, window_of
from sessions_app.workers.shared.attachment_contents import fill_in

OUR_FAULT: Final = {
    "code": ErrorCode.INTERNAL_ERROR,
    "message": "The step failed on our side.",
    "hint": "Send the message again. If it happens again, contact the operators of this site.",
}
STRUCTURED_OUTPUT_TOOL: Final = "StructuredOutput"
Agents = Mapping[str, AgentDefinition]
logger = structlog.get_logger(__name__)


def advance(turn_id: uuid.UUID) -> None:
    """Run the turn's next step, if it is due and no other worker runs it."""
    step = begin_step(turn_id, token=uuid.uuid4().hex, model=settings.MODEL_NAME)
    if step is None:
        return
    try:
        _take_step(step)
    except (LeaseLost, Missing):
        logger.info("step_dropped", turn=str(turn_id), step=step.number)


def _take_step(step: Step) -> None:
    try:
        agents = effective_agents(step.session)
        agent = agents.get(step.agent)
        if agent is None:
            fail_turn(step, error=agent_missing(step.agent))
            return
        of_command = model_of_command(step.turn) if step.turn.command else ""
        model = step.turn.fallback_model or of_command or model_for(step.session, agent)
        variant = step.turn.command.get("variant", "")
        step = step.by(agent.name, model, effort_for(step.session, agent, model, variant))
        _answer(step, agents)
    except BudgetExceeded as stops:
        block_turn(step, stops)
    except LlmError as error:
        _after_failure(step, error)
    except (LeaseLost, Missing, OperationalError, InterfaceError):  # the database is away: `recover` tries again
        raise
    except Exception as error:  # otherwise it would be retried for ever
        logger.error("step_failed", turn=str(step.turn_id), step=step.number, exc_info=error)
        fail_turn(step, error=OUR_FAULT)


def _answer(step: Step, agents: Agents) -> None:
    """Run the step's model call, or compact the conversation first if it is too long and a 'compaction' agent is
    available."""
    writer = agents.get(COMPACTION.name)
    if step.turn.compact and writer is None:
        cancel_compaction(step)
        return
    if step.number == 1 and not step.turn.compact:
        if step.turn.root_id is None and step.session.workspace.setup and is_setup_due(step.session.workspace):
            finish_step(step, ModelAnswer.of_call(SETUP_TOOL, new_id), StepUsage({}, Decimal()), opened=False)
            return
        if compaction_of(step.session).prune:
            prune_outputs(step.session)
    if step.turn.opening and not step.turn.compact:
        take_opening(step)
        return
    conversation = _conversation(step)
    is_last = _is_last(step, agents)
    request, prompt = _build_request(step, agents, conversation, is_last=is_last)
    if writer and (step.turn.compact or _is_summary_due(step, request, conversation)):
        summarize_conversation(step, writer)
        return
    try:
        _ask(step, request, prompt, is_last=is_last)
    except LlmBadRequest:
        suspects = suspected_files(conversation.messages, session_traits(step.session, step.model))
        if not suspects:
            raise
        _retry_without_files(
            suspects, step, lambda: _build_request(step, agents, conversation, is_last=is_last), is_last=is_last
        )


def _is_summary_due(step: Step, request: ModelRequest, conversation: Conversation) -> bool:
    """Return whether the conversation is to be summarized first: automatic compaction is on, and the request is
    probably too long for its model."""
    settings = compaction_of(step.session)
    window = window_of(request.endpoint, settings.reserved)
    return (
        settings.auto
        and window.usable is not None
        and conversation.progressed
        and window.is_full(_size_of(step, request))
    )


def _size_of(step: Step, request: ModelRequest) -> int:
    """Return the estimated size of the request in tokens: the provider's count for the last answer, plus an estimate
    for the messages after it. Without such a count, the whole request is estimated."""
    if step.session.context_tokens:
        return step.session.context_tokens + estimate_since_answer(request.messages)
    tools = json.dumps([dict(tool.schema) | {"description": tool.description} for tool in request.tools])
    return estimate_chat(request.messages) + estimate_text(tools)


def _ask(step: Step, request: ModelRequest, prompt: SentPrompt, *, is_last: bool) -> None:
    """Make one attempt of the step's model call, store the model's answer and settle the cost. In the last step
    (`is_last`), an answer that only calls tools fails the turn."""
    with metered_step(step, request, ModelCall.Purpose.STEP) as (paid, keeper):
        if is_last and not keeper.answer.drop_calls(but={tool.name for tool in request.tools}):
            fail_turn(step, error=too_many_steps(step.number))
            return
        finish_step(step, keeper.answer, paid.spent(), opened=keeper.opened, prompt=prompt)


def _retry_without_files(
    files: Sequence[str], step: Step, build: Callable[[], tuple[ModelRequest, SentPrompt]], *, is_last: bool
) -> None:
    """Repeat the request without files that the provider may have refused. Otherwise, one damaged picture would make
    every later request of the conversation fail.

    If the repeated request fails as well, the files were not the reason: later requests contain them again, and the
    error is raised.
    """
    mark_attachments_refused(step.session_id, files)
    try:
        _ask(step, *build(), is_last=is_last)
    except BaseException:
        mark_attachments_refused(step.session_id, files, refused=False)
        raise
    logger.warning("attachments_refused", session=str(step.session_id), attachments=list(files))


def _is_last(step: Step, agents: Agents) -> bool:
    """Return whether this is the last step that the agent may take in the turn.

    Steps of sub-agents also count for the agents that called them, so all of them together take no more steps than the
    first agent may.
    """
    first = step.agent
    if step.turn.root_id is not None:
        first = Session.objects.filter(turns=step.turn.root_id).values_list("agent", flat=True).first() or first
    allowed = agents[first].steps if first in agents else DEFAULT_STEPS
    return step.number >= agents[step.agent].steps or step.steps_of_tree + 1 >= allowed


def _conversation(step: Step) -> Conversation:
    return history.load(step.session_id, before=step.message_id, version=step.session.context_version)


def _after_failure(step: Step, error: LlmError) -> None:
    if isinstance(error, LlmOverflow) and _compact_or_shorten(step, error):
        return
    verdict = _verdict(step, error)
    if isinstance(verdict, Retry):
        retry_step(step, message=error.message, delay=verdict.delay, tries=_retries(step) + 1)
    elif fallback := _fallback(step, error):
        continue_with(step, fallback, message=error.message)
    else:
        fail_turn(step, error={"code": error.code, "message": error.message, "hint": error.hint or verdict.reason})


def _verdict(step: Step, error: LlmError) -> Retry | GiveUp:
    jitter = random.random()  # noqa: S311 - not a secret
    return decide_retry(error, failures=step.attempt + 1, jitter=jitter, retries=_retries(step))


def _retries(step: Step) -> int:
    wanted = retries_of(step.session, step.model)
    return MAX_RETRIES if wanted is None else wanted


def _fallback(step: Step, error: LlmError) -> str:
    """Return the next fallback model for continuing the turn; "" if there is none, if other models would refuse the
    request, too (it is invalid or too long), or if the turn's model is no longer offered."""
    if isinstance(error, LlmBadRequest | LlmOverflow | ModelNotOffered):
        return ""
    return next_fallback(step.session, step.model)


def _compact_or_shorten(step: Step, error: LlmError) -> bool:
    """React to a request that is too long for the model: compact the conversation or, if this was a compaction, retry
    it with a shorter part of the conversation. Returns False if neither is possible."""
    if step.turn.compact:
        if step.attempt < MAX_TRIES:
            retry_step(step, message=error.message, delay=0.0, tries=MAX_TRIES + 1)
        return step.attempt < MAX_TRIES
    if not compaction_of(step.session).auto:
        return False
    if COMPACTION.name not in effective_agents(step.session) or not _conversation(step).progressed:
        return False
    request_compaction(step)
    return True


def _build_request(
    step: Step, agents: Agents, conversation: Conversation, *, is_last: bool
) -> tuple[ModelRequest, SentPrompt]:
    """Build the model request of a step, and return it with a description of its system prompt. In the last step of a
    turn (`is_last`) the agent gets no tools, and a message asks the model to finish."""
    session, agent, setup = step.session, agents[step.agent], step.session.workspace.setup
    around = AgentEnvironment(
        project=session.project.name,
        model=step.model,
        today=timezone.now().date(),
        folder=session.folder,
        instructions=instructions_of(session),
        skills=listed_skills(session),
        network=network_mode(session),
        setup=setup,
        variables=told_variables(session),
        image=session.workspace.image,
        wanted_image=session.workspace.wanted_image,
        services=lines_about(setup) if setup else (),
        repository=told_repository(session),
        branch=session.branch,
        memory=_notes_before(step),
    )
    traits = session_traits(session, step.model)
    blocks = prompt_blocks(agent, around, traits.family)
    system = {"role": "system", "content": joined(blocks)}
    filled: Sequence[Mapping[str, Any]] = conversation.messages
    if conversation.has_files:
        filled = fill_in(filled, traits, session_id=step.session_id)
    in_form = step.turn.output_schema is not None
    messages = with_output_instructions([system, *filled]) if in_form else [system, *filled]
    if in_form:
        blocks.append(PromptBlock("output", "", INSTRUCTIONS))
    tools = _offered_tools(step, is_last=is_last)
    request = ModelRequest(
        endpoint=endpoint_for(step.session, step.model),
        messages=[*messages, {"role": "user", "content": last_step_message(in_form=in_form)}] if is_last else messages,
        tools=tools,
        must_call=in_form,
        temperature=agent.temperature,
        top_p=agent.top_p,
        options=request_options(agent.options) | ({"reasoning_effort": step.effort} if step.effort else {}),
    )
    return request, SentPrompt(messages[0]["content"], blocks, tools)


def _notes_before(step: Step) -> Sequence[ToldNote]:
    """Return the notes of the project's memory that existed when the turn began. The agent knows its newer notes from
    the calls that added them, and an unchanged system prompt stays in the provider's cache."""
    return [note for note in project_notes(step.session) if note.created_at <= step.turn.created_at]


def _person_of(step: Step) -> TurnPerson | None:
    revision: int | None = step.turn.__dict__.get("person_revision")
    return person_of(step.turn, revision)


def _offered_tools(step: Step, *, is_last: bool) -> Sequence[ToolDefinition]:
    """Return the tools that a request offers. In the last step, this is at most the tool for structured output."""
    if is_last and step.turn.output_schema is None:
        return ()
    offers = offered_tools(step.session, step.model, step.turn.output_schema, _person_of(step))
    kept = [offer for offer in offers if not is_last or offer.name == STRUCTURED_OUTPUT_TOOL]
    return [ToolDefinition(offer.name, offer.description, offer.schema) for offer in kept]
