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

AGENTS: Final[Mapping[str, AgentDefinition]] = {agent.name: agent for agent in (BUILD, PLAN, TITLE)}
PRIMARY_AGENTS: Final = tuple(agent.name for agent in AGENTS.values() if agent.mode == "primary" and not agent.hidden)
