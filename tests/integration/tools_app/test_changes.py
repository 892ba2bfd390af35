"""The tools `write` and `edit`."""

import asyncio

import pytest

from tests.integration.tools_app.conftest import Bench
from tools_app import chain
from tools_app.spec import ToolError


async def test_an_edit_changes_the_place_and_says_what_it_did(bench: Bench) -> None:
    bench.write("src/app.py", "a = 1\nb = 2\n")
    result = await bench.call("edit", filePath="src/app.py", oldString="b = 2", newString="b = 3\nc = 4")
    assert bench.read("src/app.py") == b"a = 1\nb = 3\nc = 4\n"
    assert result.title == "Edited src/app.py"
    assert result.metadata == {
        "path": "src/app.py",
        "diff": "--- a/src/app.py\n+++ b/src/app.py\n@@ -1,2 +1,3 @@\n a = 1\n-b = 2\n+b = 3\n+c = 4\n",
        "additions": 2,
        "deletions": 1,
        "diagnostics": [],
        "formatter": "",
    }


async def test_the_diff_is_there_before_the_edit_is_made(bench: Bench) -> None:
    bench.write("a", "x\n")
    (need,) = await bench.needs("edit", filePath="a", oldString="x", newString="y")
    assert (need.permission, need.patterns) == ("edit", ("a",))
    assert "-x\n+y\n" in need.metadata["diff"]
    assert (need.metadata["additions"], need.metadata["deletions"]) == (1, 1)
    assert bench.read("a") == b"x\n"


async def test_an_edit_that_cannot_be_made_quotes_the_file_only_behind_the_gate(bench: Bench) -> None:
    bench.write(".env", "SECRET_KEY=hunter2\n")
    prepared = await bench.prepare("edit", filePath=".env", oldString="SECRET_KEYS=x", newString="y")
    assert "hunter2" not in str(prepared.needs)
    with pytest.raises(ToolError, match="hunter2"):
        await chain.run(prepared, bench.context())


async def test_bytes_that_are_not_text_endings_and_bom_survive_an_edit(bench: Bench) -> None:
    bench.write("a", b"\xef\xbb\xbfone\r\ngr\xfc\xdfe\r\nlast")
    await bench.call("edit", filePath="a", oldString="one", newString="eins\nzwei")
    assert bench.read("a") == b"\xef\xbb\xbfeins\r\nzwei\r\ngr\xfc\xdfe\r\nlast"


async def test_an_empty_old_text_creates_a_file_and_its_folders(bench: Bench) -> None:
    result = await bench.call("edit", filePath="new/deep/a.py", oldString="", newString="x\n")
    assert (result.title, bench.read("new/deep/a.py")) == ("Created new/deep/a.py", b"x\n")
    with pytest.raises(ToolError, match="already exists"):
        await bench.call("edit", filePath="new/deep/a.py", oldString="", newString="y\n")


async def test_editing_what_is_not_there_names_what_may_have_been_meant(bench: Bench) -> None:
    bench.write("app.py", "x")
    with pytest.raises(ToolError, match=r"Did you mean app\.py"):
        await bench.call("edit", filePath="ap.py", oldString="x", newString="y")


async def test_folders_and_binary_files_are_refused(bench: Bench) -> None:
    bench.write("src/data", b"a\0b")
    with pytest.raises(ToolError, match="not a file"):
        await bench.call("edit", filePath="src", oldString="a", newString="b")
    with pytest.raises(ToolError, match="binary"):
        await bench.call("edit", filePath="src/data", oldString="a", newString="b")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("edit", {"oldString": "other", "newString": "mine"}), ("write", {"content": "mine\n"})],
)
async def test_a_file_that_changed_since_it_was_read_must_be_read_again(
    bench: Bench, tool: str, arguments: dict[str, str]
) -> None:
    bench.write("a", "old\n")
    await bench.call("read", filePath="a")
    bench.write("a", "other\n")
    with pytest.raises(ToolError, match=r"has changed since you last read it\. Read it again"):
        await bench.call(tool, filePath="a", **arguments)
    assert bench.read("a") == b"other\n"
    await bench.call("read", filePath="a")
    await bench.call(tool, filePath="a", **arguments)
    assert bench.read("a") == b"mine\n"


async def test_one_edit_after_the_other_needs_no_reading_between(bench: Bench) -> None:
    bench.write("a", "1\n")
    await bench.call("read", filePath="a")
    await bench.call("edit", filePath="a", oldString="1", newString="2")
    await bench.call("edit", filePath="a", oldString="2", newString="3")
    assert bench.read("a") == b"3\n"


async def test_edits_of_one_file_at_once_are_all_made(bench: Bench) -> None:
    bench.write("a", "one\ntwo\nthree\n")
    await bench.call("read", filePath="a")
    await asyncio.gather(
        bench.call("edit", filePath="a", oldString="one", newString="1"),
        bench.call("edit", filePath="a", oldString="two", newString="2"),
        bench.call("edit", filePath="a", oldString="three", newString="3"),
    )
    assert bench.read("a") == b"1\n2\n3\n"


async def test_a_file_that_appears_meanwhile_is_not_overwritten_by_an_edit_that_creates(bench: Bench) -> None:
    prepared = await bench.prepare("edit", filePath="a", oldString="", newString="mine")
    bench.write("a", "theirs")
    with pytest.raises(ToolError, match="has changed"):
        await chain.run(prepared, bench.context())
    assert bench.read("a") == b"theirs"


async def test_write_creates_and_replaces(bench: Bench) -> None:
    created = await bench.call("write", filePath="new/a.py", content="x\n")
    assert (created.title, created.metadata["additions"]) == ("Wrote new/a.py", 1)
    assert "/dev/null" in created.metadata["diff"]
    replaced = await bench.call("write", filePath="new/a.py", content="y\n")
    assert (bench.read("new/a.py"), replaced.metadata["deletions"]) == (b"y\n", 1)


async def test_write_keeps_bom_and_line_endings(bench: Bench) -> None:
    bench.write("a", b"\xef\xbb\xbfone\r\n")
    await bench.call("write", filePath="a", content="\ufeffx\ny\n")
    assert bench.read("a") == b"\xef\xbb\xbfx\r\ny\r\n"


async def test_write_gives_a_file_of_mixed_endings_those_that_most_lines_have(bench: Bench) -> None:
    bench.write("a", b"1\n2\r\n3\n")
    await bench.call("write", filePath="a", content="1\n2\n3\n4\n")
    assert bench.read("a") == b"1\n2\n3\n4\n"


async def test_outside_the_workspace_is_asked_first(bench: Bench) -> None:
    for tool, arguments in (("write", {"content": "x"}), ("edit", {"oldString": "", "newString": "x"})):
        outside, own = await bench.needs(tool, filePath="/etc/new/file", **arguments)
        assert (outside.permission, outside.patterns) == ("external_directory", ("/etc/new/*",))
        assert (own.permission, own.patterns) == ("edit", ("/etc/new/file",))


async def test_the_title_of_a_waiting_edit_names_the_file(bench: Bench) -> None:
    assert (await bench.prepare("write", filePath="src/a.py", content="x")).title == "Edit src/a.py"
