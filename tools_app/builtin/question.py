"""The `question` tool: ask the user and wait for the answer."""

from pydantic import Field

from tools_app.arguments import ToolArguments
from tools_app.description import description_beside
from tools_app.spec import PermissionNeed, Tool, ToolContext, ToolResult
from tools_app.suspension import AwaitAnswer


class Option(ToolArguments):
    label: str = Field(min_length=1, description="The answer, in a few words.")
    description: str = Field(default="", description="What choosing it means.")


class Question(ToolArguments):
    question: str = Field(min_length=1, description="The whole question.")
    header: str = Field(min_length=1, max_length=60, description="Its subject in a few words, as a heading.")
    options: list[Option] = Field(max_length=10, description="The answers to choose from.")
    multiple: bool | None = Field(default=None, description="Several answers may be chosen. Default: false.")


class QuestionArguments(ToolArguments):
    questions: list[Question] = Field(min_length=1, max_length=10, description="What to ask, all at once.")


class QuestionTool(Tool[QuestionArguments]):
    id = "question"
    permission = "question"
    parameters = QuestionArguments
    description = description_beside(__file__)

    async def needs(self, args: QuestionArguments, ctx: ToolContext) -> list[PermissionNeed]:
        return [PermissionNeed("question", ("*",), ("*",), {"title": f"Ask: {args.questions[0].header}"})]

    async def run(self, args: QuestionArguments, ctx: ToolContext) -> ToolResult:
        raise AwaitAnswer([{**each.model_dump(), "multiple": bool(each.multiple)} for each in args.questions])
