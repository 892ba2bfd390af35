"""glob, grep and list."""

import os

import pytest

from tests.integration.tools_app.conftest import Bench
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
    assert "server.pem" in result.output
    assert result.metadata["count"] == 1


async def test_grep_needs_the_path_it_searches(bench: Bench) -> None:
    bench.write(".env", "")
    (need,) = await bench.needs("grep", pattern="x", path=".env")
    assert (need.permission, need.patterns) == ("grep", (".env",))
    (need,) = await bench.needs("grep", pattern="x")
    assert need.patterns == (".",)


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
