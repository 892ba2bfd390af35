"""The `todoread` tool: read the session's to-do list."""

from tools_app.arguments import ToolArguments
from tools_app.description import description_beside
from tools_app.spec import PermissionNeed, Tool, ToolContext, ToolResult
from tools_app.todos import todos_as_text


class TodoReadArguments(ToolArguments):
    pass


class TodoReadTool(Tool[TodoReadArguments]):
    id = "todoread"
    permission = "todoread"
    parameters = TodoReadArguments
    description = description_beside(__file__)

    async def needs(self, args: TodoReadArguments, ctx: ToolContext) -> list[PermissionNeed]:
        return [PermissionNeed("todoread", ("*",), ("*",), {"title": "Read the to-do list"})]

    async def run(self, args: TodoReadArguments, ctx: ToolContext) -> ToolResult:
        todos = await ctx.memory().read_todos()
        return ToolResult("Read the to-do list", todos_as_text(todos), {"todos": todos})
