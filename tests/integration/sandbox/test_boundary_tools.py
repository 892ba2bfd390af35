"""A path that is swapped for a link between a tool's permission request and its run ends the call, without effects.

A permission request names the real path, even if the link to it is in another folder.
"""

import json
from typing import Any

import pytest

from tests.contract.sandbox.conftest import Sandbox, new_id
from tests.support.tool_context import make_context
from tools_app import chain
from tools_app.gate import SessionPathRules, judge
from tools_app.permission.model import Layer, Rule
from tools_app.permission.presets import rules
from tools_app.spec import ToolError

CANARY = "the-canary-sings"
PREPARE = f"""
mkdir -p "$HOME/out" private folder; echo good > folder/f; echo {CANARY} > "$HOME/out/f"; echo {CANARY} > private/f
"""


def patch(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch"])


CALLS: dict[str, dict[str, Any]] = {
    "read": {"filePath": "folder/f"},
    "write": {"filePath": "folder/f", "content": "written\n"},
    "write new": {"filePath": "folder/new", "content": "written\n"},
    "edit": {"filePath": "folder/f", "oldString": "good", "newString": "better"},
    "multiedit": {"filePath": "folder/f", "edits": [{"oldString": "good", "newString": "better"}]},
    "apply_patch": {"patchText": patch("*** Update File: folder/f", "@@", "-good", "+better")},
    "apply_patch new": {"patchText": patch("*** Add File: folder/new", "+written")},
    "apply_patch move": {"patchText": patch("*** Update File: folder/f", "*** Move to: folder/g")},
    "apply_patch delete": {"patchText": patch("*** Delete File: folder/f")},
    "glob": {"pattern": "*", "path": "folder"},
    "grep": {"pattern": CANARY, "path": "folder"},
    "grep file": {"pattern": CANARY, "path": "folder/f"},
    "list": {"path": "folder"},
    "bash": {"command": "cat f; echo written > f", "workdir": "folder"},
}
OUT, WITHIN = '"$HOME/out"', '"$PWD/private"'
FOLDER, FILE = "mv folder old && ln -s {} folder", "rm folder/f && ln -s {}/f folder/f"
OF_FILES = ("read", "write", "edit", "multiedit", "apply_patch", "apply_patch move", "apply_patch delete", "grep file")
LOOK = 'cat "$HOME/out/f" private/f; ls "$HOME/out" private'


@pytest.fixture(params=["local", pytest.param("docker", marks=pytest.mark.docker)])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def prepared_sandbox(sandbox: Sandbox) -> Sandbox:
    assert await sandbox.shell(PREPARE) == ""
    return sandbox


async def _prepare(sandbox: Sandbox, tool: str, arguments: dict[str, Any]) -> chain.Prepared:
    return await chain.prepare(tool.partition(" ")[0], json.dumps(arguments), make_context(sandbox.runtime))


@pytest.mark.parametrize("target", [OUT, WITHIN], ids=["out", "within"])
@pytest.mark.parametrize("swap", [FOLDER, FILE], ids=["folder", "file"])
async def test_a_link_that_came_after_the_judgement_ends_the_call(
    prepared_sandbox: Sandbox, swap: str, target: str
) -> None:
    sandbox = prepared_sandbox
    calls = CALLS if swap == FOLDER else {name: CALLS[name] for name in OF_FILES}
    prepared = {name: await _prepare(sandbox, name, arguments) for name, arguments in calls.items()}
    before = await sandbox.shell(LOOK)
    await sandbox.shell(swap.format(target))

    for name, call in prepared.items():
        with pytest.raises(ToolError) as caught:
            await chain.run(call, make_context(sandbox.runtime, call_id=new_id()))
        assert CANARY not in caught.value.message, name

    assert await sandbox.shell(LOOK) == before


async def test_a_link_that_was_there_before_is_judged_by_where_it_leads(prepared_sandbox: Sandbox) -> None:
    await prepared_sandbox.shell('ln -s "$HOME/out" link')

    asked = {
        name: (call.needs[0].permission, call.needs[0].patterns, call.needs[0].always)
        for name, arguments in CALLS.items()
        for call in [await _prepare(prepared_sandbox, name, _through_link(arguments))]
    }

    there = ("/home/agent/out/*",)
    assert asked == dict.fromkeys(CALLS, ("external_directory", there, there))


def _through_link(arguments: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value.replace("folder", "link") if name in ("filePath", "path", "workdir", "patchText") else value
        for name, value in arguments.items()
    }


@pytest.mark.parametrize("path", ["link/.env", "link/../.env", "./link/./.env", "other", "/workspace/link/.env"])
async def test_a_secret_is_asked_for_under_every_name(prepared_sandbox: Sandbox, path: str) -> None:
    await prepared_sandbox.shell("echo x > .env; cp .env folder; ln -s folder link; ln -s .env other")

    needs = (await _prepare(prepared_sandbox, "read", {"filePath": path})).needs

    assert judge(needs, [Layer("preset", rules("balanced"))]).action == "ask"


@pytest.mark.parametrize("path", [".env/../.env", "x/../.git/config", ".git//config", "./.git/./config", "g/config"])
async def test_what_steers_git_is_asked_for_under_every_name(prepared_sandbox: Sandbox, path: str) -> None:
    await prepared_sandbox.shell("mkdir .git x; echo x > .git/config; ln -s .git g; echo x > .env")

    needs = (await _prepare(prepared_sandbox, "write", {"filePath": path, "content": "x"})).needs

    assert judge(needs, [Layer("preset", rules("balanced"))]).action == "ask"


async def test_a_search_of_everything_does_not_show_what_a_limit_denies(prepared_sandbox: Sandbox) -> None:
    limits = (Layer("team limits", [Rule("read", "private/*", "deny")]),)
    path_rules = SessionPathRules((Layer("preset", rules("balanced")),), limits)
    ctx = make_context(prepared_sandbox.runtime, call_id=new_id(), rules=path_rules)
    found = await chain.run(await chain.prepare("grep", json.dumps({"pattern": "canary|good"}), ctx), ctx)
    command = await chain.prepare("bash", json.dumps({"command": "grep -r canary ."}), ctx)

    assert "folder/f" in found.output
    assert CANARY not in found.output
    assert "(1 file was not searched: `deny read private/*` of team limits.)" in found.output
    assert judge(command.needs, [Layer("preset", rules("balanced"))], limits).action == "deny"


async def test_reminders_do_not_follow_a_link_to_instructions(prepared_sandbox: Sandbox) -> None:
    await prepared_sandbox.shell('ln -s "$HOME/out/f" folder/AGENTS.md; ln -s ../private/f folder/CLAUDE.md')

    call = await _prepare(prepared_sandbox, "read", {"filePath": "folder/f"})
    result = await chain.run(call, make_context(prepared_sandbox.runtime, call_id=new_id()))

    assert CANARY not in result.output


async def test_a_long_output_is_not_kept_through_a_link(prepared_sandbox: Sandbox) -> None:
    await prepared_sandbox.shell('rm -rf "$HOME/.tool-output"; ln -s "$PWD/private" "$HOME/.tool-output"')

    call = await _prepare(prepared_sandbox, "bash", {"command": "seq 100000"})
    result = await chain.run(call, make_context(prepared_sandbox.runtime, call_id=new_id()))

    assert "could not be kept" in result.output
    assert await prepared_sandbox.shell("ls private") == "f\n"
