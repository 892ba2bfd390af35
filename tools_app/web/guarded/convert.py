"""as_text(): convert the body of a response to text for the model: markdown, plain text, or unchanged HTML."""

import codecs
import html
import re
from typing import Final

from html_to_markdown import ConversionOptions
from html_to_markdown import convert as convert_html

HTML_TYPES: Final = frozenset({"text/html", "application/xhtml+xml"})

_CHARSETS: Final = (
    "utf-8", "ascii", "latin-1", "cp1252", "cp1251", "cp1250", "koi8-r", "iso8859-2", "iso8859-15", "utf-16",
    "shift_jis", "euc-jp", "iso2022_jp", "gbk", "gb18030", "big5", "euc-kr", "idna",
)  # fmt: skip
_CHARSET_PREFIXES: Final = (
    "utf", "us-ascii", "ascii", "latin", "iso", "windows-", "cp", "koi8", "shift", "sjis", "euc", "gb", "big5", "ks_c",
)  # fmt: skip
"""How names of real charsets begin. Python has other codecs too, which decompress or compute."""
_CHARSET_IN_PAGE: Final = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?([A-Za-z0-9_:.-]{2,40})""", re.IGNORECASE)
_TITLE: Final = re.compile(r"<title[^>]{0,200}>([^<]{1,500})</title", re.IGNORECASE)
_BLANK_LINES: Final = re.compile(r"\n{3,}")


def warm_up() -> None:
    """Load everything that fetching and converting a page needs, because no file can be opened later."""
    for name in _CHARSETS:
        codecs.lookup(name)
    for wanted in ("markdown", "text"):
        as_text(b"<title>a</title><p>b <a href=c>d</a>", "text/html", "", wanted, "http://x.example/")


def as_text(body: bytes, media_type: str, charset: str, wanted: str, base: str) -> str:
    """Return the body of a response as text. `wanted` is "markdown", "text" or "html".

    Only HTML is converted; other types are only decoded. `base` is the address that links are relative to.
    """
    text = decoded(body, charset, is_html=media_type in HTML_TYPES)
    if media_type not in HTML_TYPES or wanted == "html":
        return text
    options = ConversionOptions(
        bullets="-",
        base_url=base,
        extract_metadata=False,
        inline_data_media="drop_element",
        output_format="markdown" if wanted == "markdown" else "plain",
    )
    return _with_title(text, convert_html(text, options).content or "", wanted)


def decoded(body: bytes, charset: str, *, is_html: bool) -> str:
    """Decode the body with the charset that the server or the page names, otherwise as UTF-8 or UTF-16.

    UTF-16 needs a byte order mark. Invalid bytes become U+FFFD.
    """
    declared = _CHARSET_IN_PAGE.search(body[:4096]) if is_html else None
    for name in (charset, declared[1].decode("ascii") if declared else ""):
        try:
            if name.lower().startswith(_CHARSET_PREFIXES) and name.lower() != "utf-7":
                return body.decode(name, "replace")
        except (LookupError, ValueError, OSError):  # unknown, or not loaded by warm_up
            continue
    return body.decode("utf-16" if body[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig", "replace")


def _with_title(page: str, text: str, wanted: str) -> str:
    """Put the title of the page in front of the text, unless the first 1,000 characters of the text contain it."""
    found = _TITLE.search(page[:100_000])
    title = " ".join(html.unescape(found[1]).split()) if found else ""
    tidy = _BLANK_LINES.sub("\n\n", text).strip()
    if not title or title in tidy[:1000]:
        return tidy
    return f"# {title}\n\n{tidy}" if wanted == "markdown" else f"{title}\n\n{tidy}"
