"""Compaction: let a model write the summary that replaces the older part of a conversation."""

from collections.abc import Sequence
from typing import Final

from sessions_app.actions.compaction import KeptTail, cancel_compaction, finish_compaction
from sessions_app.actions.turns import Step
from sessions_app.agent.compaction import (
    Window,
    estimate_stored,
    first_kept,
    first_of_turns,
    last_prompt,
    summary_request,
)
from sessions_app.agent.context import StoredMessage
from sessions_app.agent.definitions import AgentDefinition, request_options
from sessions_app.configured import CompactionSettings, compaction_of
from sessions_app.llm.port import LlmUnavailable, ModelRequest
from sessions_app.models import ModelCall
from sessions_app.queries.sent_messages import load_messages, load_summary
from sessions_app.workers.agent.model_calls import metered_step
from sessions_app.workers.agent.provider_keys import endpoint_for, window_of

SUMMARIZED_SHARE: Final = 0.8  # share of the tokens that fit, from which the summary is made
SUMMARIZED_SHARE_UNKNOWN_WINDOW: Final = 0.5  # share of the tokens that were too many, if the context is unknown
MAX_TRIES: Final = 3  # with half as much each time


def summarize_conversation(step: Step, writer: AgentDefinition) -> None:
    """Replace the older part of the conversation by a summary: one model call without tools, made in place of a step's
    answer. Raises LlmError and LeaseLost."""
    notes = load_summary(step.session_id, before=step.message_id)
    after = notes.last_covered_id if notes else None
    stored = load_messages(step.session_id, after=after, before=step.message_id)
    if not stored:
        cancel_compaction(step)
        return
    messages = [message for _, message in stored]
    model = step.turn.fallback_model or writer.model or step.model
    place = endpoint_for(step.session, model)
    settings = compaction_of(step.session)
    window = window_of(place, settings.reserved)
    tokens = step.session.context_tokens or sum(map(estimate_stored, messages))
    cut = _first_kept(messages, settings, window.tail(tokens))
    text = summary_request(messages[:cut], earlier=notes.text if notes else "", budget=_budget(window, tokens, step))
    request = ModelRequest(
        endpoint=place,
        messages=[
            {"role": "system", "content": writer.prompt},
            {"role": "user", "content": f"{text}\n\nWrite the notes now."},
        ],
        temperature=writer.temperature,
        top_p=writer.top_p,
        options=request_options(writer.options, writer.variant),
    )
    kept = KeptTail(stored[cut][0] if cut < len(stored) else None, last_prompt(messages, cut), tokens)
    step = step.by(writer.name, model)
    with metered_step(step, request, ModelCall.Purpose.COMPACTION) as (paid, keeper):
        if not keeper.answer.drop_calls():
            raise LlmUnavailable("The model wrote no summary of the conversation.")
        finish_compaction(step, keeper.answer, paid.spent(), kept, opened=keeper.opened)


def _first_kept(messages: Sequence[StoredMessage], settings: CompactionSettings, tail: int) -> int:
    """Return the index of the first message that a compaction keeps; the messages before it are summarized."""
    room = tail if settings.preserve_recent_tokens is None else settings.preserve_recent_tokens
    cut = first_kept(messages, room)
    return cut if settings.tail_turns is None else max(cut, first_of_turns(messages, settings.tail_turns))


def _budget(window: Window, tokens: int, step: Step) -> int:
    whole = tokens * SUMMARIZED_SHARE_UNKNOWN_WINDOW if window.usable is None else window.usable * SUMMARIZED_SHARE
    return int(whole / 2**step.attempt)
