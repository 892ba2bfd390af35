"""Submit a prompt to a session, or abort its turn."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from agentsite.base.errors import BadInput, Stale, TooLarge
from agentsite.base.ids import new_id
from agentsite.tenancy.access import require
from agentsite.tenancy.models import User
from agentsite.tenancy.roles import Act
from sessions_app.actions.attachments import take_attachments
from sessions_app.actions.budget_stops import resume_turn
from sessions_app.actions.calls import close_open_calls, end_processes_after_commit
from sessions_app.actions.opening import add_opening, reading_calls
from sessions_app.actions.reverts import settle_revert
from sessions_app.actions.sessions import check_agent
from sessions_app.actions.turns import end_turn, follow_turn
from sessions_app.actions.workspaces import require_usable
from sessions_app.agent.mentions import call_hint, mentioned_agents
from sessions_app.agents import effective_agents
from sessions_app.events import views
from sessions_app.events.log import SessionWrite, session_write
from sessions_app.models import Attachment, Message, Part, Session, ToolCall, Turn
from sessions_app.queueing import enqueue_title, enqueue_turn, enqueue_workspace
from tools_app.external_schema import BadSchema, validated_schema
from tools_app.text import is_clean

PROMPT_LIMIT: Final = 200_000  # characters; about 50,000 tokens
MAX_PATHS: Final = 20  # that one prompt names
MAX_PATH_CHARACTERS: Final = 4_096
MAX_WAIT_SECONDS: Final = 30 * 24 * 3600  # the longest expiry that a policy allows


def submit_prompt(
    *,
    actor: User,
    session: Session,
    text: str,
    agent: str = "",
    attachments: Sequence[str] = (),
    wait_for_answers: int | None = None,
    output_schema: Mapping[str, Any] | None = None,
    paths: Sequence[str] = (),
    also: Callable[[SessionWrite, Turn, Message], None] | None = None,
) -> tuple[Turn, Message]:
    """Add the user's prompt to the session. It starts a turn, or joins the running one, whose next step reads it.
    `agent` becomes the session's agent.

    `attachments` are ids of files uploaded to the session; a prompt with a file needs no text.

    `wait_for_answers` is how many seconds permission requests and questions wait for a person from now on; 0 means that
    they are not asked at all. If it is None, a new turn uses the policies' limits and a running turn keeps its value.
    `output_schema` is a JSON Schema that the turn's answer must match (`Turn.output`); the latest prompt's schema is
    used. `paths` are files and folders of the workspace that are read before the answer, under the rules and with the
    actor's right to approve. `also` is called in the same transaction and can change more rows.
    """
    _check(text, attachments, wait_for_answers, paths)
    wanted = _plain_schema(output_schema)
    require(actor, Act.PROMPT, team_id=session.project.team_id)
    called = called_agents(session, text, agent)
    with session_write(session.id, related=("workspace",)) as write:
        if write.session.archived:
            raise Stale("This session is archived.", hint="Unarchive the session first.")
        require_usable(write.session.workspace)
        turn = Turn.objects.filter(session=session, state__in=Turn.OPEN).first()
        if turn is None:
            turn = start_turn(
                write, Turn(started_by=actor, payer=actor, patience=wait_for_answers, output_schema=wanted)
            )
        else:
            _join_turn(write, turn, actor, wait_for_answers, wanted)
            resume_turn(write, turn)
        if agent and (agent != write.session.agent or write.session.agent_by_default):
            choose_agent(write, agent)
        files = take_attachments(write, attachments) if attachments else []
        message = add_message(write, turn, author=actor, text=text, called=called, files=files, paths=paths)
        if paths:
            add_opening(turn, reading_calls(paths, person=actor.public_id), of=message)
        if also is not None:
            also(write, turn, message)
        if not write.session.title:
            write.after_commit(lambda: enqueue_title(session.id))
        return turn, message


def choose_agent(write: SessionWrite, agent: str) -> None:
    """Set the session's agent to the agent that a person chose for the prompt."""
    if agent != write.session.agent:
        write.session.agent = agent
        write.session_changed()
    if write.session.agent_by_default:
        write.session.agent_by_default = False
        write.session.save(update_fields=["agent_by_default"])


def _check(text: str, attachments: Sequence[str], wait_for_answers: int | None, paths: Sequence[str]) -> None:
    if len(paths) > MAX_PATHS or any(not 0 < len(path) <= MAX_PATH_CHARACTERS or not is_clean(path) for path in paths):
        raise BadInput(
            f"'paths' can name at most {MAX_PATHS} files with at most {MAX_PATH_CHARACTERS:,} characters each.",
            fields={"paths": "too many or too long"},
        )
    if wait_for_answers is not None and not 0 <= wait_for_answers <= MAX_WAIT_SECONDS:
        raise BadInput(
            f"'wait_for_answers' must be between 0 and {MAX_WAIT_SECONDS:,} seconds.",
            fields={"wait_for_answers": "out of range"},
        )
    if not text.strip() and not attachments:
        raise BadInput("A prompt must have text or a file.", fields={"text": "empty"})
    if len(text) > PROMPT_LIMIT:
        raise TooLarge(
            f"A prompt can have at most {PROMPT_LIMIT:,} characters; this one has {len(text):,}.",
            hint="Put the long part into a file in the workspace and mention the file in the prompt.",
            fields={"text": "too long"},
        )


def _plain_schema(output_schema: Mapping[str, Any] | None) -> dict[str, Any] | None:
    try:
        return None if output_schema is None else validated_schema(output_schema)
    except BadSchema as error:
        raise BadInput(
            f"'output_schema' cannot be used. {error}", fields={"output_schema": "not a usable JSON Schema"}
        ) from error


def _join_turn(
    write: SessionWrite, turn: Turn, actor: User, patience: int | None, output_schema: dict[str, Any] | None
) -> None:
    """Let the actor's prompt join the running turn. From the next step on the turn is billed to the actor, and a
    structured output from before this prompt is discarded."""
    is_told = turn.output is not None
    turn.patience = turn.patience if patience is None else patience
    turn.output_schema, turn.output = output_schema or turn.output_schema, None
    turn.payer = actor
    turn.save(update_fields=["payer", "patience", "output_schema", "output"])
    if is_told:
        write.emit("turn.updated", views.turn(turn))


def called_agents(session: Session, text: str, agent: str = "") -> list[str]:
    """Return the names of the agents that the prompt mentions. Raises BadInput if people cannot select `agent`."""
    if not agent and "@" not in text:
        return []
    rows = Session.objects.select_related("project", "workspace")
    agents = effective_agents(rows.filter(pk=session.pk).first() or session)
    if agent:
        check_agent(agent, agents)
    return mentioned_agents(text, [name for name, known in agents.items() if known.is_callable])


def start_turn(write: SessionWrite, turn: Turn) -> Turn:
    """Store the new turn of a session without an open turn and enqueue its first step. Reads `session.workspace`."""
    if write.session.revert is not None:
        settle_revert(write)
    turn.session = write.session
    turn.save(force_insert=True)
    write.emit("turn.updated", views.turn(turn))
    follow_turn(write, turn)
    workspace = write.session.workspace
    if workspace.seeded:
        write.after_commit(lambda: enqueue_turn(turn.id))
    else:
        write.after_commit(lambda: enqueue_workspace(workspace.id, node=workspace.node))
    return turn


def add_message(
    write: SessionWrite,
    turn: Turn,
    *,
    author: Any,
    text: str,
    called: Sequence[str] = (),
    files: Sequence[Attachment] = (),
    paths: Sequence[str] = (),
) -> Message:
    """Add a prompt message after all existing messages. A sub-agent's task has no author. `paths` are stored with the
    message, so that they are read again if the prompt is sent again."""
    newest = Message.objects.filter(session=write.session).order_by("-id").values_list("id", flat=True).first()
    last = max(filter(None, (newest, turn.answer_id)), default=None)
    message = Message.objects.create(
        id=new_id(after=last),
        session=write.session,
        turn=turn,
        role=Message.Role.USER,
        author=author,
        agent=write.session.agent,
        completed_at=write.now,
    )
    write.emit("message.updated", views.message(message))
    named: dict[str, Any] = {"paths": list(paths)} if paths else {}
    _add_part(write, message, index=0, type=Part.Type.TEXT, text=text, data=named)
    for index, name in enumerate(called, start=1):
        _add_part(write, message, index=index, type=Part.Type.AGENT, text=call_hint(name), data={"agent": name})
    for index, file in enumerate(files, start=1 + len(called)):
        data = {"attachment": views.attachment(file).model_dump()}
        _add_part(write, message, index=index, type=Part.Type.FILE, data=data)
    return message


def _add_part(write: SessionWrite, message: Message, **fields: Any) -> None:
    part = Part.objects.create(session=write.session, message=message, **fields)
    write.emit("part.updated", views.part(part))


def abort_turn(*, actor: User, session: Session) -> bool:
    """Stop the session's turn. Clients see it at once; the model stream and processes end within 3 s. Returns False if
    no turn was open."""
    require(actor, Act.PROMPT, team_id=session.project.team_id)
    with session_write(session.id) as write:
        turn = Turn.objects.filter(session=session, state__in=Turn.OPEN).first()
        if turn is None:
            return False
        running = close_open_calls(write, turn, state=ToolCall.State.ABORTED, output="Stopped by a person.")
        end_processes_after_commit(write, running)
        return end_turn(write, turn, Turn.State.ABORTED)
