"""Parser for lists, `&&`/`||` chains and pipelines of commands. `grammar` parses the commands themselves."""

import re
from typing import Final

from tools_app.permission.shell.cursor import Unreadable
from tools_app.permission.shell.redirections import RedirectionReader
from tools_app.permission.shell.syntax import Chain, Node, Pipeline, Script

_RESERVED: Final = re.compile(
    r"(?:if|then|elif|else|fi|while|until|for|do|done|case|esac|select|function|coproc|in|\{|\}|!|\[\[)(?=[\s;&|<>()]|$)"
    r"(?![<>]\()"  # a process substitution belongs to the word
)
_IN_RESERVED: Final = re.compile(r"[a-z{}!\[]+")
_CLOSING_WORDS: Final = frozenset({"then", "elif", "else", "fi", "do", "done", "esac", "}", "in"})


class ListReader(RedirectionReader):
    def _command(self) -> Node:
        raise NotImplementedError

    def script_until(self, closing: str) -> Script:
        """Read commands up to `closing`: ")", which is consumed, or "" for the end of the text being read."""
        self._deeper()
        waiting, self._waiting = self._waiting, []
        items = self._items()
        if self._waiting:
            self._read_here_documents(at_end=True)
        self._waiting = waiting
        if closing == ")":
            if self.peek() != ")":
                raise Unreadable("a bracket is not closed")
            self.position += 1
        elif self.position < self.end:
            raise Unreadable("there is an unexpected bracket or word")
        self.depth -= 1
        return Script(tuple(items))

    def _items(self) -> list[tuple[Node, bool]]:
        """Read commands up to a closing bracket, a closing reserved word, `;;` or the end. Return each command with a
        flag: True if it runs in the background."""
        items: list[tuple[Node, bool]] = []
        self._skip_lines()
        while self.position < self.end and not self._at_closing():
            node = self._chain()
            self.skip_blanks()
            background = self.peek() == "&" and not self.at("&&")
            items.append((node, background))
            if not self._separator():
                break
            self._skip_lines()
        return items

    def _separator(self) -> bool:
        self._skip_comment()
        char = self.peek()
        if char == "\n":
            return True
        if char in {";", "&"} and not self.at(";;") and not self.at(";&"):
            self.position += 1
            return True
        return False

    def _skip_lines(self) -> None:
        while True:
            self.skip_blanks()
            self._skip_comment()
            if self.peek() != "\n":
                return
            self.position += 1
            self._read_here_documents(at_end=False)

    def _at_comment(self) -> bool:
        return self.peek() == "#" and self.before() in {"", *" \t\n;&|()`"}

    def _skip_comment(self) -> None:
        if self._at_comment():
            line_end = self.text.find("\n", self.position, self.end)
            self.position = self.end if line_end < 0 else line_end

    def _at_closing(self) -> bool:
        if self.peek() in {")", ";", "&", "|"}:
            return True
        return self._reserved() in _CLOSING_WORDS

    def _reserved(self) -> str:
        self.join_ahead(_IN_RESERVED)
        found = _RESERVED.match(self.text, self.position, self.end)
        return found[0] if found else ""

    def _expect(self, word: str) -> None:
        self._skip_lines()
        if self._reserved() != word:
            raise Unreadable(f"`{word}` was expected")
        self.position += len(word)

    def _body(self) -> Script:
        self._deeper()
        items = self._items()
        self.depth -= 1
        if not items:
            raise Unreadable("a command was expected")
        if self.peek() == ";" and not self.at(";;") and not self.at(";&"):
            raise Unreadable("there is an unexpected `;`")
        return Script(tuple(items))

    def _chain(self) -> Node:
        first = self._pipeline()
        rest: list[tuple[str, Node]] = []
        while True:
            self.skip_blanks()
            operator = self.text[self.position : min(self.position + 2, self.end)]
            if operator not in {"&&", "||"}:
                return Chain(first, tuple(rest)) if rest else first
            self.position += 2
            self._skip_lines()
            rest.append((operator, self._pipeline()))

    def _pipeline(self) -> Node:
        negated = self._reserved() == "!"
        if negated:
            self.position += 1
            self.skip_blanks()
        commands = [self._command()]
        while True:
            self.skip_blanks()
            if self.peek() != "|" or self.at("||"):
                break
            self.position += 2 if self.at("|&") else 1
            self._skip_lines()
            commands.append(self._command())
        return Pipeline(tuple(commands), negated) if negated or len(commands) > 1 else commands[0]
