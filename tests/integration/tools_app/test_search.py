"""The tools `glob`, `grep` and `list`."""

import os

import pytest

from tests.integration.tools_app.conftest import Bench
from tools_app.permission.model import Rule
from tools_app.spec import ToolError


async def test_glob_shows_the_newest_first(bench: Bench) -> None:
    for age, name in ((30, "src/old.py"), (10, "src/new.py"), (20, "notes.txt")):
        path = bench.write(name, "")
        os.utime(path, (1_000_000 - age, 1_000_000 - age))
    result = await bench.call("glob", pattern="**/*.py")
    assert result.output == "src/new.py\nsrc/old.py"
    assert result.metadata == {"count": 2, "capped": False}
    assert result.title == "Found files **/*.py"


async def test_glob_within_a_folder(bench: Bench) -> None:
    bench.write("src/a.py", "")
    bench.write("docs/b.py", "")
    assert (await bench.call("glob", pattern="*.py", path="src")).output == "src/a.py"


async def test_glob_says_when_there_is_nothing_and_when_there_is_more(bench: Bench) -> None:
    assert (await bench.call("glob", pattern="*.rs")).output == "No files found."
    for number in range(101):
        bench.write(f"many/{number}.txt", "")
    result = await bench.call("glob", pattern="*.txt")
    assert result.metadata == {"count": 100, "capped": True}
    assert "Only the 100 newest files" in result.output


async def test_grep_groups_by_file(bench: Bench) -> None:
    bench.write("a.py", "import os\nx = 1\nimport sys\n")
    bench.write("b.txt", "import this\n")
    result = await bench.call("grep", pattern=r"^import \w+", include="*.py")
    assert result.output == "2 lines match.\n\na.py:\n  Line 1: import os\n  Line 3: import sys"
    assert result.title == r"Searched for ^import \w+"


async def test_grep_in_one_file(bench: Bench) -> None:
    bench.write("src/a.py", "x\n")
    bench.write("src/b.py", "x\n")
    assert (await bench.call("grep", pattern="x", path="src/a.py")).metadata["count"] == 1


async def test_grep_at_its_cap_says_so(bench: Bench) -> None:
    bench.write("a", "x\n" * 150)
    result = await bench.call("grep", pattern="x")
    assert result.metadata == {"count": 100, "capped": True}
    assert "Only the first 100 matches" in result.output


async def test_a_bad_expression_is_explained_to_the_model(bench: Bench) -> None:
    with pytest.raises(ToolError):
        await bench.call("grep", pattern="(unclosed")


async def test_grep_in_a_folder_does_not_show_secrets(bench: Bench) -> None:
    bench.write("server.pem", "TOKEN=hunter2\n")
    bench.write("readme", "TOKEN is needed\n")
    result = await bench.call("grep", pattern="TOKEN")
    assert "hunter2" not in result.output
    assert (
        "1 file was not searched: `ask grep *.pem` of defaults. Search one by its name: server.pem.)" in result.output
    )
    assert result.metadata["count"] == 1


async def test_what_grep_says_about_hidden_files_does_not_depend_on_their_contents(bench: Bench) -> None:
    bench.write("server.pem", "TOKEN=hunter2\n")
    found = await bench.call("grep", pattern="TOKEN=h")
    assert found.output == (await bench.call("grep", pattern="TOKEN=x")).output


async def test_grep_needs_the_path_it_searches(bench: Bench) -> None:
    bench.write(".env", "")
    needs = await bench.needs("grep", pattern="x", path=".env")
    assert [(need.permission, need.patterns) for need in needs] == [("grep", (".env",)), ("read", (".env",))]
    (need,) = await bench.needs("grep", pattern="x")
    assert need.patterns == (".",)


async def test_grep_leaves_out_what_a_limit_on_a_folder_denies(bench: Bench) -> None:
    bench.limit(Rule("read", "internal/*", "deny"))
    bench.write("internal/plan.txt", "the plan\n")
    bench.write("internal/deep/plan.txt", "the plan\n")
    bench.write("notes", "no plan\n")
    for path in (None, ".", "internal"):
        result = await bench.call("grep", pattern="plan", **({"path": path} if path else {}))
        assert "the plan" not in result.output
        assert "(2 files were not searched: `deny read internal/*` of team limits.)" in result.output
        assert "plan.txt" not in result.output
    assert "notes" in (await bench.call("grep", pattern="plan")).output
    assert "1 file was" not in (await bench.call("grep", pattern="plan", include="notes")).output


async def test_grep_does_not_show_names_that_may_not_be_listed(bench: Bench) -> None:
    bench.limit(Rule("list", "hidden/*", "deny"))
    bench.write("hidden/plan.txt", "word\n")
    bench.write("shown/plan.txt", "word\n")
    output = (await bench.call("grep", pattern="word")).output
    assert "shown/plan.txt" in output
    assert "hidden/plan.txt" not in output
    assert output == (await bench.call("grep", pattern="word", path=".")).output
    nothing = (await bench.call("grep", pattern="other", path="hidden")).output
    assert nothing == (await bench.call("grep", pattern="word", path="hidden")).output


async def test_a_rule_about_every_list_hides_no_matches(bench: Bench) -> None:
    bench.limit(Rule("list", "*", "deny"))
    bench.write("a.txt", "word\n")
    assert "a.txt" in (await bench.call("grep", pattern="word")).output


async def test_hidden_matches_do_not_take_the_place_of_others(bench: Bench) -> None:
    bench.limit(Rule("grep", "internal/*", "deny"))
    bench.write("internal/plan.txt", "x\n" * 300)
    bench.write("readme", "x\n")
    result = await bench.call("grep", pattern="x")
    assert result.metadata == {"count": 1, "capped": False}


async def test_a_later_rule_shows_what_an_earlier_one_hides(bench: Bench) -> None:
    bench.limit(Rule("read", "internal/*", "deny"), Rule("read", "internal/public/*", "allow"))
    bench.write("internal/plan.txt", "x\n")
    bench.write("internal/public/a.txt", "x\n")
    output = (await bench.call("grep", pattern="x")).output
    assert "internal/public/a.txt" in output
    assert "1 file was not searched" in output


@pytest.mark.parametrize(
    ("tool", "arguments"), [("glob", {"pattern": "**"}), ("list", {}), ("read", {"filePath": "src"})]
)
async def test_names_that_a_limit_denies_are_left_out(bench: Bench, tool: str, arguments: dict[str, str]) -> None:
    bench.limit(Rule("list", "src/secret*", "deny"))
    bench.write("src/secret_plan.txt", "")
    bench.write("src/app.py", "")
    output = (await bench.call(tool, **arguments)).output
    assert "app.py" in output
    assert "secret_plan" not in output
    assert "(What `deny list src/secret*` of team limits covers is left out.)" in output


async def test_what_is_said_about_names_does_not_depend_on_them(bench: Bench) -> None:
    bench.limit(Rule("glob", "src/secret*", "deny"))
    bench.write("src/secret_plan.txt", "")
    found = await bench.call("glob", pattern="**/secret_p*")
    assert found.output == (await bench.call("glob", pattern="**/secret_x*")).output
    assert found.metadata == {"count": 0, "capped": False}


async def test_hidden_names_do_not_take_the_place_of_others(bench: Bench) -> None:
    bench.limit(Rule("glob", "many/*", "deny"))
    bench.write("readme", "")
    for number in range(101):
        bench.write(f"many/{number}.txt", "")
    result = await bench.call("glob", pattern="**")
    assert result.output.startswith("readme\n")
    assert result.metadata == {"count": 1, "capped": False}


async def test_a_hidden_name_is_not_suggested(bench: Bench) -> None:
    bench.limit(Rule("list", "src/secret*", "deny"))
    bench.write("src/secret_plan.txt", "")
    with pytest.raises(ToolError) as error:
        await bench.call("read", filePath="src/secret_plan")
    assert "secret_plan.txt" not in error.value.message


async def test_list_draws_a_tree(bench: Bench) -> None:
    bench.write("src/sub/deep.py", "")
    bench.write("src/app.py", "")
    bench.write("readme", "")
    result = await bench.call("list")
    assert result.output == "./\n  src/\n    sub/\n      deep.py\n    app.py\n  readme"
    below = await bench.call("list", path="src")
    assert (below.output, below.title) == ("src/\n  sub/\n    deep.py\n  app.py", "Listed src")


async def test_list_of_what_is_no_folder(bench: Bench) -> None:
    bench.write("a", "")
    with pytest.raises(ToolError, match="not a folder"):
        await bench.call("list", path="a")
    with pytest.raises(ToolError, match="does not exist"):
        await bench.call("list", path="b")


@pytest.mark.parametrize(("tool", "extra"), [("glob", {"pattern": "*"}), ("grep", {"pattern": "x"}), ("list", {})])
async def test_searching_outside_is_asked_first(bench: Bench, tool: str, extra: dict[str, str]) -> None:
    outside, own = await bench.needs(tool, path="/etc", **extra)
    assert (outside.permission, outside.patterns) == ("external_directory", ("/etc/*",))
    assert (own.permission, own.patterns, own.always) == (tool, ("/etc",), ("/etc",))
