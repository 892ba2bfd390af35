"""Parsing with tree-sitter: a second opinion on a shell text, and a list of commands if our own parser fails.

This is the only module that imports tree_sitter, and only when a command is judged. tree-sitter's grammar silently
misreads some texts and needs quadratic time for others. It is therefore used only for texts that are short or that our
own parser could read, and with a time limit. Only some kinds of nodes are accepted: a node of any other kind makes a
text incomplete, even if our own parser could read it.
"""

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from tools_app.permission.names import names
from tools_app.permission.shell.syntax import Mark
from tools_app.permission.shell.syntax_tree import Piece

if TYPE_CHECKING:
    import tree_sitter

_KINDS: Final = names(
    "program list pipeline command command_name variable_assignment variable_assignments negated_command subshell"
    " compound_statement if_statement elif_clause else_clause while_statement for_statement do_group case_statement"
    " case_item declaration_command unset_command test_command unary_expression binary_expression test_operator"
    " parenthesized_expression redirected_statement file_redirect file_descriptor heredoc_redirect heredoc_start"
    " heredoc_body heredoc_content heredoc_end herestring_redirect word number concatenation brace_expression string"
    " string_content raw_string ansi_c_string variable_name special_variable_name simple_expansion expansion subscript"
    " array regex extglob_pattern command_substitution process_substitution arithmetic_expansion comment"
)
"""The kinds of nodes that a complete text may consist of. Not in the list: functions, `select`, `for ((...))`,
`((...))`, translated strings, and whatever the grammar may add."""
_COMMANDS: Final = frozenset({"command", "declaration_command", "unset_command", "test_command"})
_COMMAND_NAMES: Final = frozenset({"command_name", "declaration_command", "unset_command", "test_command"})
_EXPANSIONS: Final = names("command_substitution process_substitution arithmetic_expansion simple_expansion expansion")
_REDIRECTIONS: Final = names("file_redirect heredoc_redirect herestring_redirect")
_OPERATOR: Final = re.compile(r"[<>&|-]+")
_MAX_LISTED_COMMANDS: Final = 200
_MAX_PIECES: Final = 4_000  # nodes of a tree that is returned
_TIMEOUT: Final = 0.5  # seconds of CPU time of the thread; 100 kB of ordinary commands need 0.02
_CHUNK_BYTES: Final = 65_536
_NO_ASCII: Final = re.compile(r"[^\x00-\x7f]")
_STAND_IN: Final = "%"
"""Replaces each character outside ASCII before parsing. The grammar looks characters up in tables of the C library that
end at 255, and crashes the process for some above U+FFFF. Like such a character, `%` may occur in words but not in
variable names. One character replaces one, so positions stay the same."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """The result of parsing with tree-sitter. `broken`: there is a syntax error, or parsing took too long.

    `unusual` is the kind of a node that is not in the list of known kinds; "" if there is none. `marks` are the
    positions of commands, words, expansions and redirections; `commands` are the source texts of the commands in order.
    """

    broken: bool
    unusual: str = ""
    marks: frozenset[Mark] = frozenset()
    commands: tuple[str, ...] = ()


def second_opinion(text: str) -> Opinion:
    """Parse a shell text with tree-sitter, to compare the result with our own parser's."""
    tree = _tree(_NO_ASCII.sub(_STAND_IN, text).encode())
    if tree is None:
        return Opinion(broken=True)
    unusual = ""
    marks: set[Mark] = set()
    commands: list[str] = []
    for node in _nodes(tree.root_node):
        if node.is_named and node.type not in _KINDS:
            unusual = node.type
        marks.update(_marks(node))
        if node.type in _COMMANDS and len(commands) < _MAX_LISTED_COMMANDS:
            commands.append(text[node.start_byte : node.end_byte])
    return Opinion(tree.root_node.has_error, unusual, frozenset(marks), tuple(commands))


def syntax_tree(text: str) -> Piece | None:
    """Return the syntax tree of `text`, or None if it takes too long to parse or has too many or too deep nodes."""
    tree = _tree(_NO_ASCII.sub(_STAND_IN, text).encode())
    if tree is None or tree.root_node.descendant_count > _MAX_PIECES:
        return None
    try:
        return _piece(tree.root_node, text, "")
    except RecursionError:
        return None


def _piece(node: "tree_sitter.Node", text: str, field: str) -> Piece:
    names_of = (node.field_name_for_child(index) or "" for index in range(node.child_count))
    children = tuple(_piece(child, text, name) for child, name in zip(node.children, names_of, strict=True))
    return Piece(node.type, text, node.start_byte, node.end_byte, field, node.is_named, children)


def _marks(node: "tree_sitter.Node") -> Iterator[Mark]:
    """Yield the positions that our own parser also records when it reads this node."""
    if node.type in _COMMAND_NAMES:
        yield "command", node.start_byte
    if node.type in _EXPANSIONS:
        yield "expansion", node.start_byte
    if node.type == "command":
        yield from (("word", word.start_byte) for word in node.children_by_field_name("argument"))
    if node.type == "file_redirect":  # words behind a redirection are arguments of the command
        yield from (("word", word.start_byte) for word in node.children_by_field_name("destination")[1:])
    if not node.is_named and _OPERATOR.fullmatch(node.type) and node.parent and node.parent.type in _REDIRECTIONS:
        yield "redirection", node.start_byte


def _tree(raw: bytes) -> "tree_sitter.Tree | None":
    """Return the syntax tree; None if parsing takes too long, because the time is quadratic for some texts. No bash
    command can contain a NUL, and thousands of them take seconds."""
    if b"\0" in raw:
        return None
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
    """Return a new parser. Parsers have state, so threads must not share one."""
    import tree_sitter

    return tree_sitter.Parser(_language())


def _nodes(root: "tree_sitter.Node") -> Iterator["tree_sitter.Node"]:
    """Yield all nodes of a syntax tree, parents before children, without recursion."""
    cursor = root.walk()
    while True:
        if cursor.node is not None:
            yield cursor.node
        if cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return
