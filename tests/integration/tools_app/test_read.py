import pytest

from tests.integration.tools_app.conftest import Bench
from tests.support import pictures
from tools_app.attachment_types import MAX_BYTES
from tools_app.permission.model import Rule
from tools_app.spec import ToolError


async def test_lines_carry_their_numbers(bench: Bench) -> None:
    bench.write("src/app.py", "one\r\ntwo\nthree")
    result = await bench.call("read", filePath="src/app.py")
    assert result.title == "Read src/app.py"
    assert result.output == "1: one\n2: two\n3: three\n\n(End: 3 lines.)"
    assert result.metadata == {"path": "src/app.py", "lines": 3}


async def test_a_part_says_how_to_go_on(bench: Bench) -> None:
    bench.write("a", "".join(f"{number}\n" for number in range(1, 11)))
    result = await bench.call("read", filePath="a", offset=4, limit=2)
    assert result.output == "4: 4\n5: 5\n\n(5 lines more. Go on with offset=6.)"


async def test_2000_lines_are_the_default(bench: Bench) -> None:
    bench.write("a", "x\n" * 2001)
    result = await bench.call("read", filePath="a")
    assert result.metadata["lines"] == 2000
    assert "(1 line more. Go on with offset=2001.)" in result.output


async def test_long_lines_and_long_files_are_cut(bench: Bench) -> None:
    bench.write("a", ("y" * 3000 + "\n") * 100)
    result = await bench.call("read", filePath="a")
    assert "(line cut at 2000 characters)" in result.output
    assert len(result.output.encode()) < 52_000
    assert "lines more. Go on with offset=" in result.output


async def test_an_offset_past_the_end_is_an_error(bench: Bench) -> None:
    bench.write("a", "x\n")
    with pytest.raises(ToolError, match="has 1 line: there is no line 2"):
        await bench.call("read", filePath="a", offset=2)


async def test_an_empty_file_says_so(bench: Bench) -> None:
    bench.write("a", "")
    assert (await bench.call("read", filePath="a", offset=0)).output == "(The file is empty.)"


async def test_a_folder_lists_its_entries(bench: Bench) -> None:
    bench.write("src/sub/b.py", "")
    bench.write("src/a.py", "")
    result = await bench.call("read", filePath="src")
    assert result.output == "a.py\nsub/\n\n(End: 2 entries.)"
    assert (result.title, result.metadata) == ("Read src", {"path": "src", "lines": 2})


async def test_a_missing_file_names_similar_ones(bench: Bench) -> None:
    bench.write("src/app.py", "")
    bench.write("src/other.txt", "")
    with pytest.raises(ToolError, match=r"src/apps\.py does not exist\. Did you mean src/app\.py\?"):
        await bench.call("read", filePath="src/apps.py")


@pytest.mark.parametrize(
    ("name", "content"), [("a.zip", b"text"), ("a.txt", b"a\0b"), ("a.txt", b"\x01\x02\x03abc"), ("a.o", b"x")]
)
async def test_binary_files_are_refused(bench: Bench, name: str, content: bytes) -> None:
    bench.write(name, content)
    with pytest.raises(ToolError, match="binary"):
        await bench.call("read", filePath=name)


async def test_a_picture_is_attached_with_its_size(bench: Bench) -> None:
    bench.write("docs/shot.png", pictures.png(640, 480))
    result = await bench.call("read", filePath="docs/shot.png")
    (attachment,) = result.attachments
    assert (attachment["media_type"], attachment["name"]) == ("image/png", "shot.png")
    assert bench.attached.contents[attachment["id"]] == pictures.png(640, 480)
    assert result.output.startswith("docs/shot.png is attached (image/png, 640 x 480 pixels, ")
    assert result.metadata == {"path": "docs/shot.png", "lines": 0, "kind": "image", "width": 640, "height": 480}


async def test_a_pdf_is_attached(bench: Bench) -> None:
    bench.write("plan.pdf", pictures.pdf())
    result = await bench.call("read", filePath="plan.pdf")
    assert [attached["media_type"] for attached in result.attachments] == ["application/pdf"]
    assert result.metadata["kind"] == "pdf"


async def test_a_picture_is_known_by_its_content(bench: Bench) -> None:
    bench.write("shot", pictures.gif())
    (attachment,) = (await bench.call("read", filePath="shot")).attachments
    assert attachment["media_type"] == "image/gif"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "a.png",
            bytes(MAX_BYTES["image"] + 1),
            r"has 3,932,161 bytes\. A picture may have at most 3,932,160\.",
        ),
        ("a.png", b"<html>", "named like a file of type image/png"),
        ("a.pdf", b"", "is empty"),
        ("a.gif", pictures.gif(9000, 1), "9000 x 1 pixels"),
    ],
)
async def test_what_cannot_be_attached_is_refused_with_the_reason(
    bench: Bench, name: str, content: bytes, message: str
) -> None:
    bench.write(name, content)
    with pytest.raises(ToolError, match=message):
        await bench.call("read", filePath=name)
    assert not bench.attached.named


async def test_an_attached_picture_is_shown_again_by_its_id_without_a_question(bench: Bench) -> None:
    given = await bench.attached.put("shot.png", "image/png", pictures.png())
    assert await bench.needs("read", filePath=given["id"]) == []
    result = await bench.call("read", filePath=given["id"])
    assert list(result.attachments) == [given]
    assert result.title == "Read shot.png"


async def test_an_attached_file_is_copied_to_where_commands_find_it(bench: Bench) -> None:
    given = await bench.attached.put("täble one.csv", "text/plain", b"a,b\n1,2\n")
    path = f"/home/agent/.tool-output/{given['id']}-t_ble_one.csv"
    for _ in range(2):
        assert f"(A copy for commands is in {path}.)" in (await bench.call("read", filePath=given["id"])).output
    assert (await bench.runtime.read(path)).content == b"a,b\n1,2\n"


async def test_the_lines_of_an_attached_text_are_read_by_its_id(bench: Bench) -> None:
    given = await bench.attached.put("notes.txt", "text/plain", b"one\ntwo\nthree\n")
    result = await bench.call("read", filePath=given["id"], offset=2, limit=1)
    assert result.output.startswith("2: two\n\n(1 line more. Go on with offset=3.)\n\n(A copy for commands is in ")
    assert result.attachments == ()


async def test_an_id_that_nothing_has_is_said(bench: Bench) -> None:
    with pytest.raises(ToolError, match="att_0"):
        await bench.call("read", filePath="att_" + "0" * 32)


async def test_a_file_that_is_named_nearly_like_an_id_is_a_file(bench: Bench) -> None:
    bench.write("att_notes", "x\n")
    assert (await bench.call("read", filePath="att_notes")).output.startswith("1: x")


async def test_bytes_that_are_not_text_do_not_stop_it(bench: Bench) -> None:
    bench.write("latin.txt", "gr\xfc\xdfe".encode("latin-1"))
    assert (await bench.call("read", filePath="latin.txt")).output.startswith("1: gr\ufffd\ufffde")


async def test_a_folders_instructions_are_shown_once(bench: Bench) -> None:
    bench.write("AGENTS.md", "root")
    bench.write("src/AGENTS.md", "use tabs")
    bench.write("src/CLAUDE.md", "never shown beside AGENTS.md")
    bench.write("src/deep/CONTEXT.md", "deep things")
    bench.write("src/deep/a.py", "x\n")
    first = await bench.call("read", filePath="src/deep/a.py")
    again = await bench.call("read", filePath="src/deep/a.py")
    assert "from src/AGENTS.md:\nuse tabs" in first.output
    assert "from src/deep/CONTEXT.md:\ndeep things" in first.output
    assert "root" not in first.output
    assert "never shown" not in first.output
    assert again.output == "1: x\n\n(End: 1 line.)"


async def test_a_picture_brings_its_folders_instructions_too(bench: Bench) -> None:
    bench.write("art/CONTEXT.md", "pictures are drawn by hand")
    bench.write("art/shot.png", pictures.png())
    assert "drawn by hand" in (await bench.call("read", filePath="art/shot.png")).output


async def test_instructions_behind_a_link_are_not_shown(bench: Bench) -> None:
    bench.write(".env", "SECRET=1")
    bench.write("src/a.py", "x\n")
    (bench.files / "src/AGENTS.md").symlink_to("../.env")
    assert "SECRET" not in (await bench.call("read", filePath="src/a.py")).output


async def test_instructions_that_may_not_be_read_are_not_shown(bench: Bench) -> None:
    bench.limit(Rule("read", "internal/*", "deny"))
    bench.write("internal/AGENTS.md", "SECRET=1")
    bench.write("internal/a.py", "x\n")
    assert "SECRET" not in (await bench.call("read", filePath="internal")).output


async def test_it_needs_the_path_it_will_read(bench: Bench) -> None:
    bench.write("a.py", "")
    (bench.files / "link").symlink_to("a.py")
    (need,) = await bench.needs("read", filePath="/workspace/link")
    assert (need.permission, need.patterns, need.always) == ("read", ("a.py",), ("a.py",))


async def test_outside_is_asked_first(bench: Bench) -> None:
    outside, own = await bench.needs("read", filePath="/etc/passwd")
    assert (outside.permission, outside.patterns) == ("external_directory", ("/etc/*",))
    assert (own.permission, own.patterns) == ("read", ("/etc/passwd",))


async def test_a_link_that_leads_outside_is_outside(bench: Bench) -> None:
    (bench.files / "link").symlink_to("/etc/passwd")
    outside, own = await bench.needs("read", filePath="link")
    assert (outside.patterns, own.patterns) == (("/etc/*",), ("/etc/passwd",))


async def test_what_was_decided_on_is_read_whatever_happens_to_the_link(bench: Bench) -> None:
    bench.write("harmless", "harmless\n")
    bench.write(".env", "SECRET=1\n")
    link = bench.files / "link"
    link.symlink_to("harmless")
    prepared = await bench.prepare("read", filePath="link")
    link.unlink()
    link.symlink_to(".env")
    from tools_app import chain

    assert "1: harmless" in (await chain.run(prepared, bench.context())).output


async def test_a_name_that_looks_like_a_wildcard_offers_no_always(bench: Bench) -> None:
    bench.write("a*", "")
    (need,) = await bench.needs("read", filePath="a*")
    assert need.always == ()
