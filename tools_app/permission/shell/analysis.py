"""analyze(): parse a shell text with two parsers that must agree, walk the syntax tree, and return a ShellAnalysis."""

import re
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Final

from tools_app.permission.shell import paths
from tools_app.permission.shell.copied_programs import named_programs, runs_of_copies, runs_of_scripts
from tools_app.permission.shell.cursor import Unreadable
from tools_app.permission.shell.given_arguments import with_arguments
from tools_app.permission.shell.grammar import read
from tools_app.permission.shell.guesses import guessed
from tools_app.permission.shell.implied import MAX_WORDS, implied_files, usage_of_text
from tools_app.permission.shell.literals import with_options, with_values
from tools_app.permission.shell.mentions import MAX_MENTIONS, mentioned
from tools_app.permission.shell.model import Command, NewBranch, ShellAnalysis
from tools_app.permission.shell.other_globs import ANY_CASE, SHELLS, SHOWS_HIDDEN, globs_of_others
from tools_app.permission.shell.parse import Opinion, second_opinion
from tools_app.permission.shell.quote_operators import with_usual_quotes
from tools_app.permission.shell.record import Record
from tools_app.permission.shell.rehearsal import Rehearsed, rehearse
from tools_app.permission.shell.state import State
from tools_app.permission.shell.syntax import Word
from tools_app.permission.shell.typed_keys import typed_texts
from tools_app.permission.shell.unlisted_actions import unlisted_actions
from tools_app.permission.shell.walk import ScriptWalker
from tools_app.permission.shell.words import Environment, Field
from tools_app.permission.shell.written_runs import check_runs

MAX_UNREADABLE_CHARS: Final = 4_000
"""If our parser cannot read a text, only its beginning goes to tree-sitter, whose time is quadratic for such texts."""
MAX_WORD_CHARS: Final = 500
"""Characters without a blank or a quote. In longer runs of unusual characters, tree-sitter's time is quadratic too."""
MAX_CODE_CHARS: Final = 10_000
"""If a text is not complete, names for texts are looked for in its beginning."""
MAX_CODE_FOLDERS: Final = 16
MAX_VARIABLE_TEXTS: Final = 4
"""Values of variables that are simulated because a program may give them to a shell."""
MAX_NESTED_TEXTS: Final = 4
"""Depth to which shell texts inside shell texts (`bash -c "bash -c ..."`) are analysed."""

_STRANGE: Final = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ud800-\udfff]|(?! )[^\S\n\t]"
)
_ASSIGNED: Final = re.compile(r"(?<![\w${])(\w+(?:\[\w+\])?)\]?=([^\s;&|()]+)")
_MATCHED: Final = re.compile(r"\[\[\s+(\S{1,200})\s+=~\s+(\S{1,50})\s+\]\]")
_MAX_REPEATS: Final = 2  # in an expression that is compared, so that it takes little time
_SET_BY_SHELL: Final = re.compile(
    r"\b(?:BASH_REMATCH|BASH_COMMAND|BASH_EXECUTION_STRING|BASH_ARGV|MAPFILE|OPTARG|DIRSTACK|COPROC|command_not_found_handle)\b"
)
"""Variables whose values may be any part of the text."""
_AS_PROMPT: Final = "@P}"
_LITERAL: Final = re.compile(r"'([^']*)'|\"((?:[^\"\\]|\\.)*)\"", re.DOTALL)
_ESCAPED: Final = re.compile(r"\\([$`])")
_MAX_LITERALS: Final = 20  # of a text that cannot be parsed
_LONG_WORD: Final = re.compile(rf"(?<![^\s'\"])[^\s'\"]{{{MAX_WORD_CHARS},}}")


def analyze(command: str, *, cwd: PurePosixPath, root: PurePosixPath, home: PurePosixPath) -> ShellAnalysis:
    """Return the analysis of `bash -c command` in the working directory `cwd`.

    Never fails, for any text. The time is linear in the length of `command`.
    """
    record = Record(str(root), str(cwd))
    record.guessed_values |= dict.fromkeys(("USER", "LOGNAME"), home.name)
    record.reads_operands = "POSIXLY_CORRECT" in command
    for found in _MATCHED.finditer(command):
        record.guessed_values |= dict.fromkeys(("BASH_REMATCH", "BASH_REMATCH[0]"), _matched(found[1], found[2]))
    analysis = _Analysis(record)
    readable = True
    try:
        readable = analysis.analyze_text(command, State((str(cwd),), str(home)))
        for text in typed_texts(record.commands):
            analysis.nested(text, State((str(cwd),), str(home)))
            record.guess(text, (record.start,))
        record.follow_links()
        record.check_links()
        record.check_made_folders()
        record.check_copies()
        record.check_ignore_files()
        check_runs(record)
        record.check_options()
        record.check_hidden(command)
        record.check_project_variables()
    except RecursionError:
        record.doubt("the command is nested too deeply")
    if record.reasons and _SET_BY_SHELL.search(command):
        record.code([command], record.visited)
    copies = runs_of_copies(named_programs(command, record.commands), record.commands)
    texts = "\n".join((command, *record.printed))
    written = (use.path.rpartition("/")[2] for use in record.paths if use.mode == "write")
    for each in (*copies, *runs_of_scripts(texts, record.commands, (*record.spellings, *written))):
        record.spellings.setdefault(each)
        record.guess(each, (record.start,))
    if record.reasons and _has_other_globs(command, record):
        record.code([f"'{each}'" for each in globs_of_others(command)], (record.start,))
    if record.reasons or record.run_texts():
        _rehearse(command, record, str(home))
    return _result(command, record, readable=readable)


def _has_other_globs(command: str, record: Record) -> bool:
    programs = (each.words[0].rpartition("/")[2] for each in record.commands if each.words)
    return any(each.search(command) for each in (SHOWS_HIDDEN, ANY_CASE)) or not SHELLS.isdisjoint(programs)


def _rehearse(command: str, record: Record, home: str) -> None:
    """Record the commands that a partly unknown shell text would run, unless they are already recorded."""
    texts = {text for each in record.commands for text in (each.text, " ".join(each.words))}
    known = {" ".join(text.split()) for text in texts}  # the player gives words without their quotes
    found = rehearse(command, folder=record.start, home=home)
    for text in list(record.possible_texts)[:MAX_VARIABLE_TEXTS]:
        found = (*found, *rehearse(text, folder=record.start, home=home))
    for each in found:
        if " ".join(each.text.split()) not in known:
            record.guess(each.text, (each.folder,))
            _record_implied(each, record)
    for line in (*with_values(command[:MAX_CODE_CHARS]), *with_options(command[:MAX_CODE_CHARS])):
        record.guess(line, (record.start,))


def _record_implied(command: Rehearsed, record: Record) -> None:
    """Record files and branches that a command changes although its words do not name them, and what its action counts
    as. The command is a possible meaning of a partly unknown text."""
    usage = usage_of_text(command.text)
    name, *words = command.text.split()[:MAX_WORDS] or [""]
    for each in unlisted_actions(name, [*map(Field, words)]):
        record.guess(" ".join(word.text for word in each), (command.folder,))
    if files := tuple(implied_files(usage, command.text)):
        record.code(files, (command.folder,))
    for revision, decider in usage.branches:
        record.branches.setdefault(NewBranch(command.folder, "*" if "*" in revision.text else revision.text, decider))


def _matched(text: str, expression: str) -> str:
    """Return the part of a text that a regular expression matches, without quotes; the whole text if nothing matches or
    the expression is too complex."""
    text, expression = text.strip("'\""), expression.strip("'\"")
    if sum(map(expression.count, "*+?{")) > _MAX_REPEATS:
        return text
    try:
        found = re.search(expression, text)
    except re.error:
        return text
    return found[0] if found else text


class _Analysis(ScriptWalker):
    """A walker that analyses a shell text and the shell texts nested in it, and records its findings."""

    def __init__(self, record: Record) -> None:
        super().__init__(record)
        self._level = 0

    def nested(self, text: str, state: State) -> None:
        if self._level >= MAX_NESTED_TEXTS:
            self.record.doubt("shell commands are nested too deeply")
            return
        self._level += 1
        self.analyze_text(text, state)
        self._level -= 1

    def _substitutions_of(self, word: Word, state: State) -> None:
        self._substitutions(word.parts, state)

    def analyze_text(self, text: str, state: State) -> bool:
        """Analyse `text`. Returns False if it cannot be parsed; then only the commands that were found are recorded."""
        if strange := _STRANGE.search(text):
            self.record.doubt(f"the command contains an invisible character (U+{ord(strange[0]):04X})")
        try:
            reading = read(text)
        except Unreadable as problem:
            self._give_up(problem.text, str(problem))
            return False
        text = reading.text
        if long := _LONG_WORD.search(text):
            self.record.doubt(f"the command contains a word that is too long to analyse ({long[0][:20]}…)")
        opinion = second_opinion(text[:MAX_UNREADABLE_CHARS] if strange or long else text)
        self.script(reading.script, state)
        if opinion.unusual and not opinion.broken:
            self.record.doubt(f"the command contains a construct that is not analysed ({opinion.unusual})")
        if opinion.broken or opinion.marks != reading.marks:
            self.record.doubt("the command can be parsed in more than one way")
            self._list(opinion, text)
            return False
        return True

    def _give_up(self, text: str, problem: str) -> None:
        self.record.doubt(problem)
        self.record.once_only = True
        self._evaluate_literals(text[:MAX_UNREADABLE_CHARS])
        self._list(second_opinion(text[:MAX_UNREADABLE_CHARS]), text[:MAX_UNREADABLE_CHARS])

    def _evaluate_literals(self, text: str) -> None:
        """Analyse the commands in literals that bash may expand once more: as a prompt (`${x@P}`), or in subscripts."""
        literals = dict.fromkeys(_ESCAPED.sub(r"\1", each[1] or each[2] or "") for each in _LITERAL.finditer(text))
        evaluate = self.evaluate if _AS_PROMPT in text else self.evaluate_subscript
        for each in list(literals)[:_MAX_LITERALS]:
            evaluate(each, State((self.record.start,), None))

    def _list(self, opinion: Opinion, text: str) -> None:
        """Record the commands that tree-sitter finds, and their probable expansions with the values of assignments in
        the text."""
        self.record.once_only = True
        values = {name: value.strip("'\"") for name, value in _ASSIGNED.findall(text)}
        nothing = Environment({}, (self.record.start,), None)
        for source in opinion.commands:
            self.record.pattern(source)
            for guess in guessed(source, nothing, values):
                self.record.guess(guess, (self.record.start,))
            self.record.spellings.setdefault(source.partition(" ")[2])
            self.record.commands.append(Command((source,), source))


def _result(command: str, record: Record, *, readable: bool) -> ShellAnalysis:
    complete = not record.reasons
    patterns, mentions = tuple(record.patterns), _mentions(command, record)
    codes = (*_codes(command, record, readable=readable), *record.run_texts())
    if not patterns or not readable:
        patterns = tuple(dict.fromkeys((command, *patterns)))
    return ShellAnalysis(
        patterns=patterns,
        always=tuple(record.always) if complete and not record.once_only else (),
        external_directories=tuple(record.outside),
        complete=complete,
        reasons=tuple(record.reasons),
        commands=tuple(record.commands),
        redirects=tuple(record.redirects),
        paths=tuple(record.paths),
        possible=tuple(record.possible),
        words=tuple(record.words),
        names=tuple(record.names),
        followed=tuple(record.followed),
        repositories=tuple(record.repositories),
        branches=tuple(record.branches),
        patches=tuple(record.patches),
        spellings=tuple(each for each in record.spellings if each not in record.patterns),
        mentions=mentions,
        too_long=len(mentions) >= MAX_MENTIONS,
        codes=(*codes, *with_usual_quotes(codes)),
        code_folders=_code_folders(record),
        rememberable=readable and not record.once_only,
    )


def _code_folders(record: Record) -> tuple[str, ...]:
    """Return the folders in which code may name files.

    They are the folders in which the code runs, folders that an uncertain text may enter, and the folders of files that
    the shell text writes.
    """
    written = (paths.normal(use.path).rpartition("/")[0] for use in record.paths if use.mode == "write")
    beside = written if record.printed else ()
    visited = record.visited if record.reasons and len(record.visited) > 1 else ()
    return tuple(dict.fromkeys((*(record.code_folders or (record.root,)), *visited, *beside)))[:MAX_CODE_FOLDERS]


def _mentions(command: str, record: Record) -> tuple[str, ...]:
    texts = record.run_texts()
    if record.reasons:
        codes = [*record.codes, *record.printed]
        usual = with_usual_quotes((*codes, *texts))
        filled = [*usual, *with_arguments((*codes, *usual, *texts), record.commands)]
        return mentioned("\n".join((command, *record.guesses, *texts, *filled)), record.commands, (*codes, *filled))
    if not texts:
        return ()
    usual = [*texts, *with_usual_quotes(texts)]
    filled = with_arguments(usual, record.commands)
    return mentioned("\n".join((*usual, *record.guesses, *filled)), (), (*usual, *filled))


def _codes(command: str, record: Record, *, readable: bool) -> Iterable[str]:
    if not record.reasons:
        return record.codes if record.run_texts() else ()
    listed = readable and not record.too_many
    return record.all_codes() if listed else (command, *record.codes)
