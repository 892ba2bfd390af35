"""xargs(): the usage of `xargs`, whose input becomes words of the command that it runs."""

from collections.abc import Sequence
from typing import Final

from tools_app.permission.shell.options import ParsedArguments, parse_arguments
from tools_app.permission.shell.tables_wrappers import XARGS
from tools_app.permission.shell.usage import CommandUsage, usage_of_options
from tools_app.permission.shell.words import UNKNOWN, Field

XARGS_INPUT: Final = "the input of xargs"
_REPLACES: Final = frozenset({"-I", "-i", "--replace"})
_SPLITS: Final = frozenset({"-n", "-L", "-l", "--max-args", "--max-lines"})


def xargs(args: Sequence[Field]) -> CommandUsage:
    """Return the usage of `xargs`, with one inner command for each placeholder that its input may replace."""
    found = parse_arguments("xargs", args, XARGS)
    usage = usage_of_options(found)
    rest = found.rest or [Field("echo")]
    for mark in _marks(found, usage):
        words = " ".join(each.text for each in rest)
        usage.templates.append(words.replace(mark, UNKNOWN) if mark else f"{words} {UNKNOWN}")
        if mark:
            usage.inner.append([_with_input(each, mark) for each in rest])
        else:
            usage.inner.append([*rest, Field("", known=False, split=True, source=XARGS_INPUT, is_input=True)])
    return usage


def _marks(found: ParsedArguments, usage: CommandUsage) -> list[str]:
    """Return the texts that `xargs` may replace by its input; "" if it appends its input.

    The last option decides. An option that splits the input turns replacing off, but versions of xargs differ.
    """
    marks = [""]
    for name, value in found.options:
        if name in _REPLACES:
            if value is not None and (not value.known or value.pattern is not None or not value.text):
                usage.doubt("it is not known what `xargs` replaces")
            marks = [value.text if value is not None else "{}"]
        elif name in _SPLITS and "" not in marks:
            marks.append("")
    return marks


def _with_input(word: Field, mark: str) -> Field:
    """Return a word of the command that `xargs` runs. If the word contains `mark`, only its beginning is known."""
    if mark not in word.text:
        return word
    before = word.text.partition(mark)[0]
    return Field(word.text, known=False, source=word.source, before=before, is_input=True)
