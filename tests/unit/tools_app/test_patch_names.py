"""Commands that apply a patch with git: the files named in the patch are judged like files named on the command
line."""

import pytest

from tests.support.command_bench import Bench, bench, shared_bench
from tools_app.patch_names import MAX_BYTES, protected_names

__all__ = ["bench", "shared_bench"]
pytestmark = pytest.mark.asyncio(loop_scope="module")

PATCH = "diff --git a/{0} b/{0}\n--- a/{0}\n+++ b/{0}\n@@ -1 +1 @@\n-a\n+b\n"


@pytest.mark.parametrize("command", ["git apply fix.patch", "git am -q fix.patch", "git -C src apply ../fix.patch"])
async def test_a_patch_is_judged_by_the_files_that_it_names(bench: Bench, command: str) -> None:
    bench.write("src/app.py", "a\n")
    bench.write("fix.patch", PATCH.format("src/app.py"))
    assert await bench.action(command, preset="autonomous") == "allow"
    bench.write("fix.patch", PATCH.format("src/app.py") + PATCH.format("agentsite.json"))
    assert await bench.action(command, preset="autonomous") == "ask"


@pytest.mark.parametrize(
    "command",
    ["git apply missing.patch", "curl -o fix.patch x; git apply fix.patch", "git apply < fix.patch", "git am"],
)
async def test_a_patch_that_cannot_be_read_before_may_name_anything(bench: Bench, command: str) -> None:
    bench.write("fix.patch", PATCH.format("src/app.py"))
    assert await bench.action(command, preset="contained") == "ask"


async def test_a_patch_that_is_too_long_may_name_anything(bench: Bench) -> None:
    bench.write("fix.patch", "a" * MAX_BYTES)
    assert await bench.action("git apply fix.patch", preset="contained") == "ask"
    assert await bench.action("git apply --check fix.patch", preset="contained") == "allow"


@pytest.mark.parametrize(
    ("patch", "names"),
    [
        ("rename to agentsite.json\n", ["agentsite.json"]),
        ("+++ x/y/agentsite.json\t2026-01-01\n", ["agentsite.json"]),
        ('+++ "b/.agentsite/rules"\n', [".agentsite/rules"]), ("diff --git a/x b/opencode.json\n", ["opencode.json"]),
        ("+ agentsite.json\n", []), ("", []),
    ],
)  # fmt: skip
async def test_protected_names_of_a_patch(patch: str, names: list[str]) -> None:
    assert [each for each in protected_names(patch) if each in names] == names
