"""What a web server sent, as text that a model can read: markdown, plain text, or the HTML as it is."""

import codecs
import re
import sys
from typing import Final
from urllib.parse import urljoin

from bs4 import BeautifulSoup, Tag
from bs4.element import PreformattedString
from markdownify import ATX, MarkdownConverter

HTML_TYPES: Final = frozenset({"text/html", "application/xhtml+xml"})
UNREAD: Final = ("script", "style", "template", "svg", "iframe", "object", "title", "meta", "link", "base")
DEEPEST: Final = 20_000
"""Calls of Python; about five for each level that a page nests its elements."""

_CHARSETS: Final = (
    "utf-8", "ascii", "latin-1", "cp1252", "cp1251", "cp1250", "koi8-r", "iso8859-2", "iso8859-15", "utf-16",
    "shift_jis", "euc-jp", "iso2022_jp", "gbk", "gb18030", "big5", "euc-kr", "idna",
)  # fmt: skip
_KINDS_OF_CHARSETS: Final = (
    "utf", "us-ascii", "ascii", "latin", "iso", "windows-", "cp", "koi8", "shift", "sjis", "euc", "gb", "big5", "ks_c",
)  # fmt: skip
"""How the names of real ones begin: Python has further ones, which unpack and compute."""
_SAID_IN_PAGE: Final = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?([A-Za-z0-9_:.-]{2,40})""", re.IGNORECASE)
_BLANKS: Final = re.compile(r"[ \t\r\n\f]+")
_BLANK_LINES: Final = re.compile(r"\n{3,}")
_LINE_END_BLANKS: Final = re.compile(r"[ \t]+\n")


def warm_up() -> None:
    """Load whatever following to a page and reading it will take: later no file can be opened."""
    sys.setrecursionlimit(DEEPEST)
    for name in _CHARSETS:
        codecs.lookup(name)
    for wanted in ("markdown", "text"):
        as_text(b"<title>a</title><p>b <a href=c>d</a><ul><li>e</ul><pre>f</pre>", "text/html", "", wanted, "http://x/")


def as_text(body: bytes, media_type: str, charset: str, wanted: str, base: str) -> str:
    """`wanted` is "markdown", "text" or "html"; only HTML is ever converted. `base`: what links are relative to."""
    text = decoded(body, charset, is_html=media_type in HTML_TYPES)
    if media_type not in HTML_TYPES or wanted == "html":
        return text
    soup = BeautifulSoup(text, "lxml")
    title = soup.title.get_text(" ", strip=True) if soup.title else ""
    for tag in soup.find_all(UNREAD):
        tag.decompose()
    for unseen in soup.find_all(string=lambda text: isinstance(text, PreformattedString)):
        unseen.extract()
    read = _markdown(soup, base) if wanted == "markdown" else _plain(soup)
    return _tidy(_with_title(title, read, wanted))


def decoded(body: bytes, charset: str, *, is_html: bool) -> str:
    """In the encoding that the server or the page names; else UTF-8, with a mark for what is none."""
    said = _SAID_IN_PAGE.search(body[:4096]) if is_html else None
    for name in (charset, said[1].decode("ascii") if said else ""):
        try:
            if name.lower().startswith(_KINDS_OF_CHARSETS) and name.lower() != "utf-7":
                return body.decode(name, "replace")
        except (LookupError, ValueError, OSError):  # unknown, or nobody loaded it in time
            continue
    return body.decode("utf-16" if body[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig", "replace")


def _markdown(soup: BeautifulSoup, base: str) -> str:
    _complete_links(soup, base)
    try:
        return str(
            MarkdownConverter(heading_style=ATX, bullets="-", code_language_callback=_language).convert_soup(soup)
        )
    except RecursionError:
        return _plain(soup)


def _complete_links(soup: BeautifulSoup, base: str) -> None:
    """A link can only be followed from here when it is complete; what is drawn within the page is no text."""
    for tag in soup.find_all(["a", "img"]):
        name = "href" if tag.name == "a" else "src"
        where = str(tag.get(name) or "")
        if tag.name == "img" and where.startswith("data:"):
            tag.decompose()
        elif where:
            tag[name] = _joined(base, where)


def _joined(base: str, where: str) -> str:
    try:
        return urljoin(base, where)
    except ValueError:
        return where


def _language(tag: Tag) -> str:
    """Of a block of code, as pages usually say it: `class="language-python"`, on it or on the code within."""
    code = tag.find("code")
    names = [*(tag.get("class") or ()), *((code.get("class") or ()) if isinstance(code, Tag) else ())]
    found = (name.partition("-")[2] for name in map(str, names) if name.startswith(("language-", "lang-")))
    return next((name for name in found if name.isalnum()), "")


_BLOCKS: Final = (
    "address", "article", "aside", "blockquote", "dd", "div", "dl", "dt", "figcaption", "footer", "form", "h1", "h2",
    "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol", "p", "pre", "section", "table", "tr", "ul",
)  # fmt: skip


def _plain(soup: BeautifulSoup) -> str:
    """Words in a row as they stand, each block on lines of its own."""
    kept = {id(text) for pre in soup.find_all("pre") for text in pre.find_all(string=True)}
    for text in soup.find_all(string=True):
        if id(text) not in kept:
            text.replace_with(_BLANKS.sub(" ", text))
    for tag in soup.find_all("br"):
        tag.replace_with("\n")
    for tag in soup.find_all(_BLOCKS):
        tag.insert_before("\n")
        tag.insert_after("\n")
    for tag in soup.find_all(["td", "th"]):
        tag.insert_after("\t")
    return "\n".join(line.strip() for line in soup.get_text().split("\n"))


def _with_title(title: str, text: str, wanted: str) -> str:
    if not title or title in text[:1000]:
        return text
    return f"# {title}\n\n{text}" if wanted == "markdown" else f"{title}\n\n{text}"


def _tidy(text: str) -> str:
    return _BLANK_LINES.sub("\n\n", _LINE_END_BLANKS.sub("\n", text)).strip()
