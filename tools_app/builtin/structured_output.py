"""The `StructuredOutput` tool: give the final answer of a turn as JSON that matches the prompt's JSON Schema."""

from collections.abc import Mapping
from typing import Any, Final

from pydantic import BaseModel, Field

from tools_app.description import description_beside
from tools_app.external_schema import problems
from tools_app.spec import OfferContext, PermissionNeed, Tool, ToolContext, ToolError, ToolResult

EMPTY_SCHEMA: Final = {"type": "object", "properties": {}}


class AnswerArguments(BaseModel):
    """The arguments of a call. They follow the prompt's JSON Schema, which is only known at run time, so they are
    declared as one dict."""

    value: dict[str, Any] = Field(description="The answer, with the properties of the prompt's JSON Schema.")


class StructuredOutputTool(Tool[AnswerArguments]):
    id = "StructuredOutput"
    permission = ""
    parameters = AnswerArguments
    description = description_beside(__file__)
    requires = "output_schema"

    def schema(self, offer: OfferContext) -> Mapping[str, Any]:
        return offer.output_schema or EMPTY_SCHEMA

    def read_arguments(self, arguments: Mapping[str, Any], ctx: ToolContext) -> AnswerArguments:
        if ctx.output_schema is None:
            raise ToolError("The prompt did not ask for structured output. Answer in plain text.")
        if wrong := problems(dict(arguments), ctx.output_schema):
            raise ToolError(
                f"The answer does not match the JSON Schema. {'; '.join(wrong)}. Correct it and call again."
            )
        return AnswerArguments(value=dict(arguments))

    async def needs(self, args: AnswerArguments, ctx: ToolContext) -> list[PermissionNeed]:
        return []

    async def run(self, args: AnswerArguments, ctx: ToolContext) -> ToolResult:
        return ToolResult("Gave the answer", "The answer was taken.", {"value": args.value}, final=True)
