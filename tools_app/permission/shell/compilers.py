"""Compilers that only convert source files to other files, unless an option says otherwise. They run nothing of the
project.

Options that are not listed may load plugins, run programs or write more files. An input that is not a source file may
be a linker script.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from tools_app.permission.names import ordered_names
from tools_app.permission.shell.nested_shells import touch_path_like
from tools_app.permission.shell.usage import CommandUsage, UnnamedTree
from tools_app.permission.shell.words import Field

_C_OPTION: Final = re.compile(
    r"-W(?:all|extra|error|pedantic|no-[\w-]+|error=[\w-]+|[a-km-oq-z][\w-]+)|-w|-O[0-3sgz]?|-g\d?|-ggdb|-[cSEM]|-MM"
    r"|-std=[\w+]+|-fsyntax-only|-fP(?:IC|IE)|-fsanitize=[\w,]+|-fno-[\w-]+|-pedantic|-pedantic-errors|-ansi|-pthread"
    r"|-shared|-m64|-m32|-D\w+(?:=[\w.]*)?|-U\w+|-l[\w+-]+",
    re.ASCII,
)
_C_SOURCE: Final = re.compile(r"[^@].*\.(?:c|cc|cpp|cxx|h|hpp|m|mm)", re.ASCII)
_JAVA_OPTION: Final = re.compile(r"-g|-nowarn|-parameters|-deprecation|-Xlint(?::[\w,-]+)?|-Werror|-verbose", re.ASCII)
_JAVA_WITH_TEXT: Final = frozenset({"-source", "-target", "--release", "-encoding", "--source", "--target"})
_JAVA_SOURCE: Final = re.compile(r"[^@].*\.java", re.ASCII)
_NO_LINKING: Final = frozenset({"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only"})
_WITHOUT_FILE: Final = frozenset({"-E", "-M", "-MM", "-fsyntax-only"})
_TARGETS: Final = ("-o", "-d", "-MF")
_PASSED: Final = re.compile(r"-W[lap],")
_TARGET: Final = re.compile(r"-o|--?[\w-]+=|-[A-Z]")
C_COMPILERS: Final = ordered_names("gcc g++ cc c++ clang clang++ c89 c99 c89-gcc c99-gcc musl-gcc")
_PRINTS: Final = frozenset({"--version", "-v", "-dumpversion", "-dumpmachine"})


@dataclass(frozen=True, slots=True)
class _Grammar:
    """The arguments with which a compiler runs no other program and writes nothing except its target."""

    option: re.Pattern[str]
    source: re.Pattern[str]
    folders: tuple[str, ...]
    """Options whose value is a folder to search, also without a blank."""
    texts: frozenset[str] = frozenset()
    """Options whose value is plain text."""


@dataclass(slots=True)
class _Words:
    """The arguments of a compiler, sorted by their meaning."""

    sources: list[Field] = field(default_factory=list)
    folders: list[Field] = field(default_factory=list)
    targets: list[Field] = field(default_factory=list)
    others: list[Field] = field(default_factory=list)

    def usage(self) -> CommandUsage:
        usage = CommandUsage()
        usage.touch(self.sources, "read")
        usage.touch(self.folders, "list")
        usage.touch(self.targets, "write")
        touch_path_like(usage, self.others)
        usage.touch([each for each in self.others if not each.text.startswith("-")], "read")  # it shows their lines
        usage.searches += self.folders
        for each in self.others:
            passed = _PASSED.match(each.text)  # `-Wl,-o,file`
            parts = each.text[passed.end() :].split(",") if passed else ()
            usage.touch([Field(_TARGET.sub("", part)) for part in parts if part != "-o"], "any")
        return usage


_RARE_FOLDERS: Final = ("-iquote", "-idirafter", "-iframework")
"""Options with a folder that are so rare that the compiler counts as a program that may read all of it."""
_C: Final = _Grammar(_C_OPTION, _C_SOURCE, ("-I", "-L", "-isystem", *_RARE_FOLDERS))
_JAVA: Final = _Grammar(_JAVA_OPTION, _JAVA_SOURCE, ("-cp", "-classpath"), _JAVA_WITH_TEXT)


def _c(name: str, args: Sequence[Field]) -> CommandUsage:
    words = {arg.text for arg in args}
    if len(args) == 1 and words <= _PRINTS:
        return CommandUsage()
    found = _sorted(args, _C)
    complete = not found.others and bool(found.targets or _NO_LINKING & words)
    if not found.targets and not _WITHOUT_FILE & words:
        ending = "s" if "-S" in words else "o"
        names = [each.text.rpartition("/")[2].rpartition(".")[0] for each in found.sources]
        found.targets += [Field(f"{each}.{ending}") for each in names]
        found.targets += [] if _NO_LINKING & words else [Field("a.out")]
    usage = found.usage()
    usage.runs += found.sources  # they name other files
    return usage if complete else usage.doubt(f"`{name}` may run programs or write other files")


def _preprocessor(args: Sequence[Field]) -> CommandUsage:
    """Return the usage of `cpp`, which reads its first operand, or its standard input, and writes its second."""
    usage = _c("cpp", [Field("-E"), *args])
    files = [each for each in args if not each.text.startswith("-") and each not in usage.searches]
    usage.touch(files[:1], "read")
    usage.touch(files[1:], "write")
    return usage if len(files) == 1 else usage.doubt("`cpp` may read its standard input, or write another file")


def _java(name: str, args: Sequence[Field]) -> CommandUsage:
    found = _sorted(args, _JAVA)
    complete = not found.others and not found.folders  # classes there may process annotations
    found.targets = found.targets or [Field(".")]
    usage = found.usage()
    usage.trees += [UnnamedTree(each, "write", "made", ("*.class",)) for each in found.targets]
    return usage if complete else usage.doubt(f"`{name}` may run programs or write other files")


def _sorted(args: Sequence[Field], grammar: _Grammar) -> _Words:
    found = _Words()
    # Each word `@file` stands for the words of that file, also where an option takes a value.
    found.others += [Field(each.text[1:], each.known) for each in args if each.text.startswith("@")]
    rest = list(args)
    while rest:
        word = rest.pop(0)
        joined = next((each for each in grammar.folders if word.text.startswith(each)), "")
        if not word.known or word.pattern is not None or word.split:
            found.others.append(word)
        elif word.text in _TARGETS and rest:
            found.targets.append(rest.pop(0))
        elif target := next((each for each in _TARGETS if word.text.startswith(each) and word.text != each), ""):
            found.targets.append(Field(word.text.removeprefix(target)))
        elif word.text in grammar.texts and rest:
            rest.pop(0)
        elif joined:
            folder = rest[:1] if word.text == joined else [Field(word.text.removeprefix(joined))]
            rest = rest[1:] if word.text == joined else rest
            found.folders += folder
            found.others += folder if joined in _RARE_FOLDERS else []
        elif grammar.source.fullmatch(word.text) and not word.text.startswith("-"):
            found.sources.append(word)
        elif not grammar.option.fullmatch(word.text):
            found.others.append(word)
    return found


COMPILERS: Final[Mapping[str, Callable[[Sequence[Field]], CommandUsage]]] = {
    **{name: partial(_c, name) for name in C_COMPILERS},
    "cpp": _preprocessor,
    "javac": partial(_java, "javac"),
}
