"""Paths that a command uses without spelling them out, such as the folders that it lists, creates, leaves and enters
again."""

import pytest

from tests.support.command_bench import NO_INTERNAL, NO_LOCKS, Bench, bench, shared_bench
from tools_app.permission.model import Rule

__all__ = ["bench", "shared_bench"]
pytestmark = pytest.mark.asyncio(loop_scope="module")

NO_NAMES = Rule("list", "hidden/*", "deny")
NO_NEW = Rule("edit", "new/*", "deny")


@pytest.mark.parametrize(
    "command",
    [
        "cd hidden && echo *",
        "cd hidden; printf '%s\\n' a*",
        "cd hidden && for f in *; do echo $f; done",
        "pushd hidden; basename -a a*",
        "cd hidden; trap 'echo *' EXIT",
    ],
)
async def test_a_glob_lists_the_working_directory(bench: Bench, command: str) -> None:
    bench.write("hidden/a.txt")
    assert await bench.action(command, NO_NAMES) == "deny"
    assert await bench.action(command.replace("hidden", "src"), NO_NAMES) == "allow"


async def test_a_glob_lists_the_folders_that_may_be_the_working_directory(bench: Bench) -> None:
    bench.write("hidden/a.txt")
    assert await bench.action("cd src && cd - && cd hidden && echo *", NO_NAMES, preset="contained") == "deny"


async def test_a_glob_lists_only_the_names_that_it_matches(bench: Bench) -> None:
    bench.write("hidden/a.txt")
    assert await bench.action("cd hidden && echo *.md", NO_NAMES) == "allow"
    assert await bench.action("echo *", NO_NAMES) == "allow"


@pytest.mark.parametrize(
    "command",
    ["mkdir new && cp notes new", "mkdir -p new/x && cp notes new/", "mkdir q && mv q new && cp notes new",
     "mkdir new; mv notes new/."],
)  # fmt: skip
async def test_a_folder_that_the_text_makes_gets_the_names_of_what_is_copied(bench: Bench, command: str) -> None:
    bench.write("notes")
    assert await bench.action(command, NO_NEW) == "deny"
    assert await bench.action(command.replace("new", "other"), NO_NEW) != "deny"


async def test_a_target_that_is_no_folder_gets_no_names(bench: Bench) -> None:
    bench.write("a.lock")
    assert await bench.action("echo x > b; cp a.lock b", NO_LOCKS) == "allow"


async def test_a_path_that_leaves_the_workspace_may_come_back(bench: Bench) -> None:
    bench.write("internal/plan.md")
    for command in ("cat /tmp/../workspace/internal/plan.md", "echo x > /tmp/../workspace/a.lock"):
        assert await bench.action(command, NO_INTERNAL, NO_LOCKS, preset="contained") == "deny"
    assert await bench.action("cat /tmp/../workspace/src/app.py", NO_INTERNAL, preset="contained") == "allow"


async def test_git_lists_folders_of_revisions(bench: Bench) -> None:
    assert await bench.action("git show HEAD:hidden", NO_NAMES) == "deny"
    assert await bench.action("git show HEAD:src/app.py", NO_NAMES, Rule("list", "*.lock", "deny")) == "allow"


@pytest.mark.parametrize(
    "command", ["git log -S KEY", "git log -G K.Y -s", "git diff --quiet -GKEY", "git reflog -SKEY"]
)
async def test_git_says_what_files_contain_that_it_searches(bench: Bench, command: str) -> None:
    assert await bench.action(command, NO_INTERNAL, preset="autonomous") == "deny"
    assert await bench.action(command, preset="autonomous") == "allow"


async def test_the_folders_on_the_way_of_a_glob_are_copied_too(bench: Bench) -> None:
    bench.write("sub/new/a.txt")
    assert await bench.action("cd sub && cp --parents n*/a.txt ..", NO_NEW) == "deny"
    assert await bench.action("cd sub && cp --parents n*/a.txt /tmp/x", NO_NEW) == "allow"


@pytest.mark.parametrize(
    "command",
    ["cp -a link copy && cat copy", "mv link q; cat q", "ln -s internal a; ln -s a b; cat b/plan.md",
     "cp -a . /tmp/z; find /tmp/z -name 'l*' -exec cat {} +",
     "python3 -c 'print(open(\"link\").read())'", "find . -type l | xargs cat", "cat <>link"],
)  # fmt: skip
async def test_links_are_followed_that_a_text_copies_makes_or_names_in_code(bench: Bench, command: str) -> None:
    bench.write("internal/plan.md")
    (bench.files / "link").symlink_to("internal/plan.md")
    assert await bench.action(command, NO_INTERNAL, preset="contained") == "deny"


async def test_a_copy_without_links_is_not_what_was_copied(bench: Bench) -> None:
    bench.write("a.lock")
    assert await bench.action("cp -r src copy && echo x > copy/app.py", preset="contained") == "allow"
    no_sources = Rule("edit", "src/app.py", "deny")
    assert await bench.action("cp -r src copy && echo x > copy/app.py", no_sources, preset="contained") == "allow"


@pytest.mark.parametrize("tool", ["edit", "apply_patch"])
async def test_a_change_needs_the_right_to_read_what_it_may_quote(bench: Bench, tool: str) -> None:
    bench.write("internal/plan.md")
    patch = "*** Begin Patch\n*** Update File: {}\n*** Move to: q\n@@\n-KEY=secret\n+x\n*** End Patch"
    for name, action in (("internal/plan.md", "deny"), ("src/app.py", "allow")):
        given = (
            {"filePath": name, "oldString": "x", "newString": "y"}
            if tool == "edit"
            else {"patchText": patch.format(name)}
        )
        assert await bench.action_of_call(tool, NO_INTERNAL, **given) == action


@pytest.mark.parametrize(
    "command",
    [
        "grep -R KEY docs",
        "rg -L KEY docs",
        "diff -r docs src",
        "find docs -type l -exec cat {} +",
        "find -L docs -type f -exec cat {} +",
        "cp -rL docs /tmp/x",
    ],
)
@pytest.mark.parametrize(("link", "target"), [("docs/k.txt", "../internal/plan.md"), ("docs/kept", "../internal")])
async def test_a_link_leads_into_a_folder_that_a_rule_denies(
    bench: Bench, command: str, link: str, target: str
) -> None:
    bench.write("internal/plan.md")
    bench.write("docs/d.md")
    assert await bench.action(command, NO_INTERNAL) == "allow"
    (bench.files / link).symlink_to(target)
    assert await bench.action(command, NO_INTERNAL) != "allow"


@pytest.mark.parametrize("command", ["cp -rL above /tmp/x", "grep -R KEY above", "cp -rL docs /tmp/x"])
@pytest.mark.parametrize("target", ["/", ".."])
async def test_a_link_leads_to_a_folder_above_the_workspace(bench: Bench, command: str, target: str) -> None:
    bench.write("internal/plan.md")
    bench.write("docs/d.md")
    (bench.files / "above").symlink_to(target)
    (bench.files / "docs/above").symlink_to(bench.files.parent if target == ".." else target)
    assert await bench.action(command, NO_INTERNAL) == "deny"
