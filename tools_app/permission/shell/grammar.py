"""Strict parser for a safe subset of bash: lists, pipes, groups, conditions, loops, redirections.

The module `parse` wraps a second parser, tree-sitter. A text on which the two disagree counts as not understood. The
time is linear in the length of the text, and nesting is limited.
"""

import re
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.conditions import ConditionReader
from tools_app.permission.shell.cursor import CONTINUATION, LineContinues, Unreadable
from tools_app.permission.shell.syntax import (
    Assignment,
    Calculation,
    Case,
    CommandGroup,
    For,
    Function,
    If,
    Node,
    Reading,
    Redirection,
    Repeat,
    Script,
    SimpleCommand,
    Text,
    While,
    Word,
)

MAX_COMMANDS: Final = 400  # simple commands in one text; longer texts are not analysed
MAX_REREAD_CHARS: Final = 100_000
"""Characters that are read again because lines were joined; a text is always read twice, if it needs to be."""

_FUNCTION: Final = re.compile(r"([A-Za-z_][\w.:\-]*)[ \t]*\([ \t]*\)")
_WORD_OF_FUNCTION: Final = re.compile(r"function[ \t]+([\w.:\-]+)(?:[ \t]*\([ \t]*\))?")
_MOVERS: Final = frozenset({"cd", "pushd", "popd"})
_DECLARING: Final = frozenset({"export", "declare", "local", "readonly", "typeset"})
_READ_AS_A_WHOLE: Final = _DECLARING | {"[", "unset", "unsetenv"}
"""Commands for whose arguments the other parser has rules of its own."""
_IN_COMMAND_NAME: Final = re.compile(r"[\w./+-]+", re.ASCII)
_TIMED: Final = re.compile(r"[A-Za-z0-9_./][A-Za-z0-9_./+\-]*(?=[ \t\n;&|<>)]|$)")
"""A name that bash reads as a command behind the reserved word `time`, unless it is in _NOT_TIMED."""
_NOT_TIMED: Final = _DECLARING | names(
    "if then elif else fi while until for do done case esac select function coproc in time"
)


def read(text: str) -> Reading:
    """Parse a shell text. Raises Unreadable with the reason."""
    budget = max(len(text), MAX_REREAD_CHARS)
    while True:
        try:
            return _read(text)
        except LineContinues as found:
            budget -= len(text)
            text = _joined(text, found.position)
            if budget < 0:
                raise _unreadable("too many words extend over several lines", text) from None
        except Unreadable as problem:
            raise _unreadable(str(problem), text) from None


def _read(text: str) -> Reading:
    reader = _Reader(text)
    script = reader.script_until("")
    if reader.position < len(text):
        raise Unreadable("there is an unexpected bracket or word")
    return Reading(script, text, reader.marks)


def _joined(text: str, position: int) -> str:
    """Return the text without the line continuations from `position` on."""
    after = position
    while text.startswith(CONTINUATION, after):
        after += len(CONTINUATION)
    return text[:position] + text[after:]


def _unreadable(reason: str, text: str) -> Unreadable:
    problem = Unreadable(reason)
    problem.text = text
    return problem


class _Reader(ConditionReader):
    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._assigned: list[str] = []
        self._moves = 0
        self._commands = 0

    # Commands

    def _command(self) -> Node:
        self.skip_blanks()
        if self.at("(("):
            value = self.calculation()
            return Calculation(value, self._redirections())
        if self.peek() == "(":
            return self._subshell()
        reserved = self._reserved()
        reader = {
            "{": self._braces, "if": self._if, "while": self._while, "until": self._while, "for": self._for,
            "case": self._case, "function": self._function, "[[": self._condition,
        }.get(reserved)  # fmt: skip
        if reader:
            self._deeper()
            node = reader()
            self.depth -= 1
            return node
        if reserved:
            raise Unreadable(f"`{reserved}` is not analysed")
        if found := _FUNCTION.match(self.text, self.position, self.end):
            return self._function_body(found)
        return self._simple()

    def _subshell(self) -> Node:
        moves = self._moves
        self.position += 1
        body = self.script_until(")")
        self._moves = moves
        return CommandGroup(body, subshell=True, redirections=self._redirections())

    def _braces(self) -> Node:
        self.position += 1
        body = self._body()
        self._expect("}")
        return CommandGroup(body, subshell=False, redirections=self._redirections())

    def _if(self) -> Node:
        branches: list[tuple[Script, Script]] = []
        otherwise = Script()
        word = "if"
        while word in {"if", "elif"}:
            self.position += len(word)
            condition = self._body()
            self._expect("then")
            branches.append((condition, self._body()))
            self._skip_lines()
            word = self._reserved()
        if word == "else":
            self.position += 4
            otherwise = self._body()
        self._expect("fi")
        return If(tuple(branches), otherwise, self._redirections())

    def _while(self) -> Node:
        assigned, moves = len(self._assigned), self._moves
        self.position += 5
        condition = self._body()
        body = self._do()
        repeat = Repeat(frozenset(self._assigned[assigned:]), self._moves > moves)
        return While(condition, body, repeat, self._redirections())

    def _do(self) -> Script:
        self._expect("do")
        body = self._body()
        self._expect("done")
        return body

    def _for(self) -> Node:
        assigned, moves = len(self._assigned), self._moves
        self.position += 3
        self.skip_blanks()
        if self.at("(("):
            raise Unreadable("a `for ((...))` loop is not analysed")
        name = self.word()
        if not re.fullmatch(r"[A-Za-z_]\w*", name.source, re.ASCII):
            raise Unreadable("the variable of a loop is not a valid name")
        words = self._words_of_for()
        self._assigned.append(name.source)
        self._skip_semicolon()
        body = self._do()
        set_here = self._assigned[assigned:]
        repeat = Repeat(frozenset(set_here), self._moves > moves, set_here.count(name.source) > 1)
        return For(name.source, words, body, repeat, self._redirections())

    def _words_of_for(self) -> tuple[Word, ...] | None:
        self.skip_blanks()
        if self._reserved() != "in":
            return None
        self.position += 2
        words: list[Word] = []
        self.skip_blanks()
        while self.peek() not in {";", "\n", ""}:
            words.append(self.word())
            self.skip_blanks()
            self._skip_comment()
        return tuple(words)

    def _skip_semicolon(self) -> None:
        self.skip_blanks()
        if self.peek() == ";":
            self.position += 1

    def _case(self) -> Node:
        self.position += 4
        self.skip_blanks()
        subject = self.word()
        self._expect("in")
        patterns: list[Word] = []
        bodies: list[Script] = []
        self._skip_lines()
        while self._reserved() != "esac":
            patterns.extend(self._case_patterns())
            self._deeper()
            bodies.append(Script(tuple(self._items())))
            self.depth -= 1
            if not self._case_end():
                break
        self._expect("esac")
        return Case(subject, tuple(patterns), tuple(bodies), self._redirections())

    def _case_patterns(self) -> list[Word]:
        if self.peek() == "(":
            self.position += 1
        patterns: list[Word] = []
        while True:
            self.skip_blanks()
            patterns.append(self.word())
            self.skip_blanks()
            self.position += 1
            if self.text[self.position - 1 : self.position] == ")":
                return patterns
            if self.text[self.position - 1 : self.position] != "|":
                raise Unreadable("a pattern of `case` cannot be parsed")

    def _case_end(self) -> bool:
        self._skip_lines()
        for end in (";;&", ";;", ";&"):
            if self.at(end):
                self.position += len(end)
                self._skip_lines()
                return True
        return False

    def _function(self) -> Node:
        found = _WORD_OF_FUNCTION.match(self.text, self.position, self.end)
        if not found:
            raise Unreadable("a function definition cannot be parsed")
        return self._function_body(found)

    def _function_body(self, found: "re.Match[str]") -> Node:
        self.position = found.end()
        self._skip_lines()
        self._deeper()
        if self.peek() != "(" and self._reserved() not in {"{", "if", "while", "until", "for", "case", "[["}:
            raise Unreadable("the body of a function cannot be parsed")
        body = self._command()
        self.depth -= 1
        return Function(found[1], body)

    # Simple commands

    def _simple(self) -> Node:
        self._count()
        start = self.position
        assignments: list[Assignment] = []
        words: list[Word] = []
        redirections: list[Redirection] = []
        end = start
        while True:
            if not self._piece(assignments, words, redirections):
                break
            end = self.position
            self.skip_blanks()
        if not (assignments or words or redirections):
            raise Unreadable("a command was expected")
        self._note(assignments, words)
        return SimpleCommand(tuple(assignments), tuple(words), tuple(redirections), self.text[start:end], start)

    def _piece(self, assignments: list[Assignment], words: list[Word], redirections: list[Redirection]) -> bool:
        self._refuse_unless_timed(words)
        if self._redirection(redirections):
            return True
        if self.peek() in {"", "\n", ";", "&", "|", ")"}:
            return False
        if self._at_comment():
            return False
        if self.peek() == "(":
            raise Unreadable("there is an unexpected `(` in a command")
        if not words and (assigned := self.assignment()):
            assignments.append(assigned)
            return True
        if words and words[0].source in _DECLARING:
            self._declared(words)
            return True
        if not words:
            self.marks.add(("command", self.position))
        elif words[0].source not in _READ_AS_A_WHOLE:
            self.marks.add(("word", self.position))
        words.append(self.word())
        if self._waiting and "\n" in words[-1].source:
            raise Unreadable("a here-document starts before a word ends")
        return True

    def _refuse_unless_timed(self, words: list[Word]) -> None:
        """Raise Unreadable if something other than a simple command follows the reserved word `time`, such as a
        condition, a group or a declaration."""
        if not words or len(words) > 2 or [each.source for each in words] not in (["time"], ["time", "-p"]):
            return
        self.join_ahead(_IN_COMMAND_NAME)
        if len(words) == 1 and self.at("-p "):
            return
        found = _TIMED.match(self.text, self.position, self.end)
        if not found or found[0] in _NOT_TIMED:
            raise Unreadable("`time` is followed by something other than the name of a command")

    def _declared(self, words: list[Word]) -> None:
        start = self.position
        assigned = self.assignment()
        if assigned is None:
            words.append(self.word())
            return
        if assigned.elements:
            raise Unreadable("an array is declared")
        prefix = self.text[start : assigned.value.start]
        parts = (Text(prefix, quoted=True), *assigned.value.parts)
        words.append(Word(parts, assigned.source, start, self.position, declares=True))
        self._assigned.append(assigned.name)

    def _count(self) -> None:
        self._commands += 1
        if self._commands > MAX_COMMANDS:
            raise Unreadable(f"the command contains more than {MAX_COMMANDS} simple commands")

    def _note(self, assignments: list[Assignment], words: list[Word]) -> None:
        """Record the variables that a command sets, and its changes of directory. The parser of an enclosing loop needs
        them."""
        if not words:
            self._assigned.extend(each.name for each in assignments)
        if any(word.source in _MOVERS for word in words):
            self._moves += 1
        if words and words[0].source in {"read", "mapfile", "readarray", "getopts", "printf", "unset"}:
            self._assigned.extend(word.source for word in words[1:])
