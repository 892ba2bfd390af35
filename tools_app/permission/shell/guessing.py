"""GuessWalker: records the possible meanings of commands with unknown words."""

import re
from collections.abc import Iterable, Sequence
from itertools import islice, pairwise
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.assignments import NOWHERE, STANDS_FOR
from tools_app.permission.shell.debuggers import commands_in_debugger, is_debugger
from tools_app.permission.shell.git_places import WORK_TREE, is_usual
from tools_app.permission.shell.guesses import formatted, guessed
from tools_app.permission.shell.login_variables import logins_of_variable
from tools_app.permission.shell.state import State
from tools_app.permission.shell.syntax import Assignment, Redirection
from tools_app.permission.shell.touching import PathWalker
from tools_app.permission.shell.usage import CommandUsage
from tools_app.permission.shell.variable_commands import commands_of_value
from tools_app.permission.shell.words import UNKNOWN, Field

PRINTERS: Final = names("echo printf")
_READERS: Final = names("read mapfile readarray")
_EVALUATES: Final = names("declare export getopts let local mapfile read readarray readonly test typeset unset wait [")
"""Builtins that use words as names of variables, or calculate them."""
_ELEMENT: Final = re.compile(r"[A-Za-z_]\w*\[")
_PROMPT: Final = re.compile(r"PS[0-4]")
_SUBSTITUTES: Final = ("$(", "`")
_END: Final = "END_OF_VALUE"
_MAX_INPUTS: Final = 8  # texts that are tried as the input of one command
_BETWEEN_WORDS: Final = re.compile(r"[\s:,;]+")
_WORKING_DIRECTORY: Final = re.compile(
    r"\$(?:OLD)?PWD\b|\$\{(?:OLD)?PWD\}|\$\(pwd\)|`pwd`|(?<![\w/])~[+-](?![\w+-])"
    r"|\$\(git rev-parse --show-toplevel\)",
    re.ASCII,
)
"""The working directory, one before it, and the root of the workspace."""
_PARTS: Final = re.compile(r"[:\s=+]+")
_MAX_PARTS: Final = 100  # of the value of a variable
_SUBSCRIPT: Final = re.compile(r"\[(\w+)\]=(.*)", re.DOTALL)


class GuessWalker(PathWalker):
    """The part of the walker that guesses the meaning of unknown words. Guesses are used for rules that ask or deny;
    they never make an analysis complete."""

    def nested(self, text: str, state: State) -> None:
        """Analyse a text that a command passes to another shell, or that bash runs."""
        raise NotImplementedError

    def evaluate(self, text: str, state: State) -> None:
        """Analyse the substitutions in a text that bash expands."""
        if any(each in text for each in _SUBSTITUTES):
            self.nested(f": <<{_END}\n{text}\n{_END}", state.unknown())

    def evaluate_subscript(self, text: str, state: State) -> None:
        """Analyse the substitutions in the subscript of a name (`a[$(x)]`). bash expands it when it uses the name."""
        self.evaluate(text.partition("[")[2], state)

    def evaluate_elements(self, words: Iterable[str], state: State) -> None:
        """Analyse the subscripts in words that are names of elements: a later calculation may use them."""
        for each in filter(_ELEMENT.match, words):
            self.evaluate_subscript(each, state)

    def _run_prompt(self, name: str, values: Iterable[str], state: State) -> None:
        """Analyse the commands in the value of a variable that bash runs, or expands, before and after commands."""
        for value in islice(values, _MAX_INPUTS):
            if name == "PROMPT_COMMAND":
                self.nested(value, state.unknown())
            elif _PROMPT.fullmatch(name):
                self.evaluate(value, state)
            for text in commands_of_value(name, value):
                self.record.guess(text, state.folders)
                self.record.possible_texts.setdefault(text)

    def _values(self, source: str, state: State) -> Sequence[str]:
        return guessed(source, state.environment(), self.record.guessed_values, self.record.guessed_files)

    def _guess_value(self, assignment: Assignment, state: State) -> None:
        """Record the possible contents of a variable or an array."""
        values, name = self.record.guessed_values, assignment.name
        texts = [*self._values(assignment.value.source, state)[:1], assignment.value.source.strip("'\"")][:1]
        if "+=" in assignment.source[: len(name) + 2]:
            known = [each.text for each in state.environment().lookup(name) if UNKNOWN not in each.text]
            texts = [f"{(known or [values.get(name, '')])[0]}{texts[0]}"]
        values[name] = texts[0]
        self.evaluate_subscript(texts[0], state)
        if assignment.elements:
            given = [_SUBSCRIPT.fullmatch(each.source) for each in assignment.elements]
            plain = [found[2] if found else each.source for found, each in zip(given, assignment.elements, strict=True)]
            elements = [[*self._values(each, state), each.strip("'\"")][0] for each in plain]
            keys = [found[1] if found else str(index) for index, found in enumerate(given)]
            values |= {f"{name}[{key}]": text for key, text in zip(keys, elements, strict=True)}
            values[name] = " ".join(elements)
            self._run_prompt(name, elements, state)

    def _guess(self, fields: Sequence[Field], state: State) -> None:
        """Record the possible meanings of a command that is only partly known, or that may be an alias."""
        for alias in self.record.aliases if len(fields) > 1 else ():
            words = [fields[0].text, *alias.split(), *(each.text for each in fields[2:])]
            self.record.guess(" ".join(words), state.folders)
        if all(each.known for each in fields):
            return
        for text in self._values(" ".join(each.source or each.text for each in fields), state):
            self.record.guess(text, state.folders)

    def _guess_input(self, name: str, args: Sequence[Field], usage: CommandUsage, state: State) -> None:
        """Record the commands that run when a command such as `xargs` inserts its input into the words of another
        command, or when a debugger reads its commands from its input or from files that the text writes."""
        for template in usage.templates:
            for text in self.record.input_texts[:_MAX_INPUTS]:
                self.record.guess(template.replace(UNKNOWN, text.strip()), state.folders)
        if is_debugger(name):
            typed = self.record.input_texts[:_MAX_INPUTS]
            named = {word for text in (*(each.text for each in args), *typed) for word in re.split(r"[\s=]+", text)}
            files = [text for file, text in self.record.guessed_files.items() if file in named]
            for command in commands_in_debugger(args, [*typed, *files]):
                self.record.guess(command.text, state.folders)

    def value_names(self, name: str, source: str, state: State) -> None:
        """Record the files that the value of a variable may name, because a program that gets the variable may read or
        write these files."""
        if name in STANDS_FOR and source and source not in NOWHERE:
            self.touch(Field(STANDS_FOR[name]), "write", state)
        if name == WORK_TREE and not is_usual(source.strip("'\"")):
            self.touch(Field(source.strip("'\"")), "folder", state)
        if "ALIAS" in name:
            self.record.aliases[source.strip("'\"")] = None
        texts = self._values(_WORKING_DIRECTORY.sub(".", source), state)
        plain = texts or [_WORKING_DIRECTORY.sub(".", source.strip("'\""))]
        self._run_prompt(name, plain, state)
        for words in logins_of_variable(name, plain[:_MAX_INPUTS]):
            self.record.spellings.setdefault(" ".join(each.text for each in words))
        self.evaluate_elements(plain[:_MAX_INPUTS], state)
        parts = dict.fromkeys(part for text in plain for part in (text, *_PARTS.split(text)) if part)
        if len(parts) > _MAX_PARTS:
            self.record.doubt(f"the value of {name} may name too many files to list")
        fields = [Field(part) for part in islice(parts, _MAX_PARTS)]
        self._may_name(fields, state)
        self._may_touch(fields, state)

    def _keep_texts(self, name: str, args: Sequence[Field], state: State) -> None:
        """Record the texts that a command such as `echo` or `find -printf` may print, and the possible values of
        variables that a command such as `read` sets."""
        self.record.guessed_values["_"] = args[-1].text if args and args[-1].known else ""
        if name in PRINTERS:
            self._print(name, args, state)
        is_target = name == "printf" and args and args[0].text[:2] == "-v"
        for each in args if name in _EVALUATES else args[:2] if is_target else ():
            self.evaluate_subscript(each.text, state)
        self.evaluate_elements((each.text for each in args if name not in _EVALUATES), state)
        if name == "set":  # the names become parameters
            globs = [each for each in args if each.pattern is not None]
            self.record.kept_names += (self.glob_use(each, folder) for each in globs for folder in state.folders)
        if name == "find":
            for each, value in pairwise(args):
                if each.text == "-printf":
                    self.record.prints(formatted([value.text]))
        if name in _READERS:
            text = " ".join(self.record.input_texts)
            variables = [each.text for each in args if each.text[:1] != "-"] or ["REPLY"]
            size = len(variables) - 1
            words = _BETWEEN_WORDS.split(text.strip(), maxsplit=size) if size else [text.strip()]
            self.record.guessed_values |= dict(zip(variables, words, strict=False))
            for variable, text in zip(variables, words, strict=False):
                self._run_prompt(variable, [text], state)

    def _print(self, name: str, args: Sequence[Field], state: State) -> None:
        words = [each.text if each.known else each.source for each in args]
        self.record.prints(" ".join(words))
        variable = words[1] if words[:1] == ["-v"] and words[1:] else ""
        text = formatted(words[2:] if variable else words) if name == "printf" else ""
        if text and text != " ".join(words):
            self.record.prints(text)
            self.record.guesses.setdefault(text)
        if variable:
            self.record.guessed_values[variable] = text
            self._run_prompt(variable, [text], state)
        for each in args:
            if each.pattern is not None:
                self._print_names([each], state)

    def _bind(self, parameters: Sequence[Field]) -> None:
        """Record the known values of `$0`, `$1` and so on, and of `$@` and `$*`, as possible values of these
        variables."""
        values = [each.text for each in parameters if each.known]
        self.record.guessed_values |= {str(index): text for index, text in enumerate(values)}
        self.record.guessed_values |= dict.fromkeys("@*", " ".join(values[1:]))

    def _insert_parameters(self, parameters: Sequence[Field], state: State) -> None:
        """Record the names of files that another command, such as `find`, passes as parameters to the shell code it
        starts."""
        mark = self.record.mark()
        for each in parameters:
            if each.pattern is not None:
                self._print_names([each], state)
        piped = self.record.piped if any(not each.known for each in parameters) else ()
        self.record.inserted = (*self.record.inserted, *piped, *self.record.names_since(mark))

    def _keep_files(self, redirections: Iterable[Redirection], printed: int) -> None:
        """Record the text that redirections write into a file, or the text of a written file that redirections read."""
        for each in redirections:
            name = each.target.source.strip("'\"")
            if each.operator in {">", ">>", ">|"} and len(self.record.printed) > printed:
                self.record.guessed_files[name] = "\n".join(self.record.printed[printed:])
            elif each.operator == "<" and name in self.record.guessed_files:
                self.record.input_texts = (*self.record.input_texts, self.record.guessed_files[name])
