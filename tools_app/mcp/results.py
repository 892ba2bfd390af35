"""read_results(): parse the answers of search servers into lists of {title, url, text}. Pure functions.

Formats differ: some servers send structured content or JSON text with a list of results, others plain text in which
each result starts with `Title:` and has a line `URL:`. Any other format gives an empty list.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

MAX_RESULTS: Final = 50
MAX_TEXT_CHARS: Final = 500  # of each result: the list is for people, the model gets the whole answer

_TITLE: Final = re.compile(r"^Title:[ \t]*(.*)$", re.MULTILINE)
_URL: Final = re.compile(r"^URL:[ \t]*(\S+)[ \t]*$", re.MULTILINE)
_TEXT: Final = re.compile(r"^(?:Text|Highlights|Summary|Content):[ \t]*", re.MULTILINE)

Result = dict[str, str]


def read_results(text: str, structured: Any = None) -> list[Result]:
    """Parse at most `MAX_RESULTS` results from a search server's answer: `text`, or `structured` content if it sent
    any."""
    found = [*_listed(structured)] or [*_listed(_json(text))] or [*_written(text)]
    return found[:MAX_RESULTS]


def _json(text: str) -> Any:
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _listed(value: Any) -> Iterator[Result]:
    items = value.get("results") if isinstance(value, Mapping) else value
    for item in items if isinstance(items, list) else ():
        if isinstance(item, Mapping) and isinstance(item.get("url"), str):
            words = next((item[name] for name in ("text", "snippet", "summary", "content") if item.get(name)), "")
            yield _result(str(item.get("title") or ""), item["url"], words if isinstance(words, str) else "")


def _written(text: str) -> Iterator[Result]:
    starts = [*_TITLE.finditer(text)]
    ends = [*(start.start() for start in starts[1:]), len(text)]
    for start, end in zip(starts, ends, strict=False):
        block = text[start.end() : end]
        url = _URL.search(block)
        if url is not None:
            body = _TEXT.search(block)
            yield _result(start[1], url[1], block[body.end() :] if body else "")


def _result(title: str, url: str, text: str) -> Result:
    return {"title": title.strip() or url, "url": url, "text": " ".join(text.split())[:MAX_TEXT_CHARS]}
