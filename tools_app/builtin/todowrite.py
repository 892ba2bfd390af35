"""The `todowrite` tool: replace the session's to-do list."""

from typing import Literal

from pydantic import Field

from tools_app.arguments import ToolArguments
from tools_app.description import description_beside
from tools_app.spec import PermissionNeed, Tool, ToolContext, ToolResult
from tools_app.todos import todos_as_text


class Todo(ToolArguments):
    content: str = Field(min_length=1, description="What is to be done.")
    status: Literal["pending", "in_progress", "completed", "cancelled"] = Field(description="How far it is.")
    priority: Literal["high", "medium", "low"] = Field(default="medium", description="How much it matters.")


class TodoWriteArguments(ToolArguments):
    todos: list[Todo] = Field(max_length=200, description="The whole new list.")


class TodoWriteTool(Tool[TodoWriteArguments]):
    id = "todowrite"
    permission = "todowrite"
    parameters = TodoWriteArguments
    description = description_beside(__file__)

    async def needs(self, args: TodoWriteArguments, ctx: ToolContext) -> list[PermissionNeed]:
        return [PermissionNeed("todowrite", ("*",), ("*",), {"title": "Update the to-do list"})]

    async def run(self, args: TodoWriteArguments, ctx: ToolContext) -> ToolResult:
        todos = [todo.model_dump() for todo in args.todos]
        await ctx.memory().write_todos(todos)
        return ToolResult("Updated the to-do list", todos_as_text(todos), {"todos": todos})
