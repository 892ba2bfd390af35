"""The `plan_enter` tool: switch the session to the plan agent, if the user agrees."""

from tools_app.arguments import ToolArguments
from tools_app.description import description_beside
from tools_app.spec import PermissionNeed, Tool, ToolContext, ToolResult

PLANNER = "plan"
ENTERED = (
    "You are the plan agent now: you read and search, and you change nothing. Explore until you understand what the "
    "task touches, then answer with a plan. When the user should decide about it, call plan_exit."
)


class PlanEnterArguments(ToolArguments):
    pass


class PlanEnterTool(Tool[PlanEnterArguments]):
    id = "plan_enter"
    permission = "plan_enter"
    parameters = PlanEnterArguments
    description = description_beside(__file__)

    async def needs(self, args: PlanEnterArguments, ctx: ToolContext) -> list[PermissionNeed]:
        return [PermissionNeed("plan_enter", ("*",), ("*",), {"title": "Plan first, before anything is changed"})]

    async def run(self, args: PlanEnterArguments, ctx: ToolContext) -> ToolResult:
        return ToolResult("Started to plan", ENTERED, {"agent": PLANNER}, switch_agent=PLANNER)
