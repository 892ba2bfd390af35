"""Run a command of the prompt box, or a shell command that a person typed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import BadInput, Missing, Stale
from agentsite.tenancy.models import User
from sessions_app.actions.compaction import compact_session
from sessions_app.actions.opening import add_opening, call, keep_command, opening_calls
from sessions_app.actions.prompts import submit_prompt
from sessions_app.actions.reverts import RevertScope, request_revert
from sessions_app.actions.sharing import create_share_link
from sessions_app.agent.definitions import AgentDefinition
from sessions_app.agents import effective_agents
from sessions_app.configuration.built_in_commands import ACTIONS, Action
from sessions_app.configuration.commands import Command
from sessions_app.configuration.templates import MAX_ARGUMENTS, Filled, fill
from sessions_app.events.log import SessionWrite
from sessions_app.model_endpoints import ModelNotOffered, chosen_model
from sessions_app.models import Message, Session, ShareLink, Turn
from sessions_app.queries.commands import session_commands

DEFAULT_SUB_AGENT: Final = "general"
MAX_SHELL_CHARACTERS: Final = 20_000


@dataclass(frozen=True, slots=True)
class CommandOutcome:
    """The outcome of a command: it started or joined a turn, or it is done and `text` describes the result."""

    turn: Turn | None = None
    message: Message | None = None
    text: str = ""


def run_command(
    *,
    actor: User,
    session: Session,
    name: str,
    arguments: str = "",
    attachments: Sequence[str] = (),
    wait_for_answers: int | None = None,
) -> CommandOutcome:
    """Run a command by name. Raises Missing for an unknown command, BadInput if the command's agent or model cannot be
    used in the session.

    Reads `session.project` and `session.workspace`.
    """
    if action := next((each.name for each in ACTIONS if each.name == name), None):
        return _act(actor, session, action)
    command = session_commands(session, actor).get(name)
    if command is None:
        raise Missing(f"There is no command '/{name[:60]}' in this session.", hint="'/help' lists the commands.")
    if len(arguments) > MAX_ARGUMENTS:
        raise BadInput(f"Arguments have at most {MAX_ARGUMENTS:,} characters.", fields={"arguments": "too long"})
    plan = _plan(session, command, arguments)

    data = {
        "command": name, "arguments": arguments.strip(), "opening": plan.calls, "model": plan.model,
        "variant": command.variant, "subtask": plan.is_subtask,
    }  # fmt: skip

    def keep(write: SessionWrite, turn: Turn, message: Message) -> None:
        keep_command(write, turn, message, plan.text, data)

    turn, message = submit_prompt(
        actor=actor,
        session=session,
        text=f"/{name} {arguments.strip()}".strip(),
        agent=plan.agent,
        attachments=attachments,
        wait_for_answers=wait_for_answers,
        also=keep,
    )
    return CommandOutcome(turn, message)


@dataclass(frozen=True, slots=True)
class _Plan:
    """The plan for carrying out a command: the prompt, the calls and the model. `agent` becomes the session's agent,
    unless it is ""."""

    text: str
    agent: str
    model: str
    calls: list[dict[str, Any]]
    is_subtask: bool = False


def _plan(session: Session, command: Command, arguments: str) -> _Plan:
    agents = effective_agents(session)
    agent = _agent_of(command, agents)
    model = _model_of(session, command)
    filled = fill(command.template, arguments, [name for name, known in agents.items() if known.is_callable])
    if _is_subtask(command, agent):
        name = agent.name if agent else DEFAULT_SUB_AGENT
        if name not in agents or not agents[name].is_callable:
            raise BadInput(
                f"The command's agent '{name[:60]}' cannot work as a sub-agent.", fields={"command": "agent"}
            )
        task = {
            "description": (command.description or f"/{command.name}")[:200],
            "prompt": filled.source,
            "subagent_type": name,
            "command": command.name,
        }
        text = f"The agent `{name}` carries this command out. Tell the user what came of it.{_note(filled)}"
        return _Plan(text, "", model, [call("task", task)], is_subtask=True)
    chosen = agent.name if agent is not None and agent.name != session.agent else ""
    return _Plan(f"{filled.text}{_note(filled)}", chosen, model, opening_calls(filled))


def _note(filled: Filled) -> str:
    return f"\n\n({filled.left_out} more files and commands are left out.)" if filled.left_out else ""


def _is_subtask(command: Command, agent: AgentDefinition | None) -> bool:
    if command.subtask is not None:
        return command.subtask
    return agent is not None and agent.mode == "subagent"


def _agent_of(command: Command, agents: Mapping[str, AgentDefinition]) -> AgentDefinition | None:
    if not command.agent:
        return None
    if command.agent not in agents:
        raise BadInput(
            f"The command '/{command.name}' names the agent '{command.agent[:60]}', which does not exist here.",
            fields={"command": "its agent does not exist"},
        )
    return agents[command.agent]


def _model_of(session: Session, command: Command) -> str:
    """Return the model that the command names, or "" if it uses the session's model."""
    if not command.model:
        return ""
    try:
        chosen_model(session, command.model)
    except ModelNotOffered as error:
        raise BadInput(
            f"The command '/{command.name}' names a model that cannot be used. {error.message}",
            fields={"command": "its model is not offered"},
        ) from None
    return command.model


def run_shell(*, actor: User, session: Session, command: str) -> CommandOutcome:
    """Run a shell command that a person typed. The model reads it with the next prompt.

    The rules judge the command like any call. If they deny it, it does not run; if they ask, it runs if the person may
    approve it alone.
    """
    if not command.strip():
        raise BadInput("There is no command.", fields={"command": "empty"})
    if len(command) > MAX_SHELL_CHARACTERS:
        raise BadInput(f"A command has at most {MAX_SHELL_CHARACTERS:,} characters.", fields={"command": "too long"})
    typed = call("bash", {"command": command}, actor.public_id)

    def keep(_: SessionWrite, turn: Turn, message: Message) -> None:
        is_new = not Message.objects.filter(turn=turn).exclude(pk=message.pk).exists()
        add_opening(turn, [typed], of=message, ends=is_new)

    turn, message = submit_prompt(actor=actor, session=session, text=f"!{command.strip()}", also=keep)
    return CommandOutcome(turn, message)


def _act(actor: User, session: Session, name: Action) -> CommandOutcome:
    match name:
        case "compact":
            return CommandOutcome(compact_session(actor=actor, session=session), text="The conversation is summarized.")
        case "share":
            issued = create_share_link(actor=actor, session=session, reach=ShareLink.Reach.TEAM)
            return CommandOutcome(text=f"The team can read this session at /shared/{issued.secret}.")
        case "undo":
            return _undo(actor, session)
        case "help":
            return CommandOutcome(text=_help(actor, session))


def _undo(actor: User, session: Session) -> CommandOutcome:
    shown = Message.objects.filter(session=session, role=Message.Role.USER, reverted_by=None, turn__hidden_with=None)
    last = shown.order_by("-id").first()
    if last is None:
        raise Stale("There is no prompt to take back.", code=ErrorCode.NOTHING_TO_REVERT)
    request_revert(actor=actor, session=session, scope=RevertScope(message=last))
    return CommandOutcome(text="The last prompt and what it changed are being taken back.")


def _help(actor: User, session: Session) -> str:
    prompts = [(command.name, command.description) for command in session_commands(session, actor).values()]
    lines = sorted([*prompts, *((action.name, action.description) for action in ACTIONS)])
    return "\n".join(f"/{name}{f': {description}' if description else ''}" for name, description in lines)
