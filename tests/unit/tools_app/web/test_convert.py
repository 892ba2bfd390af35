import pytest

from tools_app.web.guarded.convert import as_text, decoded
from tools_app.web.guarded.exchange import PageResponse
from tools_app.web.guarded.media import Media, media_of

PAGE = """<!doctype html><html><head><title>The title</title><style>b{}</style><script>alert(1)</script></head>
<body><h1>Head</h1><p>Some <b>bold</b> words with a <a href="/there?x">link</a>.<br>Next.</p><p hidden>unseen</p>
<ul><li>one<li>two</ul><pre><code class="language-python">a = 1
b  =  2</code></pre><img src="data:image/png;base64,AAAA" alt="drawn"><img src="p.png" alt="pic">
<table><tr><th>k<th>v<tr><td>a<td>1</table></body></html>"""


def read(html: str, wanted: str) -> str:
    return as_text(html.encode(), "text/html", "utf-8", wanted, "https://example.org/dir/page")


def test_markdown_keeps_what_a_page_says_and_links_are_whole() -> None:
    text = read(PAGE, "markdown")
    assert text.startswith("# The title\n\n# Head\n\n")
    assert "Some **bold** words with a [link](https://example.org/there?x)" in text
    assert "unseen" not in text
    assert "- one\n- two" in text
    assert "```python\na = 1\nb  =  2\n```" in text
    assert "![pic](https://example.org/dir/p.png)" in text
    assert "| k | v |" in text
    assert "alert" not in text
    assert "base64" not in text


def test_plain_text_has_the_words_and_no_marks() -> None:
    text = read(PAGE, "text")
    assert text.startswith("The title\n\nHead\n\nSome bold words with a link.\nNext.")
    assert "- one\n- two" in text
    assert "a = 1\nb  =  2" in text
    assert "alert" not in text


def test_html_stays_as_it_is() -> None:
    assert read(PAGE, "html") == PAGE


def test_what_is_no_html_is_not_converted() -> None:
    assert as_text(b"# a <b>", "text/markdown", "", "text", "http://x.example/") == "# a <b>"


@pytest.mark.parametrize("tag", ["<div>", "<b><i>", "<ul><li>", "<blockquote>", "<pre>"])
def test_a_page_nested_without_end_is_read_to_some_depth(tag: str) -> None:
    assert read(f"<p>before</p>{tag * 20_000}deep", "markdown").startswith("before")


@pytest.mark.parametrize(
    ("body", "charset", "text"),
    [
        ("grün".encode("latin-1"), "iso-8859-1", "grün"),
        ("日本".encode("shift_jis"), "Shift_JIS", "日本"),
        ("<meta charset='gbk'>中文".encode("gbk"), "", "<meta charset='gbk'>中文"),
        ("\ufeffa".encode(), "", "a"),
        ("grün".encode("utf-16"), "", "grün"),
        (b"\xff\xfea\xff", "utf-8", "\ufffd\ufffda\ufffd"),
        (b"plain", "no-such-charset", "plain"),
        (b"68656c6c6f", "hex", "68656c6c6f"),
        (b"+AGE-", "utf-7", "+AGE-"),
    ],
)
def test_text_is_read_in_the_encoding_that_is_named_and_really_one(body: bytes, charset: str, text: str) -> None:
    assert decoded(body, charset, is_html=True) == text


@pytest.mark.parametrize(
    ("media_type", "body", "media"),
    [
        ("text/html", b"x", Media("text/html", "text")),
        ("application/ld+json", b"{}", Media("application/ld+json", "text")),
        ("", b" <!DOCTYPE html><p>", Media("text/html", "text")),
        ("application/octet-stream", b"plain", Media("text/plain", "text")),
        ("text/plain", b"a\0b", Media("text/plain", "other")),
        ("image/png", b"\x89PNG\r\n\x1a\n", Media("image/png", "file")),
        ("text/html", b"\x89PNG\r\n\x1a\n", Media("image/png", "file")),
        ("image/png", b"<script>", Media("image/png", "other")),
        ("application/pdf", b"%PDF-1.7", Media("application/pdf", "file")),
        ("application/zip", b"PK", Media("application/zip", "other")),
        ("image/svg+xml", b"<svg>", Media("image/svg+xml", "text")),
    ],
)
def test_what_came_is_known_by_its_bytes_before_its_name(media_type: str, body: bytes, media: Media) -> None:
    assert media_of(PageResponse(200, "OK", media_type, "", body)) == media
