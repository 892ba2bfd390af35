"""Arguments and permissions of the tool `task`. Tests with sessions cover the sub-agents that it starts."""

from dataclasses import replace
from typing import Any, cast

import pytest

from sandbox.ports import Runtime
from tests.support.tool_context import make_context
from tools_app import chain
from tools_app.builtin.task import TaskTool
from tools_app.spec import OfferContext, ToolContext, ToolError
from tools_app.suspension import AwaitChild

AGENTS = {"explore": "Looks for things.", "general": "Does a part of the work."}
WANTED = '"description": "Find it", "prompt": "Where is it?", "subagent_type": "explore"'


def context(agents: dict[str, str] | None = None) -> ToolContext:
    nowhere = cast(Runtime, None)  # the tool touches no files
    return replace(make_context(nowhere), agents=AGENTS if agents is None else agents)


async def awaited(arguments: str, ctx: ToolContext) -> AwaitChild:
    prepared = await chain.prepare("task", arguments, ctx)
    with pytest.raises(AwaitChild) as raised:
        await chain.run(prepared, ctx)
    return raised.value


async def test_it_waits_for_the_sub_agent() -> None:
    wait = await awaited(f"{{{WANTED}}}", context())
    assert (wait.agent, wait.description, wait.prompt) == ("explore", "Find it", "Where is it?")
    assert (wait.session_id, wait.command) == (None, None)


@pytest.mark.parametrize("name", ["task_id", "session_id", "taskId", "sessionId"])
async def test_it_goes_on_by_whatever_name_models_know_the_id(name: str) -> None:
    wait = await awaited(f'{{{WANTED}, "{name}": "ses_1"}}', context())
    assert wait.session_id == "ses_1"


@pytest.mark.parametrize("nothing", ['""', "null"])
async def test_an_empty_id_begins_anew(nothing: str) -> None:
    assert (await awaited(f'{{{WANTED}, "task_id": {nothing}, "command": {nothing}}}', context())).session_id is None


async def test_the_permission_is_the_agents_name() -> None:
    (need,) = (await chain.prepare("task", f"{{{WANTED}}}", context())).needs
    assert (need.permission, need.patterns, need.always) == ("task", ("explore",), ("explore",))
    assert need.metadata["prompt"] == "Where is it?"


async def test_a_name_that_stands_for_others_can_be_granted_to_nobody() -> None:
    arguments = f"{{{WANTED}}}".replace("explore", "*")
    (need,) = (await chain.prepare("task", arguments, context())).needs
    assert need.always == ()


@pytest.mark.parametrize(
    ("agents", "words"), [(AGENTS, "- general: Does a part"), ({}, "There are no sub-agents here")]
)
async def test_an_agent_that_is_not_there_is_refused(agents: dict[str, str], words: str) -> None:
    ctx = context(agents)
    prepared = await chain.prepare("task", f"{{{WANTED}}}".replace("explore", "nobody"), ctx)
    with pytest.raises(ToolError, match=words):
        await chain.run(prepared, ctx)


@pytest.mark.parametrize("left_out", ["description", "prompt", "subagent_type"])
async def test_nothing_of_it_may_be_empty(left_out: str) -> None:
    said: dict[str, Any] = {"description": '"x"', "prompt": '"x"', "subagent_type": '"explore"', left_out: '""'}
    arguments = ", ".join(f'"{name}": {value}' for name, value in said.items())
    with pytest.raises(ToolError, match=left_out):
        await chain.prepare("task", f"{{{arguments}}}", context())


def test_models_are_told_which_sub_agents_there_are() -> None:
    tool = TaskTool()
    told = tool.describe(OfferContext(agents=AGENTS))
    assert told.endswith("- explore: Looks for things.\n- general: Does a part of the work.")
    assert not tool.is_offered(OfferContext())


def test_its_parameters_have_the_names_that_models_know() -> None:
    names = set(TaskTool().schema(OfferContext(agents=AGENTS))["properties"])
    assert names == {"description", "prompt", "subagent_type", "task_id", "command"}
