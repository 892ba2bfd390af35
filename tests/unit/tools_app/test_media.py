"""The type of a file is detected from its bytes, never from its name."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import pictures
from tools_app.media import Media, recognise

MAKERS = [
    (pictures.png, "image/png"),
    (pictures.gif, "image/gif"),
    (pictures.jpeg, "image/jpeg"),
    (pictures.webp_lossy, "image/webp"),
    (pictures.webp_lossless, "image/webp"),
    (pictures.webp_extended, "image/webp"),
]


@pytest.mark.parametrize(("make", "media_type"), MAKERS)
def test_a_picture_is_known_with_its_size(make: Callable[[int, int], bytes], media_type: str) -> None:
    assert recognise(make(640, 48)) == Media(media_type, 640, 48)


@pytest.mark.parametrize(("make", "media_type"), MAKERS)
def test_a_picture_without_a_size_is_none(make: Callable[[int, int], bytes], media_type: str) -> None:
    found = recognise(make(640, 48)[:8])
    assert found is None


def test_the_size_of_a_jpeg_is_not_that_of_the_preview_within_it() -> None:
    photo = pictures.jpeg(4000, 3000, before=pictures.camera_data(pictures.jpeg(160, 120)))
    assert recognise(photo) == Media("image/jpeg", 4000, 3000)


@pytest.mark.parametrize("content", [pictures.pdf(), b"\n  %PDF-2.0\n"])
def test_a_pdf_is_known(content: bytes) -> None:
    assert recognise(content) == Media("application/pdf")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"print('%PDF-1.4')\n",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        b"GIF89a",
        b"RIFF\0\0\0\0WAVEfmt ",
        b"\xff\xd8\xff" + b"\xe0\0\0" * 100,
        pictures.png(0, 5),
    ],
)
def test_anything_else_is_none_of_them(content: bytes) -> None:
    assert recognise(content) is None


@pytest.mark.parametrize(
    ("media_type", "kind"), [("image/webp", "image"), ("application/pdf", "pdf"), ("text/plain", "text")]
)
def test_there_are_three_kinds(media_type: str, kind: str) -> None:
    assert Media(media_type).kind == kind


starts = st.sampled_from([b"", b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF89a", b"RIFF\0\0\0\0WEBPVP8 ", b"%PDF-"])


@given(starts, st.binary(max_size=200))
def test_no_bytes_make_it_fail(start: bytes, rest: bytes) -> None:
    found = recognise(start + rest)
    assert found is None or (found.width > 0) == found.media_type.startswith("image/")
