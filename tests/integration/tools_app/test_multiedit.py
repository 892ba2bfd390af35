import asyncio
from typing import Any

import pytest

from tests.integration.tools_app.conftest import Bench
from tools_app.spec import ToolError


def edit(old: str, new: str, **more: Any) -> dict[str, Any]:
    return {"oldString": old, "newString": new, **more}


async def test_all_edits_are_made_in_their_order(bench: Bench) -> None:
    bench.write("a.py", b"\xef\xbb\xbfone\r\ntwo\r\ntwo\r\nlast \xfc")
    edits = [edit("one", "1\n"), edit("1", "I"), edit("two", "2", replaceAll=True)]
    result = await bench.call("multiedit", filePath="a.py", edits=edits)
    assert bench.read("a.py") == b"\xef\xbb\xbfI\r\n\r\n2\r\n2\r\nlast \xfc"
    assert (result.title, result.output) == ("Edited a.py", "Edited a.py with 3 edits (+4 -3 lines).")
    assert set(result.metadata) == {"path", "diff", "additions", "deletions", "diagnostics", "formatter"}


async def test_one_that_cannot_be_made_keeps_the_file_as_it_was(bench: Bench) -> None:
    bench.write("a", "one\ntwo\n")
    with pytest.raises(ToolError, match="Edit 2 of 2"):
        await bench.call("multiedit", filePath="a", edits=[edit("one", "1"), edit("three", "3")])
    assert bench.read("a") == b"one\ntwo\n"


async def test_edits_that_undo_each_other_are_nothing_to_do(bench: Bench) -> None:
    bench.write("a", "one\n")
    with pytest.raises(ToolError, match="nothing to change"):
        await bench.call("multiedit", filePath="a", edits=[edit("one", "1"), edit("1", "one")])


async def test_the_first_edit_may_create_the_file(bench: Bench) -> None:
    result = await bench.call("multiedit", filePath="new/a", edits=[edit("", "one\ntwo\n"), edit("two", "2")])
    assert (result.title, bench.read("new/a")) == ("Created new/a", b"one\n2\n")
    with pytest.raises(ToolError, match="already exists"):
        await bench.call("multiedit", filePath="new/a", edits=[edit("", "x")])
    with pytest.raises(ToolError, match="does not exist"):
        await bench.call("multiedit", filePath="none", edits=[edit("x", "y")])


async def test_one_question_shows_what_all_edits_make_together(bench: Bench) -> None:
    bench.write("a", "one\n")
    (need,) = await bench.needs("multiedit", filePath="a", edits=[edit("one", "1"), edit("1", "2")])
    assert (need.permission, need.patterns) == ("edit", ("a",))
    assert need.metadata["diff"].endswith("-one\n+2\n")


async def test_an_edit_may_repeat_the_files_name_but_not_name_another(bench: Bench) -> None:
    bench.write("a", "one\n")
    with pytest.raises(ToolError, match=r"All edits of a call are made in a\. Make another call for b"):
        await bench.call("multiedit", filePath="a", edits=[edit("one", "1", filePath="b")])
    await bench.call("multiedit", filePath="a", edits=[edit("one", "1", filePath="/workspace/a")])
    assert bench.read("a") == b"1\n"


@pytest.mark.parametrize("edits", [[], [{}], [edit("a", "b", wrong="c")], [edit("a", "b")] * 101, "all"])
async def test_edits_that_are_none_are_refused_with_a_reason(bench: Bench, edits: Any) -> None:
    bench.write("a", "a")
    with pytest.raises(ToolError, match="multiedit"):
        await bench.call("multiedit", filePath="a", edits=edits)


async def test_several_calls_for_one_file_at_once_are_all_made(bench: Bench) -> None:
    bench.write("a", "one\ntwo\nthree\n")
    await bench.call("read", filePath="a")
    await asyncio.gather(
        bench.call("multiedit", filePath="a", edits=[edit("one", "1"), edit("two", "2")]),
        bench.call("edit", filePath="a", oldString="three", newString="3"),
    )
    assert bench.read("a") == b"1\n2\n3\n"


async def test_a_file_that_changed_since_it_was_read_must_be_read_again(bench: Bench) -> None:
    bench.write("a", "one\n")
    await bench.call("read", filePath="a")
    bench.write("a", "one\nmore\n")
    with pytest.raises(ToolError, match="Read it again"):
        await bench.call("multiedit", filePath="a", edits=[edit("one", "1")])
    assert bench.read("a") == b"one\nmore\n"
