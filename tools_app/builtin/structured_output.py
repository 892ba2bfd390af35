from collections.abc import Mapping
from typing import Any, Final

from pydantic import BaseModel, Field

from tools_app.description import description_beside
from tools_app.external_schema import problems
from tools_app.spec import OfferContext, PermissionNeed, Tool, ToolContext, ToolError, ToolResult

NO_FORM: Final = {"type": "object", "properties": {}}


class AnswerArguments(BaseModel):
    """The arguments of a call are whatever the caller's schema says; here they are one value."""

    value: dict[str, Any] = Field(description="The answer; its parts are what the prompt's schema says.")


class StructuredOutputTool(Tool[AnswerArguments]):
    """Offered only when a prompt asked for an answer that fits a JSON Schema."""

    id = "StructuredOutput"
    permission = ""
    parameters = AnswerArguments
    description = description_beside(__file__)

    def is_offered(self, offer: OfferContext) -> bool:
        return offer.output_schema is not None

    def schema(self, offer: OfferContext) -> Mapping[str, Any]:
        return offer.output_schema or NO_FORM

    def read_arguments(self, arguments: Mapping[str, Any], ctx: ToolContext) -> AnswerArguments:
        if ctx.output_schema is None:
            raise ToolError("Nobody asked for an answer in a given form. Answer in words.")
        if wrong := problems(dict(arguments), ctx.output_schema):
            raise ToolError(f"The answer does not fit the form that was asked for. {'; '.join(wrong)}. Correct it.")
        return AnswerArguments(value=dict(arguments))

    async def needs(self, args: AnswerArguments, ctx: ToolContext) -> list[PermissionNeed]:
        return []

    async def run(self, args: AnswerArguments, ctx: ToolContext) -> ToolResult:
        return ToolResult("Gave the answer", "The answer was taken.", {"value": args.value}, final=True)
