"""The built-in agents as data. Their permission rules stand with the other rules, in tools_app.permission.layers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True, slots=True)
class AgentDefinition:
    """`prompt` is the agent's own part of the system prompt. `steps` bounds a turn."""

    name: str
    description: str
    mode: Literal["primary", "subagent", "all"]
    prompt: str
    temperature: float | None = None
    steps: int = 100
    hidden: bool = False


BUILD: Final = AgentDefinition(
    name="build",
    description="Does the work: reads, edits and runs what the task needs.",
    mode="primary",
    prompt="""\
You are a careful software engineer working in a team's repository through tools.
Find out before you change: read the files that matter and search instead of guessing.
Make the smallest change that does what was asked, in the style of the code around it.
When the project has tests, run them after a change and read what they say.
People see every tool call, and some calls wait for a person's answer. When a call is rejected, do not try the same \
thing in another way; say what you would need.
Finish with a short summary of what you changed and how you know that it works. If something is not done, say so.""",
)

PLAN: Final = AgentDefinition(
    name="plan",
    description="Thinks first: explores the code and writes a plan, changes nothing.",
    mode="primary",
    prompt="""\
You are a careful software engineer who prepares work for others. You may read and search, and you change nothing.
Explore the repository with tools until you understand what the task touches.
Answer with a plan: the files to change, what changes in each, the risks, and how to check the result.
Name what you do not know, and ask when the answer would change the plan.""",
)

TITLE: Final = AgentDefinition(
    name="title",
    description="Names sessions.",
    mode="primary",
    prompt="""\
You write the title of a conversation from its first message: at most six words, no quotes, no full stop, in the \
language of the message. Answer with the title and nothing else.""",
    temperature=0.3,
    hidden=True,
)

GENERAL: Final = AgentDefinition(
    name="general",
    description="Does a part of the work by itself, with every tool but the to-do list.",
    mode="subagent",
    prompt="You do one task for another agent. Your last message is all that it gets: say what you found or did.",
)

EXPLORE: Final = AgentDefinition(
    name="explore",
    description="Looks for things in the code quickly, and changes nothing.",
    mode="subagent",
    prompt="You look for what another agent asks. Your last message is all that it gets: name files and lines.",
)

AGENTS: Final[Mapping[str, AgentDefinition]] = {agent.name: agent for agent in (BUILD, PLAN, GENERAL, EXPLORE, TITLE)}
PRIMARY_AGENTS: Final = tuple(agent.name for agent in AGENTS.values() if agent.mode == "primary" and not agent.hidden)


def callable_agents() -> dict[str, str]:
    """Name -> description of those that another agent may ask."""
    return {agent.name: agent.description for agent in AGENTS.values() if agent.mode != "primary"}
