"""Several answers to one prompt: try again, and choose the answer that people and models continue from.

An alternative is a turn of its own with a copy of the prompt. Choosing an alternative hides the one that was chosen
before, together with every turn after it, and shows the turns after the chosen one again. Nothing is deleted, and the
costs of all alternatives count.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentsite.base.errors import BadInput, Stale
from agentsite.base.ids import from_public
from agentsite.tenancy.access import require
from agentsite.tenancy.models import User
from agentsite.tenancy.roles import Act
from sessions_app.actions.answers import emit_alternatives, hide_from, require_idle, switch_answer
from sessions_app.actions.attachments import take_attachments
from sessions_app.actions.opening import add_opening, keep_command, reading_calls
from sessions_app.actions.prompts import add_message, start_turn
from sessions_app.actions.reverts import (
    RevertPlan,
    RevertScope,
    plan_revert,
    require_decided,
    require_revertible,
    store_revert,
)
from sessions_app.agent.mentions import mentioned_agents
from sessions_app.agents import effective_agents
from sessions_app.events.log import SessionWrite, session_write
from sessions_app.models import Message, Part, Revert, Session, Turn
from sessions_app.queries.answer_files import turns_begun_with


@dataclass(frozen=True, slots=True)
class StoredPrompt:
    """A prompt that was sent before: its author, text, mentioned agents, the ids of its files, and the files of the
    workspace that were read before the answer."""

    author: User | None
    text: str
    called: Sequence[str]
    files: Sequence[str]
    command: tuple[str, Mapping[str, Any]] | None = None
    """The text and the data of the prompt's command part."""
    paths: Sequence[str] = ()

    def edited(self, author: User, text: str, called: Sequence[str]) -> "StoredPrompt":
        """Return the prompt with another author, text and list of mentioned agents. Paths that the new text does not
        mention are dropped."""
        return StoredPrompt(author, text, called, self.files, paths=[each for each in self.paths if f"@{each}" in text])


Decisions = Mapping[str, Mapping[str, Any]]


def try_again(*, actor: User, turn: Turn, files_then: bool = False, decisions: Decisions | None = None) -> Turn:
    """Answer the turn's prompt again in a new turn. The old answer is kept as an alternative and hidden, together with
    the turns after it. With `files_then`, a revert first takes back the changes of files since the prompt, and the new
    turn waits for the revert; if a conflict needs a person's decision, the turn fails and no file is changed. Otherwise
    files stay as they are.

    Raises Stale while a turn is open or if another answer is chosen, BadInput if the turn has no prompt of a person.
    """
    require(actor, Act.PROMPT, team_id=turn.session.project.team_id)
    with session_write(turn.session_id, related=("workspace", "created_by")) as write:
        old = _idle_turn(write, turn)
        rows = _prompts_of(old)
        plan = _plan(write, actor, rows[0], decisions) if files_then else None
        return _answer_again(write, old, actor, [stored_prompt(row) for row in rows], plan)


def resend_edited(
    *, actor: User, message: Message, text: str, files_then: bool = False, decisions: Decisions | None = None
) -> Turn:
    """Answer the prompt, with its text replaced, in a new turn that is an alternative to the old turn. Prompts that
    joined the old turn before this prompt are sent again; prompts that joined it later are not. Files, decisions and
    errors are handled as in `try_again`."""
    require(actor, Act.PROMPT, team_id=message.session.project.team_id)
    called = mentions_in(message.session, text)
    with session_write(message.session_id, related=("workspace", "created_by")) as write:
        old = _idle_turn(write, message.turn)
        rows = [row for row in _prompts_of(old) if row.pk <= message.pk]
        if not rows or rows[-1].pk != message.pk:
            raise BadInput("Only a prompt can be edited.", hint="Choose a message that a person wrote.")
        *before, old_prompt = map(stored_prompt, rows)
        plan = _plan(write, actor, rows[0], decisions) if files_then else None
        return _answer_again(write, old, actor, [*before, old_prompt.edited(actor, text, called)], plan)


def choose_answer(*, actor: User, turn: Turn) -> Turn:
    """Choose the turn among its alternatives. Files stay as they are; a revert with `answer` changes the files to their
    state after this answer.

    Raises Stale while a turn is open, or if the prompt of the alternatives belongs to an answer that is hidden.
    """
    require(actor, Act.PROMPT, team_id=turn.session.project.team_id)
    with session_write(turn.session_id, related=("workspace", "created_by")) as write:
        require_idle(write)
        wanted = Turn.objects.get(pk=turn.pk)
        if wanted.hidden_with_id is not None:
            switch_answer(write, wanted)
        return Turn.objects.get(pk=turn.pk)


def stored_prompt(message: Message) -> StoredPrompt:
    parts = list(Part.objects.filter(message=message).order_by("index"))
    return StoredPrompt(
        author=message.author,
        text="\n\n".join(part.text for part in parts if part.type == Part.Type.TEXT),
        called=[part.data["agent"] for part in parts if part.type == Part.Type.AGENT],
        files=[part.data["attachment"]["id"] for part in parts if part.type == Part.Type.FILE],
        command=next(((part.text, part.data) for part in parts if part.type == Part.Type.COMMAND), None),
        paths=[path for part in parts if part.type == Part.Type.TEXT for path in part.data.get("paths", ())],
    )


def mentions_in(session: Session, text: str) -> list[str]:
    """Return the names of the callable agents that the text of a prompt mentions as `@name`."""
    if "@" not in text:
        return []
    agents = effective_agents(Session.objects.select_related("project", "workspace").get(pk=session.pk))
    return mentioned_agents(text, [name for name, known in agents.items() if known.is_callable])


def first_prompt(turn: Turn) -> Message:
    """Return the first prompt of a turn. Raises BadInput if no prompt started it."""
    rows = _prompts_of(turn)
    if not rows:
        raise BadInput("This turn has no prompt.", hint="Choose a turn that a prompt started.")
    return rows[0]


def _plan(write: SessionWrite, actor: User, prompt: Message, decisions: Decisions | None) -> RevertPlan:
    require_revertible(write)
    plan = plan_revert(actor, write.session, RevertScope(message=prompt, decisions=decisions))
    require_decided(plan)
    return plan


def _answer_again(
    write: SessionWrite, old: Turn, actor: User, prompts: Sequence[StoredPrompt], plan: RevertPlan | None
) -> Turn:
    """Start a new turn that answers the prompts `prompts` of the old turn again, after the revert in `plan` if there is
    one. Hide the old turn and the turns after it."""
    hidden = hide_from(write, old)
    new = Turn(started_by=actor, payer=actor, patience=old.patience, output_schema=old.output_schema)
    siblings = [*(old.alternatives or [old.public_id]), new.public_id]
    new.alternatives = siblings
    new.files_with = turns_begun_with(write.session, old) if plan is None else []
    start_turn(write, new)
    for prompt in prompts:
        files = take_attachments(write, prompt.files)
        message = add_message(
            write, new, author=prompt.author, text=prompt.text, called=prompt.called, files=files, paths=prompt.paths
        )
        if prompt.paths:
            add_opening(new, reading_calls(prompt.paths, person=actor.public_id), of=message)
        if prompt.command is not None:
            keep_command(write, new, message, *prompt.command)
    group = {from_public(Turn.PREFIX, sibling) for sibling in siblings}
    Turn.objects.filter(pk__in=group).update(alternatives=siblings)
    emit_alternatives(write, group.union(row.pk for row in hidden))
    if plan is not None and plan.wanted:
        revert = Revert(
            session=write.session, turn=old, actor=actor, wanted=plan.wanted, not_covered=plan.not_covered
        )  # fmt: skip
        store_revert(write, revert)
    return new


def _idle_turn(write: SessionWrite, turn: Turn) -> Turn:
    """Reload the turn from the database, and return it. Raises Stale or BadInput if the turn's prompt cannot be
    answered again."""
    require_idle(write)
    row = Turn.objects.get(pk=turn.pk)
    if row.hidden_with_id is not None:
        raise Stale("Another answer to this prompt is chosen.", hint="Choose this answer first.")
    if row.caller_id is not None:
        raise BadInput(
            "A sub-agent's task cannot be tried again by itself.", hint="Try again in the session that started it."
        )
    first_prompt(row)
    return row


def _prompts_of(turn: Turn) -> list[Message]:
    rows = Message.objects.filter(turn=turn, role=Message.Role.USER, reverted_by=None)
    return list(rows.select_related("author", "session__project", "session__workspace").order_by("id"))
