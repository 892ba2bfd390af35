"""The tool `apply_patch`, in a workspace with a real runner."""

import asyncio
from dataclasses import replace
from typing import Any, cast

import pytest

from sandbox.ports import Runtime
from tests.integration.tools_app.conftest import Bench
from tools_app import chain
from tools_app.spec import ToolError, ToolResult


def patch(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch"])


def update(path: str, old: str, new: str) -> tuple[str, ...]:
    return (f"*** Update File: {path}", "@@", f"-{old}", f"+{new}")


async def apply(bench: Bench, *lines: str) -> ToolResult:
    return await bench.call("apply_patch", patchText=patch(*lines))


async def test_several_files_are_changed_and_told(bench: Bench) -> None:
    bench.write("src/a.py", "one\ntwo\n")
    bench.write("gone", "x\n")
    bench.write("old", "1\n").chmod(0o755)
    result = await apply(
        bench,
        *update("src/a.py", "two", "2"),
        "*** Delete File: gone",
        "*** Update File: old",
        "*** Move to: moved/new",
        "*** Add File: b",
        "+b",
    )
    assert (bench.read("src/a.py"), bench.read("moved/new"), bench.read("b")) == (b"one\n2\n", b"1\n", b"b\n")
    assert (bench.files / "moved/new").stat().st_mode & 0o777 == 0o755
    assert bench.names() == ["b", "moved", "src"]
    assert result.title == "Patched 4 files"
    assert result.output.split("\n") == [
        "Changed 4 files:",
        "- added b (+1 -0 lines)",
        "- deleted gone (+0 -1 lines)",
        "- moved old to moved/new (+0 -0 lines)",
        "- updated src/a.py (+1 -1 lines)",
    ]
    assert {"additions": 2, "deletions": 2}.items() <= result.metadata.items()
    by_path = {file["path"]: file for file in result.metadata["files"]}
    assert by_path["old"] == {
        "path": "old",
        "change": "move",
        "moved_to": "moved/new",
        "diff": "--- a/old\n+++ b/moved/new\n",
        "additions": 0,
        "deletions": 0,
    }
    assert by_path["gone"]["diff"] == "--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    assert by_path["src/a.py"]["change"] == "update"


async def test_one_question_names_all_paths_and_shows_all_changes(bench: Bench) -> None:
    bench.write("a", "1\n")
    bench.write("b", "2\n")
    text = patch(*update("a", "1", "x"), "*** Update File: b", "*** Move to: c")
    (need,) = await bench.needs("apply_patch", patchText=text)
    assert (need.permission, need.patterns, need.always) == ("edit", ("a", "b", "c"), ("a", "b", "c"))
    assert need.metadata["title"] == "Patch 2 files"
    assert need.metadata["diff"] == "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+x\n--- a/b\n+++ b/c\n"
    assert [(file["path"], file["change"]) for file in need.metadata["files"]] == [("a", "update"), ("b", "move")]
    assert bench.read("a") == b"1\n"


async def test_places_outside_the_workspace_are_asked_about_first(bench: Bench) -> None:
    text = patch("*** Add File: /etc/new/a", "+x", "*** Add File: /etc/new/b", "+x", "*** Add File: c", "+x")
    outside, own = await bench.needs("apply_patch", patchText=text)
    assert (outside.permission, outside.patterns) == ("external_directory", ("/etc/new/*",))
    assert own.patterns == ("/etc/new/a", "/etc/new/b", "c")


async def test_a_patch_that_does_not_fit_quotes_the_file_only_behind_the_gate(bench: Bench) -> None:
    bench.write(".env", "SECRET_KEY=hunter2\n")
    prepared = await bench.prepare("apply_patch", patchText=patch(*update(".env", "SECRET_KEYS=x", "y")))
    assert "hunter2" not in str(prepared.needs)
    assert prepared.needs[0].patterns == (".env",)
    with pytest.raises(ToolError, match="hunter2"):
        await chain.run(prepared, bench.context())


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (update("b", "none", "x"), "Hunk 1 of b: its old lines were not found"),
        (("*** Add File: b", "+x"), "b exists already"),
        (("*** Add File: folder", "+x"), "folder is not a file but a directory"),
        (("*** Delete File: folder",), "folder is not a file but a directory"),
        (update("bb", "2", "x"), r"bb does not exist\. Did you mean b"),
        (("*** Delete File: none",), "none does not exist"),
        (update("binary", "a", "x"), "binary is a binary file"),
        (("*** Add File: b/c", "+x"), "not a directory.*None of the files was changed"),
        (("*** Add File: new/", "+x"), "this names a folder"),
        (("*** Delete File: link",), "link is a link to b"),
        (("*** Update File: link", "*** Move to: moved"), "link is a link to b"),
        (("nonsense",), "Line 6 of the patch cannot be read"),
    ],
)
async def test_one_section_that_cannot_be_done_keeps_all_files_as_they_were(
    bench: Bench, lines: tuple[str, ...], why: str
) -> None:
    for name, content in (("a", b"1\n"), ("b", b"2\n"), ("folder/x", b"x\n"), ("binary", b"a\0\n")):
        bench.write(name, content)
    (bench.files / "link").symlink_to("b")
    before = bench.names()
    with pytest.raises(ToolError, match=f"(?s){why}"):
        await apply(bench, *update("a", "1", "x"), *lines)
    assert (bench.read("a"), bench.read("b")) == (b"1\n", b"2\n")
    assert bench.names() == before


async def test_two_names_of_one_file_are_one(bench: Bench) -> None:
    bench.write("dir/a", "1\n2\n")
    (bench.files / "link").symlink_to("dir")
    await apply(bench, *update("link/a", "1", "x"), *update("/workspace/dir/../dir/a", "2", "y"))
    assert bench.read("dir/a") == b"x\ny\n"


async def test_bytes_that_are_not_text_endings_and_bom_survive(bench: Bench) -> None:
    bench.write("a", b"\xef\xbb\xbfone\r\ngr\xfc\xdfe\r\nlast")
    await apply(bench, "*** Update File: a", "*** Move to: b", "@@", "-one", "+eins", "+zwei", "@@", "-last", "+letzte")
    assert bench.read("b") == b"\xef\xbb\xbfeins\r\nzwei\r\ngr\xfc\xdfe\r\nletzte"


async def test_binary_files_can_be_moved_and_deleted(bench: Bench) -> None:
    bench.write("a", b"\0\xff")
    bench.write("b", b"\0\xfe")
    await apply(bench, "*** Update File: a", "*** Move to: c", "*** Delete File: b")
    assert (bench.names(), bench.read("c")) == (["c"], b"\0\xff")


async def test_a_file_that_changed_since_it_was_read_stops_the_whole_patch(bench: Bench) -> None:
    bench.write("a", "1\n")
    bench.write("b", "2\n")
    await bench.call("read", filePath="b")
    bench.write("b", "2\nmore\n")
    lines = (*update("a", "1", "x"), *update("b", "2", "y"))
    with pytest.raises(ToolError, match=r"b has changed since you last read it\..*None of the files was changed"):
        await apply(bench, *lines)
    assert bench.read("a") == b"1\n"
    await bench.call("read", filePath="b")
    await apply(bench, *lines)
    await apply(bench, *update("a", "x", "z"), *update("b", "y", "w"))
    assert (bench.read("a"), bench.read("b")) == (b"z\n", b"w\nmore\n")


class Racing:
    """A runtime in which another person changes a file just before each patch is written."""

    def __init__(self, bench: Bench, *contents: str) -> None:
        self._bench = bench
        self._contents = list(contents)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._bench.runtime, name)

    async def change(self, changes: Any) -> Any:
        if self._contents:
            self._bench.write("b", self._contents.pop(0))
        return await self._bench.runtime.change(changes)


async def run_among_others(bench: Bench, *contents: str) -> None:
    bench.write("a", "1\n")
    bench.write("b", "2\n")
    prepared = await bench.prepare("apply_patch", patchText=patch(*update("a", "1", "x"), *update("b", "2", "y")))
    await chain.run(prepared, replace(bench.context(), runtime=cast(Runtime, Racing(bench, *contents))))


async def test_a_file_that_changes_while_the_patch_is_made_is_planned_on_anew(bench: Bench) -> None:
    await run_among_others(bench, "0\n2\n", "2\n3\n")
    assert (bench.read("a"), bench.read("b")) == (b"x\n", b"y\n3\n")


async def test_a_file_that_never_holds_still_ends_the_patch_and_no_file_is_changed(bench: Bench) -> None:
    with pytest.raises(ToolError, match=r"has changed since it was read.*None of the files was changed"):
        await run_among_others(bench, *(f"2\n{number}\n" for number in range(10)))
    assert bench.read("a") == b"1\n"


async def test_patches_of_the_same_files_at_once_are_all_made(bench: Bench) -> None:
    bench.write("a", "one\ntwo\n")
    bench.write("b", "one\ntwo\n")
    await bench.call("read", filePath="a")
    await asyncio.gather(
        apply(bench, *update("a", "one", "1"), *update("b", "one", "1")),
        apply(bench, *update("b", "two", "2"), *update("a", "two", "2")),
    )
    assert (bench.read("a"), bench.read("b")) == (b"1\n2\n", b"1\n2\n")


async def test_more_than_a_hundred_files_are_refused(bench: Bench) -> None:
    sections = [line for number in range(101) for line in (f"*** Add File: {number}", "+x")]
    with pytest.raises(ToolError, match="names 101 files, and at most 100"):
        await apply(bench, *sections)
    assert bench.names() == []


async def test_a_place_taken_though_others_fit_is_told(bench: Bench) -> None:
    bench.write("a", "x\ny\nx\n")
    result = await apply(bench, *update("a", "x", "z"))
    assert "Hunk 1 of a was put at line 1; it would also fit line 3." in result.output
    assert bench.read("a") == b"z\ny\nx\n"


async def test_a_huge_diff_is_shown_in_part_and_done_in_whole(bench: Bench) -> None:
    lines = [f"+{number:0>100}" for number in range(2000)]
    sections = [line for number in range(6) for line in (f"*** Add File: f{number}", *lines)]
    result = await apply(bench, *sections)
    assert result.metadata["additions"] == 12_000
    assert sum(len(file["diff"]) for file in result.metadata["files"]) < 600_000
    assert "characters of this diff are not shown" in result.metadata["files"][-1]["diff"]
    assert all(len(bench.read(f"f{number}")) == 2000 * 101 for number in range(6))


async def test_large_files_can_be_deleted_but_not_changed_together(bench: Bench) -> None:
    for name in ("a", "b"):
        bench.write(name, b"line\n" + b"x" * (20 << 20))
    with pytest.raises(ToolError, match="With b the files of the patch are larger than 32 MiB together"):
        await apply(bench, *update("a", "line", "x"), *update("b", "line", "y"))
    result = await apply(bench, "*** Delete File: a", "*** Delete File: b")
    assert bench.names() == []
    assert [file["diff"] for file in result.metadata["files"]] == [f"--- a/{name}\n+++ /dev/null\n" for name in "ab"]
