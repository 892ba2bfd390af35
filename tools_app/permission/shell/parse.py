"""Parsing with tree-sitter: a second opinion on a shell text, and a list of commands if our own parser fails.

This is the only module that imports tree_sitter, and it does so only when a command is judged. tree-sitter's grammar
silently misreads some texts and needs quadratic time for others. It is therefore used only for texts that are short or
that our own parser could read, and with a time limit.
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
_MAX_LISTED_COMMANDS: Final = 200
_TIMEOUT: Final = 0.5  # seconds of CPU time of the thread; 100 kB of ordinary commands need 0.02
_CHUNK_BYTES: Final = 65_536
_NO_ASCII: Final = re.compile(r"[^\x00-\x7f]")
_STAND_IN: Final = "%"
"""Replaces each character outside ASCII before parsing. The grammar looks characters up in tables of the C library that
end at 255, and crashes the process for some above U+FFFF. Like such a character, `%` may occur in words but not in
variable names. One character replaces one, so positions stay the same."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """What tree-sitter read. `broken`: there is a syntax error, or parsing took too long.

    `starts` are the character positions of command names; `commands` are the source texts of the commands in order.
    """

    broken: bool
    starts: frozenset[int]
    commands: tuple[str, ...]


def second_opinion(text: str) -> Opinion:
    """Parse `text` with tree-sitter."""
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
        if node.type in _COMMANDS and len(commands) < _MAX_LISTED_COMMANDS:
            commands.append(text[node.start_byte : node.end_byte])
    return Opinion(root.has_error, frozenset(starts), tuple(commands))


def _tree(raw: bytes) -> "tree_sitter.Tree | None":
    """Return the syntax tree, or None if parsing takes too long: the time is quadratic for some texts."""
    end = time.thread_time() + _TIMEOUT
    try:
        return _parser().parse(
            lambda offset, _point: raw[offset : offset + _CHUNK_BYTES],
            progress_callback=lambda _offset, _failed: time.thread_time() > end,
        )
    except ValueError:  # progress_callback stopped it
        return None


@lru_cache(maxsize=1)
def _language() -> "tree_sitter.Language":
    import tree_sitter
    import tree_sitter_bash

    return tree_sitter.Language(tree_sitter_bash.language())


def _parser() -> "tree_sitter.Parser":
    """Return a new parser: parsers have state, and threads must not share one."""
    import tree_sitter

    return tree_sitter.Parser(_language())


def _nodes(root: "tree_sitter.Node") -> Iterator["tree_sitter.Node"]:
    """Yield all nodes, parents before children, without recursion."""
    cursor = root.walk()
    while True:
        if cursor.node is not None:
            yield cursor.node
        if cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return
