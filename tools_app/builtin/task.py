"""The `task` tool: give a task to a sub-agent."""

from collections.abc import Mapping

from pydantic import AliasChoices, Field

from tools_app.arguments import ToolArguments
from tools_app.description import description_beside
from tools_app.permission.wildcard import is_literal
from tools_app.spec import OfferContext, PermissionNeed, Tool, ToolContext, ToolError, ToolResult
from tools_app.suspension import AwaitChild


class TaskArguments(ToolArguments):
    description: str = Field(min_length=1, max_length=200, description="What it is about, in three to five words.")
    prompt: str = Field(
        min_length=1,
        max_length=100_000,
        description="The whole task. The sub-agent knows nothing else: name files, facts and what the answer must say.",
    )
    subagent_type: str = Field(
        alias="subagent_type", min_length=1, max_length=64, description="The name of the sub-agent to ask."
    )
    task_id: str | None = Field(
        default=None,
        validation_alias=AliasChoices("task_id", "session_id", "taskId", "sessionId"),
        description="The id from the result of an earlier call, to go on with the same sub-agent and all it has read.",
    )
    command: str | None = Field(
        default=None, max_length=200, description="The slash command that asked for this, if one did."
    )


class TaskTool(Tool[TaskArguments]):
    """A tool that starts a sub-agent in a session of its own. No worker is occupied while the call waits for its
    result."""

    id = "task"
    permission = "task"
    parameters = TaskArguments
    description = description_beside(__file__)
    requires = "agents"
    timeout = None  # a sub-agent is limited by its number of steps

    def describe(self, offer: OfferContext) -> str:
        return f"{self.description}\n\nThe sub-agents:\n{_as_list(offer.agents)}"

    async def needs(self, args: TaskArguments, ctx: ToolContext) -> list[PermissionNeed]:
        agent = args.subagent_type
        metadata = {"title": f"Ask @{agent}: {args.description}", "agent": agent, "prompt": args.prompt}
        return [PermissionNeed("task", (agent,), (agent,) if is_literal(agent) else (), metadata)]

    async def run(self, args: TaskArguments, ctx: ToolContext) -> ToolResult:
        if args.subagent_type not in ctx.agents:
            raise ToolError(_unknown(args.subagent_type, ctx.agents))
        raise AwaitChild(
            args.subagent_type,
            args.description,
            args.prompt,
            session_id=args.task_id or None,
            command=args.command or None,
        )


def _unknown(name: str, agents: Mapping[str, str]) -> str:
    if not agents:
        return "There are no sub-agents here. Do the work yourself."
    return f"There is no sub-agent '{name}'. The sub-agents:\n{_as_list(agents)}"


def _as_list(agents: Mapping[str, str]) -> str:
    return "\n".join(f"- {name}: {description}" for name, description in agents.items())
