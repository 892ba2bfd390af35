"""REST endpoints: commands of the prompt box, shell commands of people, and the search for files to mention."""

from typing import Annotated, Any, Literal

from django.http import HttpRequest
from ninja import Field, Router, Schema, Status
from pydantic import StringConstraints

from agentsite.http.operation_marks import idempotent
from agentsite.http.request_body import RequestBody
from agentsite.tenancy.authentication import current_user
from sessions_app.actions.commands import CommandOutcome, run_command, run_shell
from sessions_app.actions.prompts import MAX_WAIT_SECONDS
from sessions_app.configuration.built_in_commands import ACTIONS
from sessions_app.configuration.commands import Command
from sessions_app.events import schema, views
from sessions_app.queries.commands import session_commands
from sessions_app.queries.sessions import find_session
from sessions_app.transport.rest.configuration import ConfigurationSource

router = Router(tags=["commands"])


class CommandView(Schema):
    """A command. A `prompt` is sent to an agent; an `action` is carried out by the site. `agent` and `model` are "" if
    the command does not name them; `subtask` is null if that depends on the agent."""

    name: str
    description: str
    kind: Literal["prompt", "action"]
    template: str
    agent: str
    model: str
    variant: str
    subtask: bool | None
    source: ConfigurationSource

    @classmethod
    def of(cls, command: Command) -> "CommandView":
        return cls(
            name=command.name,
            description=command.description,
            kind="prompt",
            template=command.template,
            agent=command.agent,
            model=command.model,
            variant=command.variant,
            subtask=command.subtask,
            source=ConfigurationSource.of(command.source),
        )


class CommandList(Schema):
    items: list[CommandView]


class NewCommand(RequestBody):
    """A command to run. `wait_for_answers` has the same meaning as for a prompt."""

    command: Annotated[str, StringConstraints(min_length=1, max_length=64)]
    arguments: str = ""
    attachments: list[str] = Field(default_factory=list)
    wait_for_answers: int | None = Field(default=None, ge=0, le=MAX_WAIT_SECONDS)


class NewShellCommand(RequestBody):
    """A shell command that you typed."""

    command: str


class CommandTaken(Schema):
    """The result of a command: the turn and the message that it started, or a `text` that says what happened."""

    turn: schema.TurnView | None
    message: schema.MessageView | None
    text: str

    @classmethod
    def of(cls, outcome: CommandOutcome) -> "CommandTaken":
        return cls(
            turn=views.turn(outcome.turn) if outcome.turn else None,
            message=views.message(outcome.message) if outcome.message else None,
            text=outcome.text,
        )


@router.get("/sessions/{session_id}/commands", response=CommandList, operation_id="list_session_commands")
def list_session_commands(request: HttpRequest, session_id: str) -> CommandList:
    """List the commands that you can use in a session: commands of the site, commands of the session's configuration,
    and your own."""
    found = session_commands(find_session(request, session_id), current_user(request)).values()
    fields: dict[str, Any] = {"template": "", "agent": "", "model": "", "variant": "", "subtask": None}
    source = ConfigurationSource(origin="default", name="")
    actions = [
        CommandView(name=each.name, description=each.description, kind="action", source=source, **fields)
        for each in ACTIONS
    ]
    return CommandList(items=sorted([*map(CommandView.of, found), *actions], key=lambda each: each.name))


@router.post("/sessions/{session_id}/commands", response={202: CommandTaken}, operation_id="run_session_command")
@idempotent
def post_command(request: HttpRequest, session_id: str, payload: NewCommand) -> Status[CommandTaken]:
    """Run a command of a session. A command with a prompt starts a turn or joins the running one. An action is carried
    out at once, and `text` says what happened."""
    outcome = run_command(
        actor=current_user(request),
        session=find_session(request, session_id),
        name=payload.command,
        arguments=payload.arguments,
        attachments=payload.attachments,
        wait_for_answers=payload.wait_for_answers,
    )
    return Status(202, CommandTaken.of(outcome))


@router.post("/sessions/{session_id}/shell", response={202: CommandTaken}, operation_id="run_session_shell")
@idempotent
def post_shell(request: HttpRequest, session_id: str, payload: NewShellCommand) -> Status[CommandTaken]:
    """Run a shell command that you typed. If the permission rules ask about it, it runs only if you may approve it. The
    model reads the command and its output with the next prompt."""
    outcome = run_shell(actor=current_user(request), session=find_session(request, session_id), command=payload.command)
    return Status(202, CommandTaken.of(outcome))
