"""Find the commands that run programs under other names: copies (`cp /usr/bin/git g; ./g push`) and scripts whose first
line names a program (`#!/usr/bin/git`).

Many programs can copy a file. So any program file that a text names may have been copied, and any command that is not a
known program may be the copy. Likewise, any command may be a script whose first line stands in the text.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from tools_app.permission.shell.model import Command

_PROGRAM: Final = re.compile(
    r"(?<![\w.])/(?:usr/)?(?:local/)?(?:s?bin|lib/git-core)/([\w.+-]{1,40})"
    r"|(?:\$\(|`)\s{0,4}(?:which|command -v|type -[pP])\s{1,4}([\w.+-]{1,40})"
    r"|\b(?:which|command -v|type -[pP])\s{1,4}([\w.+-]{1,40})\s{0,4}\|(?!\|)"
)
_WELL_KNOWN: Final = re.compile(r"/(?:usr/(?:local/)?)?s?bin/[^/]+")
_OF_GIT: Final = re.compile(r"git-(?=[a-z])")
_MAX_PROGRAMS: Final = 4
_MAX_COPIES: Final = 20
_MAX_COMMANDS: Final = 40
_FIRST_LINE: Final = re.compile(
    r"#!\s{0,4}(?:\S{1,40}/)?(?:env\s{1,4}(?:-{1,2}(?![-S]|split)\S{1,40}\s{1,4})*(?:-[i0v]*S|--split-string)?[\s=]*)?"
    r"(?:\S{1,40}/)?(?P<program>[\w.+-]{1,40})(?P<words>[^\n\\'\"]{0,100})"
)
"""The beginning of a script: the kernel starts the program with these words, the script's name, and its arguments."""
_USUAL: Final = re.compile(r"(?:ba|da|z|fi|k|c|tc)?sh|(?:python|node|perl|ruby|php|lua|deno|awk|gawk|make)[\d.]*|env")
"""Programs that only run what stands below the first line."""


def named_programs(text: str, commands: Iterable[Command]) -> tuple[str, ...]:
    """Return the programs whose files a shell text names, leaving out files that the text itself starts as commands."""
    found = {each[0]: each[1] or each[2] or each[3] for each in islice(_PROGRAM.finditer(text), _MAX_COPIES)}
    if not found:
        return ()
    started = {each.words[0] for each in commands if each.words}
    return tuple(dict.fromkeys(name for file, name in found.items() if file not in started))[:_MAX_PROGRAMS]


def runs_of_copies(programs: Iterable[str], commands: Iterable[Command]) -> Iterator[str]:
    """Yield the commands that would run if each command with a path, such as `./g push`, were a copy of one of the
    programs."""
    copies = [each.words for each in commands if each.words and _may_be_copy(each.words[0])][:_MAX_COMMANDS]
    for program in programs:
        name = _OF_GIT.sub("git ", program)
        yield from (" ".join((name, *words[1:])) for words in copies)


def _may_be_copy(name: str) -> bool:
    return "/" in name and not _WELL_KNOWN.fullmatch(name)


def runs_of_scripts(text: str, commands: Iterable[Command], others: Iterable[str] = ()) -> Iterator[str]:
    """Yield the commands that would run if each command, such as `push origin`, were a script whose first line stands
    in the text. `others` are texts that may be commands, too."""
    if "#!" not in text:
        return
    found = islice(_FIRST_LINE.finditer(text), _MAX_COPIES)
    begins = [(each["program"], each["words"].split()) for each in found if not _USUAL.fullmatch(each["program"])]
    plain = [each.words for each in commands if each.words][:_MAX_COMMANDS]
    scripts = dict.fromkeys((*plain, *islice((tuple(each.split()) for each in others if each.strip()), _MAX_COMMANDS)))
    for program, given in list(dict.fromkeys((name, tuple(words)) for name, words in begins))[:_MAX_PROGRAMS]:
        for words in scripts:
            yield " ".join((program, *given, words[0].rpartition("/")[2], *words[1:]))
