"""Hooks see every call and may change it, before the permission gate and after the run."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import pytest

from sandbox.ports import Runtime
from tests.support.outside_tools import OutsideTools, added, hooked
from tests.support.tool_context import call, make_context
from tools_app import chain
from tools_app.hooks import ToolHooks
from tools_app.registry import offered
from tools_app.spec import ToolContext, ToolError, ToolOffer, ToolResult


class Changing(ToolHooks):
    def definition(self, offer: ToolOffer) -> ToolOffer:
        return replace(offer, name="other", description=f"{offer.description} Said a hook.")

    async def before(self, tool: str, arguments: Mapping[str, Any], ctx: ToolContext) -> Mapping[str, Any]:
        return {**arguments, "city": f"New {arguments['city']}"}

    async def after(self, tool: str, arguments: Mapping[str, Any], result: ToolResult, ctx: ToolContext) -> ToolResult:
        return replace(result, output=f"{result.output} Seen by a hook with {arguments['city']}.")


class Failing(ToolHooks):
    def definition(self, offer: ToolOffer) -> ToolOffer:
        raise RuntimeError("definition")

    async def before(self, tool: str, arguments: Mapping[str, Any], ctx: ToolContext) -> Mapping[str, Any]:
        raise RuntimeError("before")

    async def after(self, tool: str, arguments: Mapping[str, Any], result: ToolResult, ctx: ToolContext) -> ToolResult:
        raise RuntimeError("after")


class Refusing(ToolHooks):
    async def before(self, tool: str, arguments: Mapping[str, Any], ctx: ToolContext) -> Mapping[str, Any]:
        raise ToolError("Not on Sundays.")


class Breaking(ToolHooks):
    async def before(self, tool: str, arguments: Mapping[str, Any], ctx: ToolContext) -> Mapping[str, Any]:
        return {"town": "Oslo"}


@pytest.fixture
def ctx() -> ToolContext:
    return make_context(cast(Runtime, None))


async def test_permissions_are_asked_about_the_arguments_as_the_hook_left_them(ctx: ToolContext) -> None:
    with added(OutsideTools()), hooked(Changing()):
        prepared = await chain.prepare("weather", '{"city": "York"}', ctx)
        result = await chain.run(prepared, ctx)
    assert prepared.title == "Ask for the weather of New York"
    assert result.output == "Sunny in New York. Seen by a hook with New York."


async def test_hooks_run_in_their_order_and_each_sees_what_the_one_before_it_changed(ctx: ToolContext) -> None:
    with added(OutsideTools()), hooked(Changing()), hooked(Changing()):
        assert (await call("weather", '{"city": "York"}', ctx)).output.startswith("Sunny in New New York. Seen")


def test_a_hook_may_describe_a_tool_otherwise_but_not_rename_it() -> None:
    with added(OutsideTools()), hooked(Changing()):
        (offer,) = [offer for offer in offered([]) if offer.name == "weather"]
    assert offer.description == "Tells the weather of a city. Said a hook."


async def test_a_hook_that_fails_is_passed_over(ctx: ToolContext) -> None:
    with added(OutsideTools()), hooked(Failing()):
        assert (await call("weather", '{"city": "Oslo"}', ctx)).output == "Sunny in Oslo."
        assert "weather" in {offer.name for offer in offered([])}


async def test_a_hook_may_refuse_a_call_with_words_for_the_model(ctx: ToolContext) -> None:
    with added(OutsideTools()), hooked(Refusing()), pytest.raises(ToolError, match=r"Not on Sundays\."):
        await chain.prepare("weather", '{"city": "Oslo"}', ctx)


async def test_what_a_hook_makes_of_the_arguments_is_checked_again(ctx: ToolContext) -> None:
    with added(OutsideTools()), hooked(Breaking()), pytest.raises(ToolError, match="city: Field required"):
        await chain.prepare("weather", '{"city": "Oslo"}', ctx)
