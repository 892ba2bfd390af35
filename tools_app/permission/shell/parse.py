"""tree-sitter's reading of a shell text: the second opinion, and what lists commands when ours gives up.

The only module that imports tree_sitter. Its grammar misreads some texts without a word and needs quadratic time for
others, so that it is asked only about texts that are short or that our own reader understood.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import tree_sitter
import tree_sitter_bash

_NAMES: Final = frozenset({"command_name", "declaration_command", "unset_command", "test_command"})
_COMMANDS: Final = frozenset({"command", "declaration_command", "unset_command", "test_command"})
_MOST_LISTED: Final = 200
_NO_ASCII: Final = re.compile(r"[^\x00-\x7f]")
_STAND_IN: Final = "%"
"""What the grammar is shown for any other character: it asks the C library's tables about them, which end at 255, and
crashes the process for some of those above U+FFFF. Like them it is part of a word and of no name. One character for
one keeps the positions."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """`starts` are the character positions of command names; `commands` the source texts of commands in order."""

    broken: bool
    starts: frozenset[int]
    commands: tuple[str, ...]


def second_opinion(text: str) -> Opinion:
    raw = _NO_ASCII.sub(_STAND_IN, text).encode()
    root = _parser().parse(raw).root_node
    starts: set[int] = set()
    commands: list[str] = []
    for node in _nodes(root):
        if node.type in _NAMES:
            starts.add(node.start_byte)
        if node.type in _COMMANDS and len(commands) < _MOST_LISTED:
            commands.append(text[node.start_byte : node.end_byte])
    return Opinion(root.has_error, frozenset(starts), tuple(commands))


@lru_cache(maxsize=1)
def _language() -> tree_sitter.Language:
    return tree_sitter.Language(tree_sitter_bash.language())


def _parser() -> tree_sitter.Parser:
    """One for each reading: parsers keep state and threads must not share one."""
    return tree_sitter.Parser(_language())


def _nodes(root: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """Every node, parents first, without recursion."""
    cursor = root.walk()
    while True:
        if cursor.node is not None:
            yield cursor.node
        if cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return
