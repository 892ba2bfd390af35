"""Build the system prompt: the agent's prompt, its environment, and the instructions of the repository. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from sandbox.ports import WORKSPACE_ROOT
from sessions_app.agent.definitions import AgentDefinition

_LAST: Final = "This is your last step: as many steps as you may take have been taken, and"
_IN_WORDS: Final = (
    f"{_LAST} you have no tools any more. Answer now with text alone. Say what was done, what is not done, and what "
    "should be done next."
)
_AS_STRUCTURED_OUTPUT: Final = (
    f"{_LAST} all that you may still do is to give your answer in the form that was asked for."
)


MAX_SKILL_LINE_CHARACTERS: Final = 400  # characters; a list of a hundred skills must leave room for the conversation


@dataclass(frozen=True, slots=True)
class AgentEnvironment:
    """Environment of an agent. `instructions` are {path, text} of files like AGENTS.md in the workspace, `skills`
    {name, description} of the skills that the agent may load."""

    project: str
    model: str
    today: date
    instructions: Sequence[Mapping[str, str]] = ()
    skills: Sequence[Mapping[str, str]] = ()


def last_step_message(*, in_form: bool = False) -> str:
    """Return the message at the end of the model's last request in a turn."""
    return f"<reminder>\n{_AS_STRUCTURED_OUTPUT if in_form else _IN_WORDS}\n</reminder>"


def system_prompt(agent: AgentDefinition, around: AgentEnvironment) -> str:
    """Return the system prompt: agent, environment and instruction files, each under a line that introduces it."""
    blocks = [agent.prompt, _environment(around), *(_instruction(item) for item in around.instructions)]
    return "\n\n".join([*blocks, *_skills(around.skills)])


def _environment(around: AgentEnvironment) -> str:
    return (
        "<environment>\n"
        f"Project: {around.project}\n"
        f"Workspace directory: {WORKSPACE_ROOT}\n"
        "Platform: Debian Linux in a container without network\n"
        f"Model: {around.model}\n"
        f"Date: {around.today.isoformat()}\n"
        "</environment>"
    )


def _instruction(item: Mapping[str, str]) -> str:
    return f"Instructions of this repository, from {item['path']}:\n{item['text']}"


def _skills(skills: Sequence[Mapping[str, str]]) -> list[str]:
    if not skills:
        return []
    lines = [f"- {skill['name']}: {skill['description']}"[:MAX_SKILL_LINE_CHARACTERS] for skill in skills]
    words = (
        "Skills of this repository: how its people want one kind of task done. When the task at hand is of such a kind,"
        " load the skill with the `skill` tool before you begin."
    )
    return ["\n".join([words, *lines])]
