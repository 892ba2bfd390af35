"""The analysis of a shell text: two readings that must agree, a walk over one of them, and what follows from it."""

import re
from pathlib import PurePosixPath
from typing import Final

from tools_app.permission.shell.grammar import read
from tools_app.permission.shell.lexer import Unreadable
from tools_app.permission.shell.model import Command, ShellAnalysis
from tools_app.permission.shell.parse import Opinion, second_opinion
from tools_app.permission.shell.record import Record
from tools_app.permission.shell.state import State
from tools_app.permission.shell.syntax import Word
from tools_app.permission.shell.walk import Walk

LONGEST_UNREADABLE: Final = 4_000
"""Characters of a text without sense that tree-sitter is asked about; its time grows with the square."""
LONGEST_WORD: Final = 500
"""Characters in a row without a blank or a quote. In a longer row of odd signs tree-sitter's time does the same."""
MOST_LEVELS: Final = 4
"""How many shell texts may stand in each other (`bash -c "bash -c ..."`)."""

_STRANGE: Final = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ud800-\udfff]|(?! )[^\S\n\t]"
)
_LONG_WORD: Final = re.compile(rf"(?<![^\s'\"])[^\s'\"]{{{LONGEST_WORD},}}")


def analyze(command: str, *, cwd: PurePosixPath, root: PurePosixPath, home: PurePosixPath) -> ShellAnalysis:
    """What `bash -c command` would do, run in `cwd`. Total: any text has an answer, and time grows with its length."""
    record = Record(str(root))
    analysis = _Analysis(record)
    readable = True
    try:
        readable = analysis.look_at(command, State((str(cwd),), str(home)))
        record.check_links()
        record.check_runs()
    except RecursionError:
        record.doubt("it is nested too deeply")
    return _result(command, record, readable=readable)


class _Analysis(Walk):
    def __init__(self, record: Record) -> None:
        super().__init__(record)
        self._level = 0

    def nested(self, text: str, state: State) -> None:
        if self._level >= MOST_LEVELS:
            self.record.doubt("shell texts stand in each other too deeply")
            return
        self._level += 1
        self.look_at(text, state)
        self._level -= 1

    def _substitutions_of(self, word: Word, state: State) -> None:
        self._substitutions(word.parts, state)

    def look_at(self, text: str, state: State) -> bool:
        """False when the text was not understood; then its commands are listed as far as anybody can."""
        if strange := _STRANGE.search(text):
            self.record.doubt(f"it holds a character that does not show (U+{ord(strange[0]):04X})")
        try:
            reading = read(text)
        except Unreadable as problem:
            self._give_up(text, str(problem))
            return False
        if long := _LONG_WORD.search(text):
            self.record.doubt(f"it holds a word that is too long to look into ({long[0][:20]}…)")
        opinion = second_opinion(text[:LONGEST_UNREADABLE] if strange or long else text)
        self.script(reading.script, state)
        if opinion.broken or opinion.starts != reading.starts:
            self.record.doubt("it can be read in more than one way")
            self._list(opinion)
            return False
        return True

    def _give_up(self, text: str, problem: str) -> None:
        self.record.doubt(problem)
        self.record.never = True
        self._list(second_opinion(text[:LONGEST_UNREADABLE]))

    def _list(self, opinion: Opinion) -> None:
        self.record.never = True
        for source in opinion.commands:
            self.record.pattern(source)
            self.record.spellings.setdefault(source.partition(" ")[2])
            self.record.commands.append(Command((source,), source))


def _result(command: str, record: Record, *, readable: bool) -> ShellAnalysis:
    complete = not record.reasons
    patterns = tuple(record.patterns)
    if not patterns or not readable:
        patterns = tuple(dict.fromkeys((command, *patterns)))
    return ShellAnalysis(
        patterns=patterns,
        always=tuple(record.always) if complete and not record.never else (),
        external_directories=tuple(record.outside),
        complete=complete,
        reasons=tuple(record.reasons),
        commands=tuple(record.commands),
        redirects=tuple(record.redirects),
        paths=tuple(record.paths),
        repositories=tuple(record.repositories),
        spellings=tuple(each for each in record.spellings if each not in record.patterns),
        rememberable=readable and not record.never,
    )
