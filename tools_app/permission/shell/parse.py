"""tree-sitter's reading of a shell text: the second opinion, and what lists commands when ours gives up.

The only module that imports tree_sitter, and only when a command is judged. Its grammar misreads some texts without a
word and needs quadratic time for others, so that it is asked only about texts that are short or that our own reader
understood, and not for long.
"""

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import tree_sitter

_NAMES: Final = frozenset({"command_name", "declaration_command", "unset_command", "test_command"})
_COMMANDS: Final = frozenset({"command", "declaration_command", "unset_command", "test_command"})
_MOST_LISTED: Final = 200
_PATIENCE: Final = 0.5  # seconds of this thread's own time; 100 kB of ordinary commands need 0.02
_CHUNK: Final = 65_536
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
    tree = _tree(raw)
    if tree is None:
        return Opinion(broken=True, starts=frozenset(), commands=())
    root = tree.root_node
    starts: set[int] = set()
    commands: list[str] = []
    for node in _nodes(root):
        if node.type in _NAMES:
            starts.add(node.start_byte)
        if node.type in _COMMANDS and len(commands) < _MOST_LISTED:
            commands.append(text[node.start_byte : node.end_byte])
    return Opinion(root.has_error, frozenset(starts), tuple(commands))


def _tree(raw: bytes) -> "tree_sitter.Tree | None":
    """None when it takes too long: some texts need the square of their length."""
    end = time.thread_time() + _PATIENCE
    try:
        return _parser().parse(
            lambda offset, _point: raw[offset : offset + _CHUNK],
            progress_callback=lambda _offset, _failed: time.thread_time() > end,
        )
    except ValueError:  # stopped
        return None


@lru_cache(maxsize=1)
def _language() -> "tree_sitter.Language":
    import tree_sitter
    import tree_sitter_bash

    return tree_sitter.Language(tree_sitter_bash.language())


def _parser() -> "tree_sitter.Parser":
    """One for each reading: parsers keep state and threads must not share one."""
    import tree_sitter

    return tree_sitter.Parser(_language())


def _nodes(root: "tree_sitter.Node") -> Iterator["tree_sitter.Node"]:
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
