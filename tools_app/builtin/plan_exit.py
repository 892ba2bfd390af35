"""The `plan_exit` tool: switch the session to the build agent to carry out the plan, if the user agrees."""

from tools_app.arguments import ToolArguments
from tools_app.description import description_beside
from tools_app.spec import PermissionNeed, Tool, ToolContext, ToolResult

BUILDER = "build"
LEFT = (
    "The user agrees with the plan. You are the build agent now: you may change files and run commands, as far as the "
    "rules allow. Carry out the plan, step by step, and check the result as it says."
)


class PlanExitArguments(ToolArguments):
    pass


class PlanExitTool(Tool[PlanExitArguments]):
    id = "plan_exit"
    permission = "plan_exit"
    parameters = PlanExitArguments
    description = description_beside(__file__)

    async def needs(self, args: PlanExitArguments, ctx: ToolContext) -> list[PermissionNeed]:
        return [PermissionNeed("plan_exit", ("*",), ("*",), {"title": "Carry out the plan"})]

    async def run(self, args: PlanExitArguments, ctx: ToolContext) -> ToolResult:
        return ToolResult("Started to carry out the plan", LEFT, {"agent": BUILDER}, switch_agent=BUILDER)
