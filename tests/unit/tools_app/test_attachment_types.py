"""Pictures, PDF and text may be attached. Their content decides about the type, and their size is limited."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import pictures
from tools_app.attachment_types import MAX_BYTES, MAX_SIDE_PIXELS, NotAttachable, clean_name, inspect
from tools_app.filekinds import ATTACHED_TYPES
from tools_app.media import Media


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("shot.png", pictures.png(30, 20), Media("image/png", 30, 20)),
        ("called-wrongly.txt", pictures.png(30, 20), Media("image/png", 30, 20)),
        ("no-extension", pictures.pdf(), Media("application/pdf")),
        ("notes.md", b"# Hello\n", Media("text/plain")),
        ("page.html", b"<script>alert(1)</script>", Media("text/plain")),
        ("drawing.svg", b"<svg onload='alert(1)'/>", Media("text/plain")),
        ("latin.txt", "Grüße".encode("latin-1"), Media("text/plain")),
    ],
)
def test_the_content_decides_what_it_is(name: str, content: bytes, expected: Media) -> None:
    assert inspect(name, content) == expected


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", b"", "is empty"),
        ("a.png", b"GIF, I swear", "named like a file of type image/png"),
        ("a.pdf", b"PK\x03\x04\0", "named like a file of type application/pdf"),
        ("a.zip", b"PK\x03\x04", "neither a picture"),
        ("a.txt", b"a\0b", "neither a picture"),
    ],
)
def test_what_is_of_no_use_to_a_model_is_refused(name: str, content: bytes, message: str) -> None:
    with pytest.raises(NotAttachable, match=message) as caught:
        inspect(name, content)
    assert not caught.value.too_large
    assert caught.value.hint.endswith(".")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.png", pictures.png() + bytes(MAX_BYTES["image"])),
        ("a.pdf", pictures.pdf() + bytes(MAX_BYTES["pdf"])),
        ("a.txt", b"x" * (MAX_BYTES["text"] + 1)),
        ("wide.png", pictures.png(MAX_SIDE_PIXELS + 1, 1)),
    ],
)
def test_what_is_too_large_is_refused_with_its_size(name: str, content: bytes) -> None:
    with pytest.raises(NotAttachable, match=name) as caught:
        inspect(name, content)
    assert caught.value.too_large


def test_the_largest_are_accepted() -> None:
    assert inspect("a.txt", b"x" * MAX_BYTES["text"]).kind == "text"
    assert inspect("a.png", pictures.png(MAX_SIDE_PIXELS, 1)).width == MAX_SIDE_PIXELS
    whole = pictures.png()
    assert inspect("a.png", whole + bytes(MAX_BYTES["image"] - len(whole))).kind == "image"


@given(st.text(max_size=20), st.binary(max_size=300))
def test_any_bytes_under_any_name_are_accepted_or_refused_with_a_reason(name: str, content: bytes) -> None:
    said = ""
    try:
        said = inspect(clean_name(name), content).media_type
    except NotAttachable as error:
        said = error.message
    assert said in {"text/plain", *ATTACHED_TYPES.values()} or said.endswith(".")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("notes.txt", "notes.txt"),
        ("/etc/passwd", "passwd"),
        ("..\\..\\boot.ini", "boot.ini"),
        ("../..", ".."),
        ("a\r\nSet-Cookie: x.txt", "aSet-Cookie: x.txt"),
        ("photo\u202egnp.exe", "photognp.exe"),
        ("half\ud800.txt", "half.txt"),
        ("", "file"),
        ("folder/", "file"),
        ("x" * 300, "x" * 200),
    ],
)
def test_a_name_is_one_line_without_folders_and_tricks(name: str, shown: str) -> None:
    assert clean_name(name) == shown
