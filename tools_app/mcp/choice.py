"""Choose the tools of MCP servers that a model is offered, and search among the others. Pure.

Each offered tool adds its definition to every request. If few enough tools exist, all are offered. Otherwise some
tools of each server are offered, and the model finds the others with `tool_search`; the tools that it has found are
offered too.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from tools_app.spec import ToolOffer
from tools_app.text import first_line

MAX_OFFERED: Final = 30  # tools of MCP servers that are offered unasked
MAX_OFFERED_CHARACTERS: Final = 40_000  # of their definitions
MAX_FOUND: Final = 60  # that the model has found, and that are offered too: the newest
MAX_RESULTS: Final = 10  # of one search
MAX_LINE_CHARACTERS: Final = 200

_WORD: Final = re.compile(r"[a-z]+|[0-9]+")
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_IN_NAME, _IN_PARAMETERS, _IN_DESCRIPTION = 6.0, 2.0, 1.0
_WHOLE_WORD, _BEGINNING = 1.0, 0.5


@dataclass(frozen=True, slots=True)
class Choice:
    """The MCP tools that a model is offered, and the tools that it only finds by a search."""

    offered: tuple[ToolOffer, ...]
    left_out: tuple[ToolOffer, ...]


def choose(offers: Sequence[ToolOffer], sources: Mapping[str, str], found: Sequence[str]) -> Choice:
    """Choose the tools that a model is offered. `sources` maps each tool of an MCP server to its server; all other
    tools are always offered. `found` are the names of tools found by earlier searches, oldest first."""
    theirs = [offer for offer in offers if offer.name in sources]
    usual = _within_bound(theirs, sources)
    kept = usual | set(found[-MAX_FOUND:])
    return Choice(
        tuple(offer for offer in offers if offer.name not in sources or offer.name in kept),
        tuple(offer for offer in theirs if offer.name not in kept),
    )


def _within_bound(offers: Sequence[ToolOffer], sources: Mapping[str, str]) -> AbstractSet[str]:
    """Return the names of the tools to offer within the limits of number and size: all tools, or the first tools of
    each server in turn. Found tools do not change the result, so the set of offered tools only grows."""
    by_server: dict[str, list[ToolOffer]] = {}
    for offer in offers:
        by_server.setdefault(sources[offer.name], []).append(offer)
    kept: set[str] = set()
    room = MAX_OFFERED_CHARACTERS
    for offer in (each for row in zip_longest(*by_server.values()) for each in row if each is not None):
        size = size_of(offer)
        if len(kept) < MAX_OFFERED and size <= room:
            kept.add(offer.name)
            room -= size
    return kept


def size_of(offer: ToolOffer) -> int:
    """Return the approximate number of characters that a tool's definition adds to a model request."""
    return len(offer.name) + len(offer.description) + _size(offer.schema)


def _size(value: object) -> int:
    if isinstance(value, str):
        return len(value) + 2
    if isinstance(value, Mapping):
        return sum(_size(name) + _size(each) for name, each in value.items())
    return sum(map(_size, value)) if isinstance(value, list | tuple) else 4


def search(query: str, offers: Iterable[ToolOffer]) -> list[ToolOffer]:
    """Return the tools that match a query, best first. A tool whose name is the query comes first."""
    words = set(_words(query))
    names = {name.lower() for name in query.replace(",", " ").split()}
    scored = [(1_000.0 if offer.name.lower() in names else _score(words, offer), offer) for offer in offers]
    best = sorted((each for each in scored if each[0] > 0), key=lambda each: (-each[0], each[1].name))
    return [offer for _, offer in best[:MAX_RESULTS]]


def listed(offers: Iterable[ToolOffer]) -> str:
    """Return a list for the model, with one line for each tool."""
    return "\n".join(f"- {offer.name}: {first_line(offer.description)[:MAX_LINE_CHARACTERS]}" for offer in offers)


def _score(words: AbstractSet[str], offer: ToolOffer) -> float:
    parameters = offer.schema.get("properties", {})
    places = (
        (_IN_NAME, offer.name),
        (_IN_DESCRIPTION, offer.description[:2_000]),
        (_IN_PARAMETERS, " ".join(parameters) if isinstance(parameters, Mapping) else ""),
    )
    return sum(weight * _fit(words, set(_words(text))) for weight, text in places)


def _fit(words: AbstractSet[str], known: AbstractSet[str]) -> float:
    whole = len(words & known)
    begun = sum(
        any(len(word) > 2 and (each.startswith(word) or (word.startswith(each) and len(each) > 2)) for each in known)
        for word in words - known
    )
    return whole * _WHOLE_WORD + begun * _BEGINNING


def _words(text: str) -> list[str]:
    return _WORD.findall(_CAMEL.sub(" ", text).lower())
